"""What the reader of an answer says while it reads: content, and tool calls as they come.

Owns the records: frozen, a closed union. Every character of an answer is content, part of a call, part of an invalid
call, or white space beside a call.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

__all__ = [
    "AnswerPart",
    "ArgumentsDelta",
    "CallFinished",
    "CallStarted",
    "ContentDelta",
    "InvalidCall",
    "ParsedAnswer",
    "ToolCall",
]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A whole tool call.

    Attributes:
        index: Its number in the answer, from 0; invalid calls count too.
        id: Its identity, made up where it was read: models write none.
        name: The tool's name.
        arguments: The arguments: the text of a JSON object, as it was written.
    """

    index: int
    id: str
    name: str
    arguments: str

    @property
    def parsed(self) -> dict[str, Any]:
        """The arguments as a dictionary, made anew each time."""
        value: dict[str, Any] = json.loads(self.arguments)
        return value


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """Text of the answer that belongs to no call."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call began, and its name is known."""

    index: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """A piece of the JSON text of a call's arguments; all of one index joined are `ToolCall.arguments`."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call is whole: its arguments are a JSON object."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class InvalidCall:
    """A call that is malformed or was cut short.

    Attributes:
        index: Its number in the answer.
        id: Its identity; the same as in its `CallStarted`, if there was one.
        name: The tool's name, if it was read.
        text: All of it, as it was written, from the opening tag on.
        error: What is wrong.
    """

    index: int
    id: str
    name: str | None
    text: str
    error: str


AnswerPart = ContentDelta | CallStarted | ArgumentsDelta | CallFinished | InvalidCall


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer, read.

    Attributes:
        content: The text outside of calls, without the white space beside them.
        tool_calls: The calls that are whole, in order.
        invalid_calls: Those that are not.
    """

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    invalid_calls: tuple[InvalidCall, ...] = ()
