"""From LlamaIndex's chat messages to the messages that a chat template renders.

Owns the translation of roles and blocks: text, thinking, tool calls and their results. What two models of text cannot
read (images, sound, documents) is refused by name, and so is a history in which calls and results do not match, since
a template would render it without a word. Which roles may follow each other is the template's to say.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    CachePoint,
    ChatMessage,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from relaygen_runtime import Message, MessagesError

__all__ = ["arguments_of", "template_messages"]

_ROLES = {
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "system",
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}


def template_messages(messages: Sequence[ChatMessage]) -> list[Message]:
    """The history as a chat template reads it.

    System messages become one, the first: LlamaIndex puts its own before the caller's, and templates take one.

    Raises:
        MessagesError: A block that is no text, or tool calls and results that do not match; names the message.
    """
    translated = [_translated(message, f"messages[{number}]") for number, message in enumerate(messages)]
    _check_calls(translated)
    return _one_system_message(translated)


def arguments_of(block: ToolCallBlock) -> dict[str, Any] | None:
    """A call's arguments; None where they are no JSON object, as those of a call that is still being written."""
    if isinstance(block.tool_kwargs, dict):
        return block.tool_kwargs
    try:
        parsed = json.loads(block.tool_kwargs)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _translated(message: ChatMessage, where: str) -> dict[str, Any]:
    role = _ROLES[message.role]
    texts: list[str] = []
    thinking: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in message.blocks:
        if isinstance(block, TextBlock):
            texts.append(block.text)
        elif isinstance(block, ThinkingBlock):
            thinking.append(block.content or "")
        elif isinstance(block, ToolCallBlock):
            calls.append(_call(block, where))
        elif not isinstance(block, CachePoint):
            raise MessagesError(f"{where}: it holds a block of type {block.block_type!r}; only text can be relayed")
    told: dict[str, Any] = {"role": role, "content": "\n".join(texts)}
    if role == "assistant":
        if any(thinking):
            told["reasoning_content"] = "".join(thinking)
        if calls:
            told["tool_calls"] = calls
    elif calls:
        raise MessagesError(f"{where}: a {role} message holds a tool call; only the assistant calls tools")
    call_id = message.additional_kwargs.get("tool_call_id")
    if role == "tool" and call_id:
        told["tool_call_id"] = call_id
    return told


def _call(block: ToolCallBlock, where: str) -> dict[str, Any]:
    arguments = arguments_of(block)
    if arguments is None:
        raise MessagesError(
            f"{where}: the arguments of its call of {block.tool_name!r} are no JSON object: {block.tool_kwargs!r}"
        )
    function = {"name": block.tool_name, "arguments": arguments}
    return {"type": "function", "id": block.tool_call_id, "function": function}


def _check_calls(messages: Sequence[dict[str, Any]]) -> None:
    """Refuse results without a call, and calls without a result.

    Raises:
        MessagesError: Names the message.
    """
    open_calls: list[tuple[str | None, str]] = []  # identity and name; identities may be equal, or lacking
    caller = ""
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if message["role"] == "tool":
            _close_call(open_calls, message.get("tool_call_id"), where)
            continue
        _refuse_open(open_calls, caller)
        caller = where
        open_calls += [(call["id"] or None, call["function"]["name"]) for call in message.get("tool_calls", ())]
    _refuse_open(open_calls, caller)


def _close_call(open_calls: list[tuple[str | None, str]], call_id: str | None, where: str) -> None:
    """Take away the call that a result belongs to: by identity, or without one the first."""
    place = next((n for n, (identity, _) in enumerate(open_calls) if call_id in (None, identity)), None)
    if place is None:
        raise MessagesError(
            f"{where}: it is the result of a tool call ({call_id!r}) that the assistant's message before it does not "
            "hold; keep calls and results together"
        )
    del open_calls[place]


def _refuse_open(open_calls: list[tuple[str | None, str]], caller: str) -> None:
    if open_calls:
        call_id, name = open_calls[0]
        raise MessagesError(
            f"{caller}: its call of {name!r} ({call_id!r}) has no result; a message of role 'tool' with this "
            "tool_call_id has to follow"
        )


def _one_system_message(messages: list[dict[str, Any]]) -> list[Message]:
    systems = [message["content"] for message in messages if message["role"] == "system"]
    others = [message for message in messages if message["role"] != "system"]
    if not systems:
        return list(others)
    return [{"role": "system", "content": "\n\n".join(text for text in systems if text)}, *others]
