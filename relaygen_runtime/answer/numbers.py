"""Integers and numbers with bounds as grammar: the digits are compared, from the left.

Owns the translation of bounds. Numbers may be narrowed, never widened: an integer has at most 18 digits, a number with
bounds no exponent, and no more decimals than a double keeps apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from relaygen_runtime.answer.ebnf import EMPTY, Expr, character_class, either, literal, sequence

__all__ = ["FREE_INTEGER", "FREE_NUMBER", "Bounds", "integer_between", "number_between"]

_MOST_DIGITS = 18
_DIGIT = character_class(((48, 57),))
_NONZERO = character_class(((49, 57),))
_MINUS = literal("-")
_POINT = literal(".")

FREE_INTEGER = Expr(f'("0" | "-"? [1-9] [0-9]{{0,{_MOST_DIGITS - 1}}})', 1)
FREE_NUMBER = Expr('("-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})? ([eE] [+\\-]? [0-9]{1,2})?)', 1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a number must lie between; None is no bound.

    Attributes:
        low: The lower bound.
        high: The upper bound.
        low_open: The lower bound itself is excluded.
        high_open: The upper bound itself is excluded.
    """

    low: Decimal | None = None
    high: Decimal | None = None
    low_open: bool = False
    high_open: bool = False

    @property
    def none(self) -> bool:
        """There is no bound."""
        return self.low is None and self.high is None

    @property
    def empty(self) -> bool:
        """No number lies between."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    @property
    def whole(self) -> tuple[int | None, int | None]:
        """The least and the greatest integer between."""
        low = None if self.low is None else math.ceil(self.low) + (self.low_open and self.low == math.ceil(self.low))
        high = (
            None
            if self.high is None
            else math.floor(self.high) - (self.high_open and self.high == math.floor(self.high))
        )
        return low, high

    def mirrored(self) -> Bounds:
        """The bounds of the number with the other sign."""
        return Bounds(
            None if self.high is None else -self.high,
            None if self.low is None else -self.low,
            self.high_open,
            self.low_open,
        )


def integer_between(low: int | None, high: int | None) -> Expr | None:
    """Integers from `low` to `high`, both included; None: there is none that can be written."""
    if low is None and high is None:
        return FREE_INTEGER
    parts: list[Expr] = []
    if high is None or high >= 0:
        parts += _natural(max(low or 0, 0) if low is not None else 0, high)
    if low is None or low < 0:
        magnitudes = _natural(1 if high is None or high >= 0 else -high, None if low is None else -low)
        if magnitudes:
            parts.append(sequence([_MINUS, either(magnitudes)]))
    return either(parts) if parts else None


def _natural(low: int, high: int | None) -> list[Expr]:
    """Alternatives for natural numbers without leading zeros."""
    top = 10**_MOST_DIGITS - 1 if high is None else min(high, 10**_MOST_DIGITS - 1)
    parts: list[Expr] = []
    while low <= top:
        digits = len(str(low))
        end = min(top, 10**digits - 1)
        if low == 10 ** (digits - 1) and low > 0 and end == 10**digits - 1:
            # Whole decades, up to the last one that is whole, are one alternative.
            last = digits
            while 10 ** (last + 1) - 1 <= top:
                last += 1
            parts.append(sequence([_NONZERO, _DIGIT.times(digits - 1, last - 1)]))
            low = 10**last
        else:
            parts.append(_same_length(str(low), str(end)))
            low = end + 1
    return parts


def _same_length(low: str, high: str) -> Expr:
    """Digit strings of one length, from `low` to `high`."""
    if not low:
        return EMPTY
    if low == high:
        return literal(low)
    if low == "0" * len(low) and high == "9" * len(high):
        return _DIGIT.times(len(low), len(low))
    if low[0] == high[0]:
        return sequence([literal(low[0]), _same_length(low[1:], high[1:])])
    rest = len(low) - 1
    first, last = int(low[0]), int(high[0])
    parts: list[Expr] = []
    if low[1:] != "0" * rest:
        parts.append(sequence([literal(low[0]), _same_length(low[1:], "9" * rest)]))
        first += 1
    tail: list[Expr] = []
    if high[1:] != "9" * rest:
        tail.append(sequence([literal(high[0]), _same_length("0" * rest, high[1:])]))
        last -= 1
    if first <= last:
        parts.append(sequence([_digits(first, last), _DIGIT.times(rest, rest)]))
    return either(parts + tail)


def _digits(low: int, high: int) -> Expr:
    return character_class(((48 + low, 48 + high),))


def number_between(bounds: Bounds) -> Expr | None:
    """Decimal numbers within bounds; None: there is none that can be written."""
    if bounds.none:
        return FREE_NUMBER
    if bounds.empty:
        return None
    parts: list[Expr] = []
    if bounds.high is None or bounds.high >= 0:
        parts += _magnitudes(bounds)
    if bounds.low is None or bounds.low < 0:
        negative = _magnitudes(_positive(bounds.mirrored()))
        if negative:
            parts.append(sequence([_MINUS, either(negative)]))
    return either(parts) if parts else None


def _positive(bounds: Bounds) -> Bounds:
    """The same, above zero."""
    if bounds.low is None or bounds.low < 0:
        return Bounds(Decimal(0), bounds.high, True, bounds.high_open)
    return Bounds(bounds.low, bounds.high, bounds.low_open or bounds.low == 0, bounds.high_open)


def _magnitudes(bounds: Bounds) -> list[Expr]:
    """Alternatives for numbers of no sign, within bounds."""
    low, low_open = (bounds.low, bounds.low_open) if bounds.low is not None and bounds.low >= 0 else (Decimal(0), False)
    high, high_open = bounds.high, bounds.high_open
    if high is not None and (high < low or (high == low and (low_open or high_open))):
        return []
    low_whole, low_part = _split(low)
    high_whole, high_part = (None, "") if high is None else _split(high)
    decimals, last = _decimals(low_whole, low_part), 0 if high_whole is None else _decimals(high_whole, high_part)
    if high_whole == low_whole:
        fraction = _fraction(low_part, low_open, high_part, high_open, max(decimals, last))
        return [sequence([literal(str(low_whole)), part]) for part in fraction]
    parts = [sequence([literal(str(low_whole)), part]) for part in _fraction(low_part, low_open, None, False, decimals)]
    between = _natural(low_whole + 1, None if high_whole is None else high_whole - 1)
    if between:
        near = high_open and high_whole is not None and high_whole < 10**_MOST_DIGITS
        # 999999.9999999999 is a million to a double: next to an open end there are fewer decimals.
        parts.append(sequence([either(between), _some(min(decimals, last) if near else decimals)]))
    if high_whole is not None and high_whole < 10**_MOST_DIGITS:
        below = _fraction("", False, high_part, high_open, last)
        parts += [sequence([literal(str(high_whole)), part]) for part in below]
    return parts


def _split(value: Decimal) -> tuple[int, str]:
    """Whole part, and the decimals without trailing zeros."""
    whole, _, part = f"{value:f}".partition(".")
    return int(whole), part.rstrip("0")


def _decimals(whole: int, part: str) -> int:
    """How many decimals may be written: as many as the bound has, and some more where a double keeps them apart."""
    return max(len(part), min(10, 15 - len(str(whole))), 1)


def _some(decimals: int) -> Expr:
    """Any decimals, or none."""
    return sequence([_POINT, _DIGIT.times(1, decimals)]).times(0, 1)


def _fraction(low: str, low_open: bool, high: str | None, high_open: bool, most: int) -> list[Expr]:
    """Alternatives for what follows the whole part: nothing, or a point and decimals between two bounds.

    Bounds are decimals without trailing zeros; ``high`` None is no bound.
    """
    if not low and not low_open and high is None:
        return [_some(most)]
    parts: list[Expr] = []
    if not low and not low_open and not (high == "" and high_open):
        # The whole number itself.
        parts.append(EMPTY)
    parts += [sequence([_POINT, digits]) for digits in _between(low, low_open, high, high_open, most)]
    return parts


def _between(low: str, low_open: bool, high: str | None, high_open: bool, most: int) -> list[Expr]:
    """Alternatives for one to `most` decimals between two bounds, read as 0.low and 0.high."""
    if most <= 0:
        return []
    parts: list[Expr] = []
    first_low = int(low[0]) if low else 0
    first_high = (int(high[0]) if high else 0) if high is not None else 9
    for digit in range(first_low, first_high + 1):
        rest_low = low[1:] if digit == first_low else ""
        is_low = digit == first_low
        is_high = high is not None and digit == first_high
        rest_high = (high or "")[1:] if is_high else None
        # Ending here stands for zeros from here on.
        at_end: list[Expr] = []
        above = not is_low or (not rest_low and not low_open)
        below = not is_high or bool(rest_high) or not high_open
        if above and below:
            at_end.append(EMPTY)
        deeper = (
            _between(rest_low, low_open and is_low, rest_high, high_open and is_high, most - 1)
            if (is_low and (rest_low or low_open)) or is_high
            else ([_DIGIT.times(1, most - 1)] if most > 1 else [])
        )
        tails = at_end + deeper
        if tails:
            parts.append(sequence([literal(str(digit)), _optional(tails)]))
    return parts


def _optional(tails: list[Expr]) -> Expr:
    """One of these, of which the empty one may be the first."""
    if tails[0] is not EMPTY:
        return either(tails)
    return either(tails[1:]).times(0, 1) if len(tails) > 1 else EMPTY
