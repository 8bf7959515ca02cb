"""What an answer looks like to LlamaIndex: thinking, text, calls and counts, by whichever of the eight ways."""

from __future__ import annotations

import asyncio

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ThinkingBlock

from relaygen_integrations.llama_index import RelayGenLLM
from relaygen_runtime import EngineError, Role
from tests.integrations.llama_index.scripts import QUESTION, call_text, on, raw, saying, thought
from tests.relay.scripts import scripted

THINKING = "I count the crates of the shop. So, there are twelve of them."
ANSWER = "There are 12 crates."


def counting() -> RelayGenLLM:
    return saying(thought(THINKING, ANSWER))[0]


def facts(response: ChatResponse) -> object:
    relay = raw(response)["relay"]
    segments = [(s["role"], s["phase"], s["reason"], s["cue"], s["tokens"]) for s in relay["segments"]]
    return response.message, raw(response)["usage"], raw(response)["finish_reason"], segments


def test_case_31_stream_chat_yields_thinking_deltas_apart_from_text_deltas() -> None:
    chunks = list(counting().stream_chat(QUESTION))

    thinking = "".join(chunk.additional_kwargs.get("thinking_delta", "") for chunk in chunks)
    assert thinking.strip() == THINKING
    assert "".join(chunk.delta or "" for chunk in chunks) == ANSWER
    assert not [c for c in chunks if c.delta and "thinking_delta" in c.additional_kwargs]


def test_case_31_complete_returns_the_answer_only() -> None:
    llm = counting()

    assert llm.complete("How many?").text == ANSWER
    assert list(llm.stream_complete("How many?"))[-1].text == ANSWER


def test_the_message_holds_the_thinking_and_exactly_one_text() -> None:
    message = counting().chat(QUESTION).message

    assert [type(block) for block in message.blocks] == [ThinkingBlock, TextBlock]
    assert message.content == ANSWER
    assert message.additional_kwargs == {}


def test_an_answer_without_thinking_is_one_text() -> None:
    message = saying(ANSWER, prompt="?<think>\n\n</think>\n\n")[0].chat(QUESTION).message

    assert [type(block) for block in message.blocks] == [TextBlock]


def test_every_chunk_holds_all_that_came_so_far() -> None:
    text = ""
    for chunk in counting().stream_chat(QUESTION):
        text += chunk.delta or ""
        assert (chunk.message.content or "") == text


async def test_case_27_the_four_ways_to_chat_agree() -> None:
    llm = counting()
    async_chunks = [chunk async for chunk in await llm.astream_chat(QUESTION)]

    ways = [
        llm.chat(QUESTION),
        list(llm.stream_chat(QUESTION))[-1],
        await llm.achat(QUESTION),
        async_chunks[-1],
    ]

    assert [facts(way) for way in ways] == [facts(ways[0])] * 4


async def test_case_27_the_four_ways_to_complete_agree() -> None:
    llm = counting()
    async_chunks = [chunk async for chunk in await llm.astream_complete("How many?")]

    ways = [
        llm.complete("How many?"),
        list(llm.stream_complete("How many?"))[-1],
        await llm.acomplete("How many?"),
        async_chunks[-1],
    ]

    assert [(way.text, raw(way)["usage"]) for way in ways] == [(ANSWER, raw(ways[0])["usage"])] * 4
    assert "".join(chunk.delta or "" for chunk in async_chunks) == ANSWER


def test_case_26_three_event_loops_in_one_process_and_after_a_call_without_one() -> None:
    llm = counting()
    before = llm.chat(QUESTION)

    assert [facts(asyncio.run(llm.achat(QUESTION))) for _ in range(3)] == [facts(before)] * 3


def test_case_28_a_hundred_segments_count_the_prompt_once_and_each_token_once() -> None:
    large = [f" We look at crate number {n} of all. So," for n in range(50)]
    small = [f" crate {n} is counted too. We" for n in range(50)]
    relay, engine = scripted([*large, " That is all.\n</think>\n\n"], [*small, ANSWER])
    response = RelayGenLLM(relay=relay).chat(QUESTION)

    usage, segments = raw(response)["usage"], raw(response)["relay"]["segments"]
    assert len(segments) > 100
    assert usage["prompt_tokens"] == len(engine.split(engine.prompt))
    assert usage["completion_tokens"] == sum(segment["tokens"] for segment in segments)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    reasoning = usage["completion_tokens_details"]["reasoning_tokens"]
    assert reasoning == sum(segment["tokens"] for segment in segments if segment["phase"] == "thinking")


def test_only_the_last_chunk_carries_counts() -> None:
    *others, last = counting().stream_chat(QUESTION)

    assert {chunk.raw for chunk in others} == {None}
    assert raw(last)["usage"]["completion_tokens"] > 0
    assert raw(last)["finish_reason"] == "stop"


def test_case_12_a_stop_string_cuts_the_answer_and_not_the_thinking() -> None:
    thinking = "The agent says\nObservation: no."
    llm, _ = saying(thought(thinking, "Action: look\nObservation: seen"), options={"stop": ["\nObservation"]})
    response = llm.chat(QUESTION)

    assert response.message.blocks[0].content.strip() == thinking
    assert response.message.content == "Action: look"
    assert raw(response)["finish_reason"] == "stop"
    assert raw(response)["relay"]["finish_reason"] == "stop_string"


def test_case_13_a_tool_call_inside_the_thinking_is_never_a_tool_call() -> None:
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    llm, _ = saying(thought(f"I could write {call_text('look', '{}')} here.", ANSWER))
    response = llm.chat(QUESTION, tools=[tool])

    assert llm.get_tool_calls_from_response(response, error_on_no_tool_call=False) == []
    assert response.message.content == ANSWER
    assert "<tool_call>" in response.message.blocks[0].content


def test_what_looks_like_a_call_is_text_where_no_tools_are_offered() -> None:
    text = f"It is written {call_text('look', '{}')} so."

    assert saying(thought("", text))[0].chat(QUESTION).message.content == text


def test_an_answer_that_was_cut_says_so() -> None:
    response = saying(thought("It is so.", "word " * 50), options={"max_tokens": 20})[0].chat(QUESTION)

    assert raw(response)["finish_reason"] == "length"


def test_a_prompt_is_shaped_by_completion_to_prompt_unless_it_is_already() -> None:
    llm, engine = saying(ANSWER, options={"completion_to_prompt": lambda text: f"<{text}>"})
    llm.complete("Hi")
    llm.complete("Hi", formatted=True)

    assert [request.messages[0]["content"] for request in engine.requests] == ["<Hi>", "Hi"]


def fail_in_the_answer(author: Role, taken: int) -> None:
    if taken == 30:
        raise EngineError("the machine is on fire")


async def test_a_failure_keeps_what_had_been_written() -> None:
    llm = saying("word " * 40, fail=fail_in_the_answer)[0]

    with pytest.raises(EngineError, match="on fire") as sync:
        llm.chat(QUESTION)
    with pytest.raises(EngineError, match="on fire") as later:
        await llm.achat(QUESTION)

    assert sync.value.partial.startswith("word word")
    assert later.value.partial == sync.value.partial


def test_a_custom_engine_is_used_as_it_is() -> None:
    relay, engine = scripted(["Two steps of it. So,", " done.\n</think>\n\n"], [" that is it. I", "Twelve."])
    response = on(engine).chat([ChatMessage("?")])

    roles = [segment["role"] for segment in raw(response)["relay"]["segments"]]
    assert {"large", "small"} <= set(roles)
    assert relay.engine is engine
