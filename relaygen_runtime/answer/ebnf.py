"""Grammar text: expressions and rules in xgrammar's EBNF, with the length of the shortest text of each.

Owns spelling (literals, character classes) and the book of rules. Knows nothing of schemas.

A class may hold only characters that stand for themselves in a JSON string: then a string of bounded length is one
repeated class, whose token masks are precomputed. (A repeated alternative, such as "a character or an escape", took
xgrammar 0.2.8 seconds a token.)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = [
    "EMPTY",
    "PLAIN",
    "Expr",
    "Ranges",
    "Rules",
    "character_class",
    "either",
    "json_literal",
    "literal",
    "sequence",
    "without",
]

Ranges = tuple[tuple[int, int], ...]
"""Code points, as sorted ranges with both ends included."""


@dataclass(frozen=True, slots=True)
class Expr:
    """A piece of grammar.

    Attributes:
        text: In EBNF; safe to stand in a sequence or under a repetition.
        shortest: Characters of the shortest text that it matches.
    """

    text: str
    shortest: int

    def times(self, low: int, high: int | None) -> Expr:
        """Itself, `low` to `high` times (None: any number)."""
        if high == 0:
            return EMPTY
        if (low, high) == (1, 1):
            return self
        sign = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((low, high))
        bounds = sign or ("{%d,%s}" % (low, "" if high is None else high))  # noqa: UP031  (braces)
        return Expr(
            f"({self.text}){bounds}" if not _is_atom(self.text) else f"{self.text}{bounds}", low * self.shortest
        )


EMPTY: Final = Expr('""', 0)


def _is_atom(text: str) -> bool:
    return text[0] == "[" and text.find("]") == len(text) - 1


def literal(text: str) -> Expr:
    """This very text."""
    return Expr('"' + "".join(map(_quoted, text)) + '"', len(text))


def _quoted(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if " " <= char <= "~" else _code(ord(char))


def _code(point: int) -> str:
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def character_class(ranges: Ranges) -> Expr:
    """One character of these."""
    parts = (_code(low) if low == high else f"{_code(low)}-{_code(high)}" for low, high in ranges)
    return Expr(f"[{''.join(parts)}]", 1)


def without(ranges: Ranges, points: Iterable[tuple[int, int]]) -> Ranges:
    """The ranges less others."""
    left = list(ranges)
    for low, high in points:
        left = [
            part
            for begin, end in left
            for part in ((begin, min(end, low - 1)), (max(begin, high + 1), end))
            if part[0] <= part[1]
        ]
    return tuple(left)


PLAIN: Final[Ranges] = without(((0x20, 0xD7FF), (0xE000, 0x10FFFF)), [(34, 34), (92, 92)])
"""What stands for itself in a JSON string: no quote, no backslash, no control character, no half character."""


def sequence(parts: Sequence[Expr]) -> Expr:
    """One after the other."""
    said = [part for part in parts if part is not EMPTY]
    if not said:
        return EMPTY
    text = said[0].text if len(said) == 1 else "(" + " ".join(part.text for part in said) + ")"
    return Expr(text, sum(part.shortest for part in said))


def either(parts: Sequence[Expr]) -> Expr:
    """One of them."""
    if len(parts) == 1:
        return parts[0]
    return Expr("(" + " | ".join(part.text for part in parts) + ")", min(part.shortest for part in parts))


class Rules:
    """The rules of one grammar, each under a name of its own."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._known: dict[str, Expr] = {}

    def add(self, expr: Expr, name: str = "r") -> Expr:
        """A rule for this expression; the reference to it. The same expression is one rule."""
        known = self._known.get(expr.text)
        if known is None:
            known = self._known[expr.text] = self.declare(name, expr.shortest)
            self.define(known, expr.text)
        return known

    def declare(self, name: str, shortest: int) -> Expr:
        """A reference to a rule that `define` is going to fill."""
        unique = f"{name}_{len(self._rules)}"
        self._rules[unique] = ""
        return Expr(unique, shortest)

    def define(self, reference: Expr, text: str) -> None:
        """Fill a declared rule."""
        self._rules[reference.text] = text

    def grammar(self, root: Expr) -> str:
        """The whole text."""
        return "".join([f"root ::= {root.text}\n", *(f"{name} ::= {text}\n" for name, text in self._rules.items())])


def json_literal(value: Any) -> Expr:
    """A JSON value, written as models write it."""
    return literal(json.dumps(value, ensure_ascii=False, allow_nan=False))
