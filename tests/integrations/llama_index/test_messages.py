"""A history of LlamaIndex's, as a chat template gets to see it, and what of it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.base.llms.types import (
    CacheControl,
    CachePoint,
    ChatMessage,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from relaygen_integrations.llama_index.messages import template_messages
from relaygen_runtime import MessagesError
from tests.integrations.llama_index.scripts import saying

USER = ChatMessage("Look it up.")


def calling(*ids: str | None, arguments: dict[str, Any] | str | None = None) -> ChatMessage:
    blocks = [ToolCallBlock(tool_call_id=id, tool_name="look", tool_kwargs=arguments or {}) for id in ids]
    return ChatMessage(role="assistant", blocks=[ThinkingBlock(content="I look."), TextBlock(text=""), *blocks])


def result(text: str, call_id: str | None) -> ChatMessage:
    return ChatMessage(role="tool", content=text, additional_kwargs={"tool_call_id": call_id} if call_id else {})


@pytest.mark.parametrize(
    ("role", "told"),
    [("developer", "system"), ("user", "user"), ("chatbot", "assistant"), ("model", "assistant")],
)
def test_roles_are_the_templates(role: str, told: str) -> None:
    (message,) = template_messages([ChatMessage("Hi", role=MessageRole(role))])

    assert message == {"role": told, "content": "Hi"}


def test_system_messages_become_one_in_front() -> None:
    told = template_messages(
        [ChatMessage("Be brief.", role="system"), USER, ChatMessage("Be kind.", role="system"), ChatMessage("Go on.")]
    )

    assert [message["role"] for message in told] == ["system", "user", "user"]
    assert told[0]["content"] == "Be brief.\n\nBe kind."


def test_texts_of_one_message_are_lines() -> None:
    (message,) = template_messages(
        [
            ChatMessage(
                [TextBlock(text="a"), CachePoint(cache_control=CacheControl(type="ephemeral")), TextBlock(text="b")]
            )
        ]
    )

    assert message["content"] == "a\nb"


def test_thinking_calls_and_results_keep_their_places() -> None:
    told = template_messages([USER, calling("1", "2"), result("yes", "2"), result("no", "1")])

    assert told[1]["reasoning_content"] == "I look."
    assert [(call["id"], call["function"]) for call in told[1]["tool_calls"]] == [
        ("1", {"name": "look", "arguments": {}}),
        ("2", {"name": "look", "arguments": {}}),
    ]
    assert told[2] == {"role": "tool", "content": "yes", "tool_call_id": "2"}


def test_arguments_written_as_text_are_read() -> None:
    told = template_messages([USER, calling("1", arguments='{"q": "a"}'), result("yes", "1")])

    assert told[1]["tool_calls"][0]["function"]["arguments"] == {"q": "a"}


def test_results_without_an_identity_stand_in_the_order_of_the_calls() -> None:
    assert len(template_messages([USER, calling(None, None), result("yes", None), result("no", None)])) == 4


def test_calls_of_equal_identity_are_counted_one_by_one() -> None:
    assert len(template_messages([USER, calling("1", "1"), result("yes", "1"), result("no", "1")])) == 4
    with pytest.raises(MessagesError, match="has no result"):
        template_messages([USER, calling("1", "1"), result("yes", "1")])


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ([USER, result("yes", "1")], r"messages\[1\]: it is the result of a tool call \('1'\)"),
        ([USER, calling("1"), result("yes", "2")], r"messages\[2\]: it is the result of a tool call \('2'\)"),
        (
            [USER, calling("1", "2"), result("yes", "1"), USER],
            r"messages\[1\]: its call of 'look' \('2'\) has no result",
        ),
        ([USER, calling("1")], r"messages\[1\]: its call of 'look' \('1'\) has no result"),
        ([USER, calling("1", arguments="{")], r"messages\[1\]: the arguments of its call of 'look' are no JSON object"),
        ([ChatMessage([ImageBlock(image=b"\x89PNG")])], r"messages\[0\]: it holds a block of type 'image'"),
        (
            [ChatMessage(blocks=[ToolCallBlock(tool_name="look")])],
            r"messages\[0\]: a user message holds a tool call",
        ),
        ([], "the list is empty"),
    ],
)
async def test_what_cannot_be_relayed_is_refused_before_anything_is_written(
    history: list[ChatMessage], message: str
) -> None:
    llm, engine = saying("Hello.")

    with pytest.raises(MessagesError, match=message):
        llm.chat(history)
    with pytest.raises(ValueError, match=message):
        llm.stream_chat(history)
    with pytest.raises(MessagesError, match=message):
        await llm.achat(history)
    assert engine.requests == []
