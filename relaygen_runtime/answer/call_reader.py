"""Reads one tool call, from behind its opening tag to its closing tag, a character at a time.

Owns the little grammar of the envelope: a JSON object with a name and arguments, in either order. It never looks ahead
and never raises: what does not fit breaks the call, which then ends at the next tag. Braces, quotes and tags inside
strings are text. Refuses: tags outside of calls, which `tool_calls` finds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Final

from relaygen_runtime.answer.call_events import AnswerPart, ArgumentsDelta, CallFinished, CallStarted, InvalidCall
from relaygen_runtime.answer.call_events import ToolCall as Call
from relaygen_runtime.answer.tool_formats import CALL_CLOSE, CALL_OPEN

__all__ = ["CallReader"]

_SPACE: Final = " \t\n\r"
_CLOSERS: Final = {"{": "}", "[": "]"}
_CUT_SHORT: Final = "the answer ends inside the call"


class _At(Enum):
    """Where the reader stands."""

    OBJECT = auto()
    FIRST_KEY = auto()
    NEXT_KEY = auto()
    KEY = auto()
    COLON = auto()
    VALUE = auto()
    TEXT = auto()
    NESTED = auto()
    SCALAR = auto()
    COMMA = auto()
    CLOSE_TAG = auto()
    BROKEN = auto()


class CallReader:
    """Reader of one call.

    Attributes:
        over: The call has ended; what follows belongs to the answer again.
        reopened: It ended because another call's opening tag stands where it should have gone on.

    Args:
        index: The call's number.
        call_id: Its identity.
    """

    def __init__(self, index: int, call_id: str) -> None:
        self.over = False
        self.reopened = False
        self._index = index
        self._id = call_id
        self._at = _At.OBJECT
        self._raw: list[str] = [CALL_OPEN]
        self._name: str | None = None
        self._arguments: str | None = None
        self._error = ""
        self._parts: list[AnswerPart] = []
        self._key = ""
        self._token: list[str] = []
        self._escaped = False
        self._in_string = False
        self._closers: list[str] = []
        self._told = 0
        self._tag = 0
        self._steps: dict[_At, Callable[[str], None]] = {
            _At.OBJECT: self._object,
            _At.FIRST_KEY: self._before_key,
            _At.NEXT_KEY: self._before_key,
            _At.KEY: self._text,
            _At.COLON: self._colon,
            _At.VALUE: self._value,
            _At.TEXT: self._text,
            _At.NESTED: self._nested,
            _At.SCALAR: self._scalar,
            _At.COMMA: self._comma,
            _At.CLOSE_TAG: self._close_tag,
            _At.BROKEN: self._broken,
        }

    def feed(self, text: str, start: int) -> int:
        """Read from `start` until the call or the text is over.

        Returns:
            The position behind the last character read.
        """
        for position in range(start, len(text)):
            self._raw.append(text[position])
            self._steps[self._at](text[position])
            if self.over:
                return position + 1
        return len(text)

    def take(self) -> list[AnswerPart]:
        """What there is to say since the last time."""
        self._tell_arguments()
        parts, self._parts = self._parts, []
        return parts

    def finish(self) -> None:
        """The answer is over. A call that lacks nothing but its closing tag is whole."""
        if self._at is _At.CLOSE_TAG:
            self._complete()
        else:
            self._invalid(self._error or _CUT_SHORT, "".join(self._raw))

    def _tell_arguments(self) -> None:
        """Say what has come of the arguments, once the name is known."""
        if self._name is None:
            return
        if self._arguments is not None:
            text = self._arguments[self._told :]
        elif self._key == "arguments" and self._at is _At.NESTED:
            text = "".join(self._token[self._told :])
        else:
            return
        if text:
            self._parts.append(ArgumentsDelta(self._index, text))
            self._told += len(text)

    def _complete(self) -> None:
        self._tell_arguments()
        self._parts.append(CallFinished(Call(self._index, self._id, self._name or "", self._arguments or "")))
        self.over = True

    def _invalid(self, error: str, text: str) -> None:
        self._parts.append(InvalidCall(self._index, self._id, self._name, text, error))
        self.over = True

    def _break(self, error: str) -> None:
        self._tell_arguments()
        self._error = error
        self._at = _At.BROKEN
        # The character that broke it may be the last of a tag.
        self._broken(self._raw[-1])

    def _object(self, char: str) -> None:
        if char == "{":
            self._at = _At.FIRST_KEY
        elif char not in _SPACE:
            self._break(f"expected a JSON object, found {char!r}")

    def _before_key(self, char: str) -> None:
        if char == '"':
            self._token, self._at = [char], _At.KEY
        elif char == "}" and self._at is _At.FIRST_KEY:
            self._close_object()
        elif char not in _SPACE:
            self._break(f"expected a key in quotes, found {char!r}")

    def _text(self, char: str) -> None:
        """A character of a key, or of a value that is a string."""
        self._token.append(char)
        if char < " ":
            self._break("a line break or control character stands in a string")
        elif self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == '"':
            if self._at is _At.TEXT:
                self._end_value()
                return
            key = _parsed("".join(self._token))
            if isinstance(key, str):
                self._key, self._at = key, _At.COLON
            else:
                self._break("a key is no JSON string")

    def _colon(self, char: str) -> None:
        if char == ":":
            if self._key == "name" and self._name is not None:
                self._break("the name is given twice")
            elif self._key == "arguments" and self._arguments is not None:
                self._break("the arguments are given twice")
            else:
                self._at = _At.VALUE
        elif char not in _SPACE:
            self._break(f"expected ':' after a key, found {char!r}")

    def _value(self, char: str) -> None:
        if char in _SPACE:
            return
        self._token = [char]
        if self._key == "name" and char != '"':
            self._break("the name is no string")
        elif self._key == "arguments" and char != "{":
            self._break("the arguments are no JSON object")
        elif char == '"':
            self._at = _At.TEXT
        elif char in _CLOSERS:
            self._closers, self._at = [_CLOSERS[char]], _At.NESTED
        elif char.isalnum() or char == "-":
            self._at = _At.SCALAR
        else:
            self._break(f"expected a value, found {char!r}")

    def _nested(self, char: str) -> None:
        """A character of an object or array."""
        if self._in_string:
            if char < " ":
                self._break("a line break or control character stands in a string")
                return
            if self._escaped:
                self._escaped = False
            elif char == "\\":
                self._escaped = True
            elif char == '"':
                self._in_string = False
        elif char == '"':
            self._in_string = True
        elif char in _CLOSERS:
            self._closers.append(_CLOSERS[char])
        elif char in "]}":
            if self._closers[-1] != char:
                self._break(f"expected {self._closers[-1]!r}, found {char!r}")
                return
            self._closers.pop()
        elif char in "<>":
            self._break(f"{char!r} stands outside of a string")
            return
        self._token.append(char)
        if not self._closers:
            self._end_value()

    def _scalar(self, char: str) -> None:
        if char in _SPACE or char in ",}":
            if self._end_value():
                self._comma(char)
        elif char.isalnum() or char in "+-.":
            self._token.append(char)
        else:
            self._break(f"{char!r} stands in a number or word")

    def _end_value(self) -> bool:
        """Take the value that is complete; whether it is sound."""
        text = "".join(self._token)
        value = _parsed(text)
        if isinstance(value, _Unsound):
            self._break(f"the value of {self._key!r} is no JSON: {value.why}")
            return False
        if self._key == "arguments":
            self._arguments = text
        elif self._key == "name":
            if not value:
                self._break("the name is empty")
                return False
            self._name = str(value)
            self._parts.append(CallStarted(self._index, self._id, self._name))
        self._at = _At.COMMA
        return True

    def _comma(self, char: str) -> None:
        if char == ",":
            self._at = _At.NEXT_KEY
        elif char == "}":
            self._close_object()
        elif char not in _SPACE:
            self._break(f"expected ',' or '}}', found {char!r}")

    def _close_object(self) -> None:
        if self._name is None:
            self._break("it names no tool")
            return
        if self._arguments is None:
            self._arguments = "{}"
        self._at = _At.CLOSE_TAG

    def _close_tag(self, char: str) -> None:
        if char == CALL_CLOSE[self._tag]:
            self._tag += 1
            if self._tag == len(CALL_CLOSE):
                self._complete()
        elif self._tag or char not in _SPACE:
            self._break(f"expected {CALL_CLOSE} after the call, found {char!r}")

    def _broken(self, char: str) -> None:
        """Nothing fits any more: the call ends at the next tag."""
        if char != ">":
            return
        end = "".join(self._raw[-len(CALL_CLOSE) :])
        if end == CALL_CLOSE:
            self._invalid(self._error, "".join(self._raw))
        elif end.endswith(CALL_OPEN):
            self.reopened = True
            self._invalid(self._error, "".join(self._raw)[: -len(CALL_OPEN)])


class _Unsound:
    """Stands for a value that is no JSON."""

    def __init__(self, why: str) -> None:
        self.why = why


def _parsed(text: str) -> Any:
    """The JSON value, or `_Unsound`: also where Python's parser would let pass what is no JSON or no text."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return _Unsound("it holds half a character")
    except RecursionError:
        return _Unsound("it is nested too deeply")
    except ValueError as error:
        return _Unsound(str(error))
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
