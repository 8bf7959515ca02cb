"""From LangChain's messages to a relay's: roles, texts, reasoning, tool calls and their results.

Owns the translation and what is said about a history that cannot be relayed: none at all, images, audio and files, a
call without its result, a result without its call. Where tokens are only counted, it takes any part of a history.
System messages are gathered at the front, where every chat template takes one. Knows no template: reasoning goes along
as ``reasoning_content``, and the template decides what it shows of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from relaygen_integrations.langchain.errors import RelayMessagesError

__all__ = ["part_of_history", "relay_messages", "texts_of"]

_REASONING = {"reasoning": "reasoning", "thinking": "thinking"}
_CALLS = ("tool_call", "tool_call_chunk", "invalid_tool_call", "tool_use", "input_json_delta", "function_call")
_SILENT = ("redacted_thinking",)


def relay_messages(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """A history as `Relay.stream` takes it.

    Args:
        messages: The history, in order.

    Returns:
        Messages with role and text, assistants' also with ``reasoning_content`` and ``tool_calls``. Several system
        messages are one, the first.

    Raises:
        RelayMessagesError: Names the message and what is wrong with it.
    """
    if not messages:
        raise RelayMessagesError("messages: the list is empty; give at least one message")
    calls = _OpenCalls()
    for number, message in enumerate(messages):
        if not _is_system(message):
            calls.see(message, f"messages[{number}]")
    calls.end()
    return part_of_history(messages)


def part_of_history(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """The same of any part of a history: calls and results may stand alone, and there may be no message at all.

    Raises:
        RelayMessagesError: A message that is no text, or of no kind that can be relayed.
    """
    system: list[str] = []
    told: list[dict[str, Any]] = []
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if _is_system(message):
            system.append(_text(message.content, where))
        else:
            told.append(_translated(message, where))
    if system:
        told.insert(0, {"role": "system", "content": "\n\n".join(text for text in system if text)})
    return told


def texts_of(messages: Sequence[BaseMessage]) -> list[str]:
    """What there is to read in any messages, without a template: texts, reasoning, and tool calls as JSON."""
    texts: list[str] = []
    for message in messages:
        texts.append(str(message.text))
        if isinstance(message, AIMessage):
            texts.append(_reasoning_of(message))
            calls = [call["function"] for call in _calls_of(message)]
            texts += [json.dumps(call, ensure_ascii=False, default=str) for call in calls]
    return [text for text in texts if text]


def _is_system(message: BaseMessage) -> bool:
    return isinstance(message, SystemMessage) or (isinstance(message, ChatMessage) and message.role == "system")


def _translated(message: BaseMessage, where: str) -> dict[str, Any]:
    if isinstance(message, HumanMessage):
        return {"role": "user", "content": _text(message.content, where)}
    if isinstance(message, AIMessage):
        return _assistant(message, where)
    if isinstance(message, ToolMessage):
        name = {"name": message.name} if message.name else {}
        text = _text(message.content, where)
        return {"role": "tool", "content": text, "tool_call_id": message.tool_call_id, **name}
    if isinstance(message, ChatMessage):
        return {"role": message.role, "content": _text(message.content, where)}
    raise RelayMessagesError(
        f"{where}: a {type(message).__name__} cannot be relayed; expected a system, human, AI or tool message"
    )


def _assistant(message: AIMessage, where: str) -> dict[str, Any]:
    told: dict[str, Any] = {"role": "assistant", "content": _text(message.content, where)}
    if reasoning := _reasoning_of(message):
        told["reasoning_content"] = reasoning
    if calls := _calls_of(message):
        told["tool_calls"] = calls
    return told


def _reasoning_of(message: AIMessage) -> str:
    reasoning = message.additional_kwargs.get("reasoning_content")
    return reasoning if isinstance(reasoning, str) else "".join(_reasoning(message.content))


def _calls_of(message: AIMessage) -> list[dict[str, Any]]:
    calls = [_call(call["id"], call["name"], call["args"]) for call in message.tool_calls]
    # What could not be read when it was written is shown to the model as it wrote it.
    calls += [_call(call["id"], call["name"], call["args"] or "") for call in message.invalid_tool_calls]
    return calls


def _call(identity: str | None, name: str | None, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name or "", "arguments": arguments}}


def _reasoning(content: str | list[str | dict[str, Any]]) -> Iterable[str]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and (key := _REASONING.get(str(part.get("type")))) and part.get(key):
            yield str(part[key])


def _text(content: str | list[str | dict[str, Any]], where: str) -> str:
    if isinstance(content, str):
        return content
    return "".join(_part(part, where) for part in content)


def _part(part: str | Mapping[str, Any], where: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type", "text")
    if kind in ("text", "text-plain") and isinstance(part.get("text"), str):
        return str(part["text"])
    if kind in _REASONING or kind in _CALLS or kind in _SILENT:
        return ""  # told apart: as reasoning_content, and as tool_calls
    raise RelayMessagesError(f"{where}: its content has a part of type {kind!r}; only text can be relayed")


class _OpenCalls:
    """Which tool calls still wait for their result, while a history is read; of equal ids, each for its own."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str | None, str]] = []
        self._invalid: list[str | None] = []
        self._caller = ""

    def see(self, message: BaseMessage, where: str) -> None:
        if isinstance(message, ToolMessage):
            self._answer(message.tool_call_id, where)
            return
        self.end()
        if isinstance(message, AIMessage):
            self._waiting = [(call["id"], call["name"]) for call in message.tool_calls]
            self._invalid = [call["id"] for call in message.invalid_tool_calls]  # may be answered, need not be
            self._caller = where

    def _answer(self, identity: str, where: str) -> None:
        found = next((call for call in self._waiting if call[0] == identity), None)
        if found is not None:
            self._waiting.remove(found)
        elif identity in self._invalid:
            self._invalid.remove(identity)
        else:
            raise RelayMessagesError(
                f"{where}: a tool result for the call {identity!r}, which no AI message before it makes, or not as "
                "often; keep the AI message with its tool_calls in the history"
            )

    def end(self) -> None:
        if not self._waiting:
            return
        identity, name = self._waiting[0]
        more = f", nor {len(self._waiting) - 1} more" if len(self._waiting) > 1 else ""
        raise RelayMessagesError(
            f"{self._caller}: it calls {name!r} ({identity!r}), and no tool message answers that call{more}; "
            "add a ToolMessage with that tool_call_id behind it"
        )
