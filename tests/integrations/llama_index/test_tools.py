"""Tools of LlamaIndex's: how they are offered, what comes back, and that only whole calls are acted on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ThinkingBlock, ToolCallBlock
from llama_index.core.tools import FunctionTool

from relaygen_integrations.llama_index import RelayGenLLM
from tests.integrations.llama_index.scripts import Playlist, call_text, raw, saying, thought


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def ping() -> str:
    """Say that all is well."""
    return "pong"


ADD, PING = FunctionTool.from_defaults(add), FunctionTool.from_defaults(ping)
ADDING = call_text("add", '{"a": 2, "b": 3}')
PINGING = call_text("ping", "{}")


def adding(*more: str) -> tuple[RelayGenLLM, Playlist]:
    return saying(thought("I add them.", "\n".join([ADDING, *more])))


def test_a_call_is_a_block_behind_the_text() -> None:
    response = adding()[0].chat_with_tools([ADD], "What is 2 + 3?")
    thinking, text, call = response.message.blocks

    assert isinstance(thinking, ThinkingBlock)
    assert isinstance(text, TextBlock)
    assert text.text == ""
    assert isinstance(call, ToolCallBlock)
    assert (call.tool_name, call.tool_kwargs) == ("add", {"a": 2, "b": 3})
    assert call.tool_call_id
    assert raw(response)["finish_reason"] == "tool_calls"
    assert response.message.additional_kwargs == {}


def test_selections_are_what_llama_index_acts_on() -> None:
    llm, _ = adding(PINGING)
    response = llm.chat_with_tools([ADD, PING], "?", allow_parallel_tool_calls=True)

    found = llm.get_tool_calls_from_response(response)
    assert [(call.tool_name, call.tool_kwargs) for call in found] == [("add", {"a": 2, "b": 3}), ("ping", {})]
    assert len({call.tool_id for call in found}) == 2


async def test_the_four_ways_to_chat_with_tools_agree() -> None:
    llm, _ = adding()
    ways = [
        llm.chat_with_tools([ADD], "?"),
        list(llm.stream_chat_with_tools([ADD], "?"))[-1],
        await llm.achat_with_tools([ADD], "?"),
        [chunk async for chunk in await llm.astream_chat_with_tools([ADD], "?")][-1],
    ]

    told = [[(c.tool_name, c.tool_kwargs) for c in llm.get_tool_calls_from_response(way)] for way in ways]
    assert told == [[("add", {"a": 2, "b": 3})]] * 4


def test_a_call_that_is_still_being_written_is_none_yet() -> None:
    llm, _ = adding()
    *others, last = llm.stream_chat_with_tools([ADD], "?")

    growing = [block.tool_kwargs for c in others for block in c.message.blocks if isinstance(block, ToolCallBlock)]
    assert '{"a": 2' in growing
    counts = [len(llm.get_tool_calls_from_response(c, error_on_no_tool_call=False)) for c in [*others, last]]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 1)
    assert "".join(chunk.delta or "" for chunk in others) == ""


def test_a_call_that_was_cut_short_is_text_and_not_acted_on() -> None:
    llm, _ = saying(thought("I add.", '<tool_call>\n{"name": "add", "arguments": {"a": 2'))
    response = llm.chat_with_tools([ADD], "?")

    assert llm.get_tool_calls_from_response(response, error_on_no_tool_call=False) == []
    assert '{"a": 2' in (response.message.content or "")


def test_no_call_is_an_error_where_one_is_expected() -> None:
    llm, _ = saying(thought("", "I would rather not."))

    with pytest.raises(ValueError, match=r"a tool call was expected.*rather not"):
        llm.predict_and_call([ADD], "?")


@pytest.mark.parametrize(
    ("asked", "choice"),
    [
        ({}, None),
        ({"tool_required": True}, "required"),
        ({"tool_choice": "add"}, "add"),
        ({"tool_choice": "any"}, "any"),
        ({"tool_choice": "none", "tool_required": True}, "none"),
        ({"tool_choice": {"type": "function", "function": {"name": "add"}}}, None),
    ],
)
def test_a_choice_is_handed_on(asked: dict[str, Any], choice: str | Mapping[str, Any] | None) -> None:
    options = adding()[0]._prepare_chat_with_tools([ADD], "?", **asked)

    assert options.get("tool_choice") == (asked.get("tool_choice") if choice is None else choice)
    assert options["parallel_tool_calls"] is False


def test_the_history_is_copied() -> None:
    history = [ChatMessage("Hello")]
    adding()[0].chat_with_tools([ADD], "?", chat_history=history)

    assert len(history) == 1


def test_a_tool_is_shown_as_it_describes_itself() -> None:
    llm, engine = adding()
    llm.chat_with_tools([ADD], "?")
    (shown,) = engine.requests[0].tools

    assert shown["function"]["name"] == "add"
    assert "Add two numbers." in shown["function"]["description"]
    assert set(shown["function"]["parameters"]["properties"]) == {"a", "b"}


async def test_predict_and_call_runs_the_tool() -> None:
    llm, _ = adding()

    assert str(llm.predict_and_call([ADD], "?")) == "5"
    assert str(await llm.apredict_and_call([ADD], "?")) == "5"


def test_parallel_calls_are_all_run() -> None:
    llm, _ = adding(PINGING)

    assert str(llm.predict_and_call([ADD, PING], "?", allow_parallel_tool_calls=True)) == "5\n\npong"


def test_a_template_without_tools_makes_no_function_calling_model() -> None:
    llm, _ = saying(thought("", "Hello."), tool_format=None)

    assert not llm.metadata.is_function_calling_model
    assert adding()[0].metadata.is_function_calling_model
