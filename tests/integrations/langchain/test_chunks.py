"""What each chunk carries: every piece once, usage and the end on the last one alone, segments as they finish."""

from __future__ import annotations

import json

import pytest

from tests.integrations.langchain.chats import ANSWER, CALL, THINKING, added, calling, chat, look_up, streamed

MANY = 50


def test_texts_come_in_pieces_and_every_piece_once() -> None:
    chunks = list(chat()[0].stream("?"))

    assert len([chunk for chunk in chunks if chunk.text]) > 1
    assert "".join(chunk.text for chunk in chunks) == ANSWER
    assert "".join(chunk.additional_kwargs.get("reasoning_content", "") for chunk in chunks) == THINKING


def test_a_finished_segment_is_told_when_it_is_finished() -> None:
    chunks = list(chat()[0].stream("?"))
    told = [index for index, chunk in enumerate(chunks) if "relay_segments" in chunk.additional_kwargs]
    first_text = next(index for index, chunk in enumerate(chunks) if chunk.text)

    assert len(told) == 4
    assert [index < first_text for index in told] == [True, True, True, False]


def test_segments_tell_who_wrote_and_why_they_ended_without_an_index_that_langchain_would_merge() -> None:
    segments = chat()[0].invoke("?").additional_kwargs["relay_segments"]

    assert [segment["segment"] for segment in segments] == [0, 1, 2, 3]
    assert [segment["role"] for segment in segments] == ["large", "small", "large", "small"]
    assert [segment["reason"] for segment in segments] == ["cue", "sentence_end", "thinking_end", "eos"]
    assert all("index" not in segment and "text" not in segment for segment in segments)


def test_usage_metadata_and_the_end_are_on_the_last_chunk_alone() -> None:
    *before, last = list(chat()[0].stream("?"))

    assert last.usage_metadata is not None
    assert last.chunk_position == "last"
    assert last.response_metadata["model_name"] == "scripted-large+scripted-small"
    assert not any(chunk.usage_metadata or chunk.chunk_position for chunk in before)
    assert not any("model_name" in chunk.response_metadata for chunk in before)


def test_a_stream_leaves_its_usage_out_where_it_shall() -> None:
    quiet, _ = chat(stream_usage=False)

    assert added(quiet.stream("?")).usage_metadata is None
    assert added(quiet.stream("?", stream_usage=True)).usage_metadata is not None
    assert quiet.invoke("?").usage_metadata is not None


def test_what_a_message_says_of_itself_is_plain_json_and_its_types_survive() -> None:
    message = chat()[0].invoke("?")
    told = {**message.additional_kwargs, **message.response_metadata}

    assert json.loads(json.dumps(told)) == told
    for segment in told["relay_segments"]:
        assert {type(value) for value in segment.values()} <= {str, int, float, type(None)}


def test_the_summary_tells_totals_cost_and_why_it_ended() -> None:
    message = chat()[0].invoke("?")
    (summary,) = message.response_metadata["relay"]

    assert message.response_metadata["finish_reason"] == "stop"
    assert message.response_metadata["models"] == {"large": "scripted-large", "small": "scripted-small"}
    assert (summary["finish_reason"], summary["degraded"], summary["segments"]) == ("stop", False, 4)
    assert summary["cost"] is None


