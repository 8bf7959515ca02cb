r"""Regular expressions as grammar, for the inside of a JSON string.

Owns the translation of Python's parse of a pattern (jsonschema's and pydantic's reading of it agrees where it counts).
It may narrow, never widen: characters that a JSON string has to escape come only where the pattern names them, ``\d``
is 0-9, ``\w`` is ASCII. Refuses what no grammar of this kind holds: looking around, references, flags, anchors within.
"""

from __future__ import annotations

import re
from re import _constants, _parser  # type: ignore[attr-defined]  # the parser that `re` itself uses; no other is public
from typing import Any

from relaygen_runtime.answer.ebnf import (
    EMPTY,
    PLAIN,
    Expr,
    Ranges,
    character_class,
    either,
    literal,
    sequence,
    without,
)

__all__ = ["Pattern", "PatternError", "read_pattern"]

_MOST = 2_000
# Letters that are neither white space nor digits by anyone's reading, beside printable ASCII.
_KNOWN: Ranges = ((0x20, 0x7E), (0xC0, 0x24F), (0x391, 0x3A1), (0x3B1, 0x3C9), (0x410, 0x44F), (0x4E00, 0x9FFF))
_DIGIT = ((0x30, 0x39),)
_WORD = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE = ((0x20, 0x20),)
_POSITIVE = {"CATEGORY_DIGIT": _DIGIT, "CATEGORY_WORD": _WORD, "CATEGORY_SPACE": _SPACE}
_NEGATIVE = {"CATEGORY_NOT_DIGIT": _DIGIT, "CATEGORY_NOT_SPACE": _SPACE}
_ASCII: Ranges = ((0x20, 0x7E),)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class PatternError(ValueError):
    """A pattern that cannot be held; the message says what in it."""


class Pattern:
    """A pattern, translated.

    Attributes:
        inner: What may stand between the quotes.
        low: Characters of the shortest string.
        high: Characters of the longest one; None: no limit is known.
    """

    def __init__(self, inner: Expr, low: int, high: int | None) -> None:
        self.inner = inner
        self.low = low
        self.high = high


def read_pattern(pattern: str, less: Ranges = ()) -> Pattern:
    """Translate a pattern; where it is not anchored, any plain characters may stand before or after.

    Args:
        pattern: The pattern.
        less: Characters that may not be written as they are: escaped where the pattern names them, else left out.

    Raises:
        PatternError: It cannot be held.
    """
    try:
        parsed = _parser.parse(pattern)
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"Python's re cannot read it ({error})") from error
    if parsed.state.flags & ~re.UNICODE:
        raise PatternError("flags, such as (?i), are not supported")
    low, high = parsed.getwidth()
    anchored = _anchored_everywhere(list(parsed))
    return Pattern(_top(list(parsed), less), low, int(high) if anchored and high < int(_constants.MAXREPEAT) else None)


def _name(code: Any) -> str:
    return str(code)


