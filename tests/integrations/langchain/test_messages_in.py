"""Histories as a relay takes them: roles, one system message, reasoning apart, calls with their results; or refused."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from relaygen_integrations.langchain import RelayMessagesError
from relaygen_integrations.langchain.messages_in import relay_messages
from tests.integrations.langchain.chats import chat

ASKED = AIMessage("", tool_calls=[{"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}])
TOLD = ToolMessage("3", tool_call_id="c1", name="add")
TWICE = AIMessage("", tool_calls=[*ASKED.tool_calls, *ASKED.tool_calls])
UNNAMED = AIMessage("", tool_calls=[{**call, "id": None} for call in TWICE.tool_calls])


def test_each_kind_of_message_has_its_role() -> None:
    told = relay_messages([SystemMessage("be brief"), HumanMessage("hi", name="anna"), AIMessage("hello")])

    assert told == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
    ]


def test_system_messages_become_one_at_the_front_wherever_they_stood() -> None:
    told = relay_messages([HumanMessage("hi"), SystemMessage("a"), SystemMessage([{"type": "text", "text": "b"}])])

    assert told == [{"role": "system", "content": "a\n\nb"}, {"role": "user", "content": "hi"}]


def test_a_chat_message_that_says_it_is_the_system_is_one_of_them() -> None:
    told = relay_messages([SystemMessage("a"), HumanMessage("hi"), ChatMessage(role="system", content="b")])

    assert told == [{"role": "system", "content": "a\n\nb"}, {"role": "user", "content": "hi"}]


def test_calls_with_equal_ids_each_have_a_result_of_their_own() -> None:
    assert len(relay_messages([TWICE, TOLD, TOLD])) == 3


def test_a_call_and_its_result_keep_their_identity_and_arguments_stay_data() -> None:
    told = relay_messages([HumanMessage("1 + 2"), ASKED, TOLD])

    assert told[1]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
    ]
    assert told[2] == {"role": "tool", "content": "3", "tool_call_id": "c1", "name": "add"}


def test_the_result_of_a_tool_that_failed_is_told_like_any_other() -> None:
    told = relay_messages([ASKED, ToolMessage("no b", tool_call_id="c1", status="error")])

    assert told[1]["content"] == "no b"


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("4", additional_kwargs={"reasoning_content": "2 + 2"}),
        AIMessage([{"type": "reasoning", "reasoning": "2 + 2"}, {"type": "text", "text": "4"}]),
        AIMessage([{"type": "thinking", "thinking": "2 + 2", "signature": "x"}, {"type": "text", "text": "4"}]),
        AIMessage(content_blocks=[{"type": "reasoning", "reasoning": "2 + "}, {"type": "reasoning", "reasoning": "2"},
                                  {"type": "text", "text": "4"}]),
    ],
)  # fmt: skip
def test_reasoning_goes_beside_the_answer_so_that_the_template_decides(message: AIMessage) -> None:
    (told,) = relay_messages([message])

    assert told == {"role": "assistant", "content": "4", "reasoning_content": "2 + 2"}


def test_what_the_model_itself_answered_in_either_format_goes_back_as_the_same_history() -> None:
    plain, blocks = (relay_messages([chat(output_version=version)[0].invoke("?")]) for version in (None, "v1"))

    assert plain == blocks
    assert plain[0]["content"] == "The result is 12."


def test_parts_of_a_call_in_the_content_are_told_once_as_calls() -> None:
    parts: list[str | dict[str, Any]] = [
        "some ",
        {"type": "text", "text": "text", "cache_control": {"type": "ephemeral"}},
        {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}},
    ]
    (told, _) = relay_messages([AIMessage(parts, tool_calls=ASKED.tool_calls), TOLD])

    assert told["content"] == "some text"
    assert len(told["tool_calls"]) == 1


def test_an_invalid_call_is_shown_as_it_was_written_and_may_go_without_a_result() -> None:
    message = AIMessage("", invalid_tool_calls=[{"name": "add", "args": '{"a"', "id": "c1", "error": None,
                                                 "type": "invalid_tool_call"}])  # fmt: skip

    assert relay_messages([message, HumanMessage("?")])[0]["tool_calls"][0]["function"]["arguments"] == '{"a"'
    assert len(relay_messages([message, TOLD])) == 2


def test_a_chat_message_keeps_its_own_role() -> None:
    assert relay_messages([ChatMessage(content="x", role="user")]) == [{"role": "user", "content": "x"}]


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([], "the list is empty"),
        ([HumanMessage([{"type": "image_url", "image_url": {"url": "data:image/png;base64,x"}}])], "'image_url'"),
        ([HumanMessage([{"type": "image", "base64": "x", "mime_type": "image/png"}])], "'image'"),
        ([HumanMessage([{"type": "input_audio", "input_audio": {"data": "x", "format": "wav"}}])], "'audio'"),
        ([HumanMessage([{"type": "file", "base64": "x", "mime_type": "application/pdf"}])], "'file'"),
        ([HumanMessage("?"), ASKED], r"messages\[1\]: it calls 'add' \('c1'\)"),
        ([HumanMessage("?"), ASKED, HumanMessage("well?")], r"messages\[1\]: it calls 'add'"),
        ([HumanMessage("?"), TOLD], r"messages\[1\]: a tool result for the call 'c1'"),
        ([HumanMessage("?"), ASKED, TOLD, TOLD], r"messages\[3\]: a tool result"),
        ([HumanMessage("?"), ASKED, ToolMessage("3", tool_call_id="c2")], "the call 'c2'"),
        ([HumanMessage("?"), TWICE, TOLD], r"messages\[1\]: it calls 'add' \('c1'\)"),
        ([HumanMessage("?"), TWICE, TOLD, TOLD, TOLD], r"messages\[4\]: a tool result for the call 'c1'"),
        ([HumanMessage("?"), UNNAMED], r"messages\[1\]: it calls 'add' \(None\), and .* that call, nor 1 more"),
        ([FunctionMessage(content="x", name="f")], "FunctionMessage cannot be relayed"),
        ([RemoveMessage("x")], "RemoveMessage cannot be relayed"),
    ],
)
async def test_what_cannot_be_relayed_is_refused_before_any_token(messages: list[BaseMessage], complaint: str) -> None:
    llm, engine = chat()

    with pytest.raises(RelayMessagesError, match=complaint):
        llm.invoke(messages)
    with pytest.raises(RelayMessagesError, match=complaint):
        next(iter(llm.stream(messages)))
    with pytest.raises(RelayMessagesError, match=complaint):
        await llm.ainvoke(messages)
    assert engine.runs == []
