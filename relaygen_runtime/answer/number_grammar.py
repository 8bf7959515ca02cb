"""What fits a schema of type integer or number.

Owns the reading of bounds. Refuses ``multipleOf``, since no grammar divides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from relaygen_runtime.answer.ebnf import Expr
from relaygen_runtime.answer.formats import WITHOUT_MEANING
from relaygen_runtime.answer.numbers import Bounds, integer_between, number_between
from relaygen_runtime.answer.schema_source import refuse, shown

__all__ = ["number_expr"]

_MOST_BITS: Final = 1_000
_WHOLE_FROM: Final = 2**53
_KEPT_APART: Final = 15
_MACHINE: Final = {"int32": 31, "int64": 63}


def number_expr(schema: Mapping[str, Any], kind: str, place: str) -> Expr:
    """The grammar of an integer or number."""
    multiple = schema.get("multipleOf")
    if multiple is not None and not (multiple == 1 and kind == "integer"):
        refuse(
            f"{place}.multipleOf", "no grammar divides", "leave it out and check it afterwards, or list values in enum"
        )
    bounds = _bounds(schema, kind, place)
    form, named = schema.get("format"), schema.get("type", ())
    if isinstance(form, str) and form in _MACHINE:
        bounds = _tighter(bounds, Bounds(Decimal(-(2 ** _MACHINE[form])), Decimal(2 ** _MACHINE[form] - 1)))
    elif form is not None and form not in WITHOUT_MEANING and named and "string" not in named:
        refuse(f"{place}.format", f"{form!r} is not known for numbers", "leave it out, or use minimum and maximum")
    if kind == "integer":
        low, high = (None, None) if bounds.none else bounds.whole
        expr = None if bounds.empty else integer_between(low, high)
    else:
        _refuse_close(bounds, place)
        expr = number_between(bounds)
    if expr is None:
        refuse(place, f"no {kind} that can be written lies within its bounds", "correct minimum and maximum")
    return expr


def _bounds(schema: Mapping[str, Any], kind: str, place: str) -> Bounds:
    bounds = Bounds()
    for name, strict in (("minimum", False), ("exclusiveMinimum", True)):
        value = _number(schema, name, kind, place)
        if value is not None:
            bounds = _tighter(bounds, Bounds(low=value, low_open=strict))
    for name, strict in (("maximum", False), ("exclusiveMaximum", True)):
        value = _number(schema, name, kind, place)
        if value is not None:
            bounds = _tighter(bounds, Bounds(high=value, high_open=strict))
    return bounds


def _number(schema: Mapping[str, Any], name: str, kind: str, place: str) -> Decimal | None:
    value = schema.get(name)
    if value is None:
        return None
    finite = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if isinstance(value, bool) or not finite:
        refuse(f"{place}.{name}", f"{shown(value)} is no finite number", "give one")
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        refuse(f"{place}.{name}", "it is larger than any number that programs keep", "lower it, or leave it out")
    if isinstance(value, int) and kind == "number" and int(float(value)) != value:
        refuse(f"{place}.{name}", f"{value} is kept exactly by no double", f"use {int(float(value))}")
    # The shortest spelling of a double is not its value where it has no decimals left.
    return Decimal(int(value)) if abs(value) >= _WHOLE_FROM else Decimal(repr(value))


def _refuse_close(bounds: Bounds, place: str) -> None:
    """Refuse open bounds that what lies next to them would be rounded to."""
    if not (bounds.low_open or bounds.high_open):
        return
    texts = [f"{abs(end):f}".partition(".") for end in (bounds.low, bounds.high) if end is not None]
    digits = max(len(whole.lstrip("0")) for whole, _, _ in texts) + max(len(part.rstrip("0")) for _, _, part in texts)
    if digits > _KEPT_APART:
        refuse(
            place,
            f"bounds that are excluded hold only where they have at most {_KEPT_APART} digits, as doubles keep apart",
            "use minimum and maximum, or fewer digits",
        )


def _tighter(a: Bounds, b: Bounds) -> Bounds:
    """Both bounds at once."""
    low, low_open = max(
        _ends(a.low, a.low_open, b.low, b.low_open), key=lambda end: (end[0], end[1]), default=(None, False)
    )
    highs = _ends(a.high, a.high_open, b.high, b.high_open)
    high, high_open = min(highs, key=lambda end: (end[0], not end[1]), default=(None, False))
    return Bounds(low, high, low_open, high_open)


def _ends(a: Decimal | None, a_open: bool, b: Decimal | None, b_open: bool) -> list[tuple[Decimal, bool]]:
    return [(value, is_open) for value, is_open in ((a, a_open), (b, b_open)) if value is not None]
