"""Case 27: invoke, stream, ainvoke and astream agree in text, reasoning and usage; the chunks add up to the message."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessageChunk
from langchain_tests.utils.stream_lifecycle import assert_valid_event_stream

from relaygen_integrations.langchain import ChatRelayGen
from relaygen_runtime import Relay
from tests.integrations.langchain.chats import ANSWER, CALL, THINKING, aadded, added, calling, chat, look_up, said

FORMATS = [None, "v1"]
QUESTION = "What is 37 * 24 + 118?"


@pytest.mark.parametrize("output_version", FORMATS)
async def test_case_27_the_four_ways_agree_on_a_script(output_version: str | None) -> None:
    llm, _ = chat(output_version=output_version)

    message = said(llm.invoke("?"))

    assert said(added(llm.stream("?"))) == message
    assert said(await llm.ainvoke("?")) == message
    assert said(await aadded(llm.astream("?"))) == message


@pytest.mark.parametrize("output_version", FORMATS)
async def test_case_27_the_four_ways_agree_on_real_models(demo_relay: Relay, output_version: str | None) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=400, output_version=output_version)

    message = said(llm.invoke(QUESTION))

    assert "1006" in str(message["content"])
    assert said(added(llm.stream(QUESTION))) == message
    assert said(await llm.ainvoke(QUESTION)) == message
    assert said(await aadded(llm.astream(QUESTION))) == message


@pytest.mark.parametrize("output_version", FORMATS)
def test_case_27_a_tool_call_is_the_same_whole_and_in_pieces(output_version: str | None) -> None:
    llm = calling(output_version=output_version).bind_tools([look_up])

    message, full = llm.invoke("?"), added(llm.stream("?"))

    assert isinstance(full, AIMessageChunk)
    for one in (message, full):
        (call,) = one.tool_calls
        assert (call["name"], call["args"]) == ("look_up", {"word": "relay"})
        assert one.response_metadata["finish_reason"] == "tool_calls"
    assert message.usage_metadata == full.usage_metadata


def test_a_message_holds_the_answer_and_beside_it_the_thinking() -> None:
    message = chat()[0].invoke("?")

    assert message.content == ANSWER
    assert message.additional_kwargs["reasoning_content"] == THINKING
    assert [block["type"] for block in message.content_blocks] == ["reasoning", "text"]


def test_in_v1_every_segment_of_thinking_is_a_block_that_names_its_author() -> None:
    message = chat(output_version="v1")[0].invoke("?")

    *thinking, answer = message.content_blocks
    assert [block["type"] for block in thinking] == ["reasoning"] * 3
    assert [block["extras"]["role"] for block in thinking] == ["large", "small", "large"]  # type: ignore[typeddict-item]
    assert "".join(block["reasoning"] for block in thinking) == THINKING  # type: ignore[typeddict-item]
    assert (answer["type"], message.text) == ("text", ANSWER)


def test_a_batch_gives_what_the_calls_give_one_by_one(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=300)
    questions: list[LanguageModelInput] = ["What is 3 + 4?", "What is 8 * 7?", "What is 20 - 5?"]

    assert [said(message) for message in llm.batch(questions)] == [said(llm.invoke(asked)) for asked in questions]


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")
@pytest.mark.parametrize("output_version", FORMATS)
async def test_streamed_events_are_well_formed_and_come_to_the_same_message(output_version: str | None) -> None:
    llm = calling(f"One moment. {CALL}\n{CALL}", output_version=output_version).bind_tools([look_up])
    stream: Any = llm.stream_events("?", version="v3")
    astream: Any = await llm.astream_events("?", version="v3")
    for events, message in (
        (list(stream), stream.output),
        ([event async for event in astream], await astream.output),
    ):
        assert_valid_event_stream(events)
        assert message.text == "One moment."
        assert [call["args"] for call in message.tool_calls] == [{"word": "relay"}] * 2
        assert message.usage_metadata == llm.invoke("?").usage_metadata
