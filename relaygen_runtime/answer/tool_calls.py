"""Reads tool calls out of an answer while it is being written.

Owns the finding of calls in text, and what of the white space beside them is content (before a call none; behind one
what separates it from text, where text came before). Refuses thinking: feed it the answer alone (`Phase.ANSWER`
without markup, or `RelayResult.answer`), since what a model tries out in its thinking is not a call. Never raises on
what a model wrote: a call that cannot be read ends in an `InvalidCall`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable

from relaygen_runtime.answer.call_events import (
    AnswerPart,
    ArgumentsDelta,
    CallFinished,
    CallStarted,
    ContentDelta,
    InvalidCall,
    ParsedAnswer,
    ToolCall,
)
from relaygen_runtime.answer.call_reader import CallReader
from relaygen_runtime.answer.tool_formats import CALL_OPEN, QWEN3
from relaygen_runtime.errors import ConfigurationError

__all__ = [
    "AnswerPart",
    "ArgumentsDelta",
    "CallFinished",
    "CallStarted",
    "ContentDelta",
    "InvalidCall",
    "ParsedAnswer",
    "ToolCall",
    "ToolCallParser",
    "parse_answer",
]


def _new_id() -> str:
    return f"call_{uuid.uuid4().hex[:24]}"


class ToolCallParser:
    """Reads one answer, however it is cut into pieces: what it says, joined, is the same.

    Args:
        tool_format: How the model writes calls (`Capabilities.tool_format`); None: everything is content.
        id_factory: Makes the identity of each call.

    Raises:
        ConfigurationError: The format is not known.
    """

    def __init__(self, tool_format: str | None = QWEN3, *, id_factory: Callable[[], str] = _new_id) -> None:
        if tool_format not in (None, QWEN3):
            raise ConfigurationError(f"tool_format: {tool_format!r} is not known; {QWEN3!r} or None is")
        self._reads = tool_format is not None
        self._new_id = id_factory
        self._held = ""
        self._call: CallReader | None = None
        self._count = 0
        self._has_content = False
        self._after_call = False

    def feed(self, text: str) -> list[AnswerPart]:
        """Read on.

        Args:
            text: What came next of the answer.

        Returns:
            What it comes to. Text that may be the beginning of a call, or white space beside one, is held back.
        """
        if not self._reads:
            return [ContentDelta(text)] if text else []
        parts: list[AnswerPart] = []
        while text:
            text = self._read_content(text, parts) if self._call is None else self._read_call(self._call, text, parts)
        return parts

    def finish(self) -> list[AnswerPart]:
        """The answer is over: say what was held back, and what became of a call that was begun."""
        parts: list[AnswerPart] = []
        if self._call is not None:
            self._call.finish()
            parts += self._call.take()
            self._call = None
        elif not (self._after_call and self._held.isspace()):
            self._tell(self._held, parts)
        self._held = ""
        return parts

    def _read_content(self, text: str, parts: list[AnswerPart]) -> str:
        """Read until a call opens; what is left of the text."""
        text = self._held + text
        before, tag, rest = text.partition(CALL_OPEN)
        if tag:
            self._held = ""
            self._tell(before.rstrip(), parts)
            self._open_call()
            return rest
        visible = len(text) - _beginning(text)
        visible = len(text[:visible].rstrip())
        self._held = text[visible:]
        self._tell(text[:visible], parts)
        return ""

    def _read_call(self, call: CallReader, text: str, parts: list[AnswerPart]) -> str:
        """Read until the call is over; what is left of the text."""
        end = call.feed(text, 0)
        parts += call.take()
        if call.over:
            self._call = None
            self._after_call = True
            if call.reopened:
                self._open_call()
        return text[end:]

    def _open_call(self) -> None:
        self._call = CallReader(self._count, self._new_id())
        self._count += 1

    def _tell(self, text: str, parts: list[AnswerPart]) -> None:
        if self._after_call and not self._has_content:
            text = text.lstrip()
        if text:
            self._has_content = True
            self._after_call = False
            parts.append(ContentDelta(text))


def parse_answer(
    text: str, tool_format: str | None = QWEN3, *, id_factory: Callable[[], str] = _new_id
) -> ParsedAnswer:
    """Read a whole answer.

    Args:
        text: The answer, without the thinking.
        tool_format: How the model writes calls; None: everything is content.
        id_factory: Makes the identity of each call.

    Raises:
        ConfigurationError: The format is not known.
    """
    parser = ToolCallParser(tool_format, id_factory=id_factory)
    return _gathered([*parser.feed(text), *parser.finish()])


def _gathered(parts: Iterable[AnswerPart]) -> ParsedAnswer:
    content: list[str] = []
    calls: list[ToolCall] = []
    invalid: list[InvalidCall] = []
    for part in parts:
        if isinstance(part, ContentDelta):
            content.append(part.text)
        elif isinstance(part, CallFinished):
            calls.append(part.call)
        elif isinstance(part, InvalidCall):
            invalid.append(part)
    return ParsedAnswer("".join(content), tuple(calls), tuple(invalid))


def _beginning(text: str) -> int:
    """How many characters at the end of the text may be the beginning of a call's tag."""
    for length in range(min(len(text), len(CALL_OPEN) - 1), 0, -1):
        if CALL_OPEN.startswith(text[-length:]):
            return length
    return 0
