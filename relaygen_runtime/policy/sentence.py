"""Where a sentence ends, found while the text arrives, with as little looking ahead as the case allows.

A terminator (``. ! ?``) ends a sentence when white space follows it, closing quotes, brackets or asterisks in between
allowed; the full-width ones end it at once; so does a blank line. What looks like an end and is none: decimals, list
numbers, abbreviations, factorials, addresses, method calls, an ellipsis that goes on in lower case. Most are settled by
the next character, a few by the next visible one. The text before the terminator is looked at once, when it comes.
Whether a place is inside code or mathematics is told from outside. Refuses to know any language's grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

from relaygen_runtime.policy.abbreviations import ALWAYS, BEFORE_DIGIT, BEFORE_LOWER

__all__ = ["TERMINATORS", "SentenceEnds"]

_AT_ONCE: Final = frozenset("。！？｡")
_SPACED: Final = frozenset(".!?…")
TERMINATORS: Final = _AT_ONCE | _SPACED | {"\n"}
"""Text without these, read while nothing is pending, holds no end."""

_CLOSERS: Final = frozenset("\"'”’»)]}*_」』】）")
_OPENERS: Final = frozenset("\"“‘«'#")
_LOOK_BEHIND: Final = 32

# At a line's start any number or letter counts, at the segment's a single digit, within a line what a list begins with:
# "So, x. Then", "So, 16. Then" and "the sum is: 70. Then" hold sentences.
_LIST_NUMBER: Final = re.compile(
    r"\n[\s>#*_\-]*(?:\(?\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})$|^[\s>#*_\-]*\(?\d$|:\s*\(?1$|;\s*\(?\d$"
)
_LAST_WORD: Final = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")


class _Rule(Enum):
    """What still has to be seen before a terminator ends its sentence."""

    NEVER = 0
    SPACE = 1
    NOT_LOWER = 2
    NOT_DIGIT = 3
    CAPITAL = 4


class _Wait(Enum):
    NOTHING = 0
    SPACE = 1
    VISIBLE = 2


def _rule(terminator: str, before: str) -> _Rule:
    """Judge a terminator by the text before it, which begins at the segment's start at the earliest."""
    if terminator == "…":
        return _Rule.CAPITAL
    if terminator == "?":
        return _Rule.SPACE
    word = _LAST_WORD.search(before)
    if terminator == "!":
        # "5!", "n!" and "(n - 1)!" are factorials unless a new sentence visibly begins after them.
        maybe_factorial = before[-1:].isdigit() or before[-1:] in (")", "]", "}") or (word and len(word[0]) == 1)
        return _Rule.CAPITAL if maybe_factorial else _Rule.SPACE
    if _LIST_NUMBER.search(before):
        return _Rule.NEVER
    if word is None:
        return _Rule.SPACE
    if word[0].isupper() and len(word[0]) > 1:
        # "EG" and "CA" are segments of a figure, not abbreviations; those with dots inside may end a sentence.
        return _Rule.NOT_LOWER if "." in word[0] else _Rule.SPACE
    name = word[0].lower()
    if name in ALWAYS:
        return _Rule.NEVER
    if name in BEFORE_DIGIT:
        return _Rule.NOT_DIGIT
    return _Rule.NOT_LOWER if name in BEFORE_LOWER else _Rule.SPACE


def _ends(rule: _Rule, visible: str) -> bool:
    """Whether a sentence that waits under the rule ends before this visible character."""
    if rule is _Rule.NOT_LOWER:
        return not visible.islower() and visible not in ",;:)"
    if rule is _Rule.NOT_DIGIT:
        return not visible.isdigit() and visible != "#"
    return (visible.isalpha() and not visible.islower()) or visible in _OPENERS


class SentenceEnds:
    """Reads one small segment.

    Attributes:
        pending: A terminator waits for what follows.
        touched: The last text read holds (a part of) the ending that is pending or just confirmed: its terminator, or
            the quotes and brackets after it.
    """

    __slots__ = ("_dots", "_line_blank", "_rule", "_visible", "_wait", "pending", "touched")

    def __init__(self) -> None:
        self.pending = False
        self.touched = False
        self._wait = _Wait.NOTHING
        self._rule = _Rule.NEVER
        self._dots = False
        self._visible = False
        self._line_blank = False

    def fork(self) -> SentenceEnds:
        """A reader that stands at the same place."""
        copy = SentenceEnds()
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        return copy

    def skip(self, text: str) -> None:
        """Read text that holds no terminator while nothing is pending."""
        self.touched = False
        if (self._line_blank or not self._visible) and not text.isspace():
            self._line_blank = False
            self._visible = True

    def push(self, text: str, shields: Sequence[bool], in_code: bool, behind: Callable[[int], str]) -> bool:
        """Read one token's text.

        Args:
            text: The text.
            shields: For each character whether it lies in code or mathematics.
            in_code: The text ends inside code, where a blank line ends nothing.
            behind: Gives the last n characters of this segment before `text`.

        Returns:
            A sentence ends: in this text if `touched`, else where the pending one stood.
        """
        self.touched = False
        for at, character in enumerate(text):
            if self._wait is not _Wait.NOTHING and self._resolve(character):
                return True
            if (
                self._wait is _Wait.NOTHING
                and character in TERMINATORS
                and self._begin(text, at, shields, in_code, behind)
            ):
                return True
            if character == "\n":
                self._line_blank = True
            elif not character.isspace():
                self._line_blank = False
                self._visible = True
        self.pending = self._wait is not _Wait.NOTHING
        return False

    def _begin(self, text: str, at: int, shields: Sequence[bool], in_code: bool, behind: Callable[[int], str]) -> bool:
        """Meet a terminator while nothing is pending."""
        character = text[at]
        if character == "\n":
            # White space before the first word is no paragraph that ended.
            self.touched = self._line_blank and self._visible and not in_code and not shields[at]
            return self.touched
        if shields[at]:
            return False
        if character in _AT_ONCE:
            self.touched = True
            return True
        self._rule = _rule(character, behind(_LOOK_BEHIND) + text[:at])
        self._dots = character == "."
        self._wait = _Wait.SPACE
        self.touched = True
        return False

    def _resolve(self, character: str) -> bool:
        """Judge the character after a terminator; may leave nothing pending."""
        if self._wait is _Wait.SPACE:
            if character.isspace():
                if self._rule is _Rule.SPACE:
                    return True
                self._wait = _Wait.NOTHING if self._rule is _Rule.NEVER else _Wait.VISIBLE
                return False
            if character in _AT_ONCE:
                self.touched = True
                return True
            if character in _SPACED:
                self.touched = True
                if character != ".":
                    self._rule = _Rule.SPACE if character == "?" else self._rule
                elif self._dots:
                    self._rule = _Rule.CAPITAL
            elif character in _CLOSERS:
                self.touched = True
            else:
                self._wait = _Wait.NOTHING
            self._dots = character == "."
            return False
        if character.isspace():
            return character == "\n" and self._line_blank
        self._wait = _Wait.NOTHING
        return _ends(self._rule, character)