def test_reasoning_tokens_are_part_of_the_output_tokens() -> None:
    message = chat()[0].invoke("?")
    usage, (summary,) = message.usage_metadata, message.response_metadata["relay"]

    assert usage is not None
    assert usage["output_tokens"] == summary["tokens"]
    assert usage["output_token_details"]["reasoning"] == summary["thinking_tokens"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


@pytest.mark.parametrize("output_version", [None, "v1"])
def test_case_28_a_hundred_segments_count_prompt_and_tokens_once_and_two_messages_add_up(
    output_version: str | None,
) -> None:
    large = [f"First we multiply both of the numbers {n} and {n * n}. So," for n in range(MANY)]
    small = [f" it is {n}. And" for n in range(MANY)]
    llm, _ = chat([*large, "Done.\n</think>\n\n"], [*small, "12."], output_version=output_version)

    full = added(llm.stream("?", max_tokens=10_000))
    segments, usage = full.additional_kwargs["relay_segments"], full.usage_metadata
    assert len(segments) > 2 * MANY
    assert usage is not None
    assert usage["input_tokens"] == full.response_metadata["relay"][0]["prompt_tokens"]
    assert usage["output_tokens"] == sum(segment["tokens"] for segment in segments)

    twice = full + full
    assert twice.usage_metadata is not None
    assert twice.usage_metadata["total_tokens"] == 2 * usage["total_tokens"]
    assert len(twice.response_metadata["relay"]) == 2
    assert len(twice.additional_kwargs["relay_segments"]) == 2 * len(segments)


@pytest.mark.parametrize("output_version", [None, "v1"])
def test_a_call_streams_as_a_name_with_an_id_and_then_its_arguments(output_version: str | None) -> None:
    llm = calling(output_version=output_version).bind_tools([look_up])
    pieces = [piece for chunk in streamed(llm.stream("?")) for piece in chunk.tool_call_chunks]

    assert pieces[0]["name"] == "look_up"
    assert pieces[0]["id"] is not None
    assert all(piece["name"] is None and piece["id"] is None for piece in pieces[1:])
    assert json.loads("".join(piece["args"] or "" for piece in pieces)) == {"word": "relay"}
    assert len({piece["index"] for piece in pieces}) == 1


def test_several_calls_keep_apart_and_so_do_the_words_around_them() -> None:
    answer = f"One moment. {CALL}\n{CALL.replace('relay', 'baton')}"
    for llm in (calling(answer), calling(answer, output_version="v1")):
        for message in (llm.bind_tools([look_up]).invoke("?"), added(llm.bind_tools([look_up]).stream("?"))):
            assert [call["args"] for call in message.tool_calls] == [{"word": "relay"}, {"word": "baton"}]
            assert message.text == "One moment."
            assert [block["type"] for block in message.content_blocks if block["type"] != "reasoning"] == [
                "text",
                "tool_call",
                "tool_call",
            ]


def test_in_v1_a_call_has_an_index_of_its_own_among_the_blocks() -> None:
    llm = calling("One moment. " + CALL, output_version="v1").bind_tools([look_up])
    indices = {piece["index"] for chunk in streamed(llm.stream("?")) for piece in chunk.tool_call_chunks}
    others = {
        block["index"]
        for chunk in streamed(llm.stream("?"))
        for block in chunk.content_blocks
        if block["type"] in ("text", "reasoning")
    }

    assert indices == {2}
    assert others == {0, 1}


@pytest.mark.parametrize(
    "broken",
    [
        '<tool_call>\n{"name": "look_up", "arguments": {"word": "rel',
        '<tool_call>\n{"name": "look_up", "arguments": {"word": "relay"',
        '<tool_call>\n{"name": "look_up", "arguments": {"word": "a\\',
        '<tool_call>\n{"name": "look_up", "arguments": ',
        '<tool_call>\n{"nam',
        "<tool_call>",
    ],
)
@pytest.mark.parametrize("output_version", [None, "v1"])
def test_a_call_that_was_cut_short_is_invalid_and_never_completed(broken: str, output_version: str | None) -> None:
    llm = calling(broken, output_version=output_version).bind_tools([look_up])

    for message in (llm.invoke("?"), added(llm.stream("?"))):
        assert message.tool_calls == []
        assert len(message.invalid_tool_calls) == 1
        assert "cannot be read" in message.response_metadata["relay"][0]["notes"][-1]


def test_without_tools_on_offer_an_answer_is_text_whatever_it_looks_like() -> None:
    message = chat(["Hm.\n</think>\n\n"], [CALL])[0].invoke("?")

    assert message.content == CALL
    assert message.tool_calls == []