def _anchors(nodes: list[Any]) -> tuple[bool, bool, list[Any]]:
    """Whether a sequence begins and ends with an anchor, and what stands between."""
    begins = (
        bool(nodes) and _name(nodes[0][0]) == "AT" and _name(nodes[0][1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING")
    )
    nodes = nodes[1:] if begins else nodes
    ends = bool(nodes) and _name(nodes[-1][0]) == "AT" and _name(nodes[-1][1]) in ("AT_END", "AT_END_STRING")
    return begins, ends, nodes[:-1] if ends else nodes


def _alternatives(nodes: list[Any]) -> list[list[Any]] | None:
    """The alternatives of a sequence that is nothing but alternatives, or a group of them."""
    if len(nodes) == 1 and _name(nodes[0][0]) == "BRANCH":
        return [list(part) for part in nodes[0][1][1]]
    if len(nodes) == 1 and _name(nodes[0][0]) == "SUBPATTERN" and not any(nodes[0][1][1:3]):
        inner = list(nodes[0][1][3])
        return _alternatives(inner) or [inner]
    return None


def _anchored_everywhere(nodes: list[Any], begun: bool = False, ended: bool = False) -> bool:
    begins, ends, inner = _anchors(nodes)
    begins, ends = begins or begun, ends or ended
    if begins and ends:
        return True
    parts = _alternatives(inner)
    return parts is not None and all(_anchored_everywhere(part, begins, ends) for part in parts)


def _top(nodes: list[Any], less: Ranges, begun: bool = False, ended: bool = False) -> Expr:
    """A pattern or one of its alternatives, of which the anchors may stand outside (`begun`, `ended`)."""
    begins, ends, inner = _anchors(nodes)
    begins, ends = begins or begun, ends or ended
    parts = _alternatives(inner)
    if parts is not None:
        return either([_top(part, less, begins, ends) for part in parts])
    around = character_class(without(PLAIN, less)).times(0, None)
    return sequence([EMPTY if begins else around, _sequence(inner, less), EMPTY if ends else around])


def _sequence(nodes: Any, less: Ranges) -> Expr:
    return sequence([_node(_name(code), value, less) for code, value in nodes])


def _node(code: str, value: Any, less: Ranges) -> Expr:
    if code == "LITERAL":
        return _characters(((value, value),), less)
    if code == "NOT_LITERAL":
        return _characters(without(PLAIN, [(value, value)]), less)
    if code == "ANY":
        return _characters(PLAIN, less)
    if code == "IN":
        return _set(value, less)
    if code == "BRANCH":
        return either([_sequence(part, less) for part in value[1]])
    if code == "SUBPATTERN":
        if value[1] or value[2]:
            raise PatternError("flags inside of groups are not supported")
        return _sequence(value[3], less)
    if code in ("MAX_REPEAT", "MIN_REPEAT"):
        low, high, inner = value
        if low > _MOST or _MOST < high < _constants.MAXREPEAT:
            raise PatternError(f"a repetition of more than {_MOST} times is not supported")
        return _sequence(inner, less).times(int(low), None if high == _constants.MAXREPEAT else int(high))
    raise PatternError(f"{_REFUSED.get(code, 'a construct of this kind')} is not supported")


_REFUSED = {
    "ASSERT": "looking ahead or behind",
    "ASSERT_NOT": "looking ahead or behind",
    "AT": r"an anchor or \b inside of the pattern",
    "GROUPREF": "a reference to a group",
    "GROUPREF_EXISTS": "a reference to a group",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repetition",
}


def _set(items: Any, less: Ranges) -> Expr:
    r"""A class in brackets, or ``\d`` and its kind."""
    negated = bool(items) and _name(items[0][0]) == "NEGATE"
    ranges: list[tuple[int, int]] = []
    base = PLAIN
    for code, value in items[1:] if negated else items:
        kind = _name(code)
        if kind == "LITERAL":
            ranges.append((value, value))
        elif kind == "RANGE":
            ranges.append(value)
        elif _name(value) in _POSITIVE:
            ranges += _POSITIVE[_name(value)]
            # Without the others' digits and spaces: whoever checks may count them in.
            base = _ASCII if _name(value) == "CATEGORY_WORD" or base is _ASCII else _KNOWN
        elif negated:
            raise PatternError("a negated class inside of a negated one is not supported")
        elif _name(value) in _NEGATIVE:
            ranges += without(_KNOWN, _NEGATIVE[_name(value)])
        else:
            ranges += without(_ASCII, _WORD)
    return _characters(without(_plain(base), ranges) if negated else tuple(sorted(ranges)), less)


def _plain(ranges: Ranges) -> Ranges:
    return without(ranges, [(34, 34), (92, 92)])


def _characters(ranges: Ranges, less: Ranges) -> Expr:
    """One character: plain ones as they are, the named ones among the others as the escapes that JSON has for them."""
    control = [(0, 0x1F), (34, 34), (92, 92), (0xD800, 0xDFFF)]
    plain = without(ranges, [*control, *less])
    parts = [character_class(plain)] if plain else []
    single = {low for low, high in ranges if high - low <= 1} | {high for low, high in ranges if high - low <= 1}
    parts += [literal(escape) for char, escape in _ESCAPES.items() if ord(char) in single]
    parts += [literal(f"\\u{low:04x}") for low, high in less if low == high and low in single]
    if not parts:
        raise PatternError("a character that JSON strings cannot hold is not supported")
    # An escape is one character of the string.
    return either([Expr(part.text, 1) for part in parts])
