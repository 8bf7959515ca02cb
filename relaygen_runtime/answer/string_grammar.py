"""What fits a schema of type string.

Owns length, pattern and format, of which one at a time can be held (a pattern's own length counts).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from relaygen_runtime.answer.ebnf import Expr, Ranges
from relaygen_runtime.answer.formats import FORMATS, WITHOUT_MEANING
from relaygen_runtime.answer.patterns import Pattern, PatternError, read_pattern
from relaygen_runtime.answer.schema_source import counts, refuse, shown
from relaygen_runtime.answer.strings import bounded_string, quoted

if TYPE_CHECKING:
    from relaygen_runtime.answer.schema_grammar import SchemaGrammar

__all__ = ["string_expr"]

_LONGEST: Final = 20_000


def string_expr(grammar: SchemaGrammar, schema: Mapping[str, Any], place: str) -> Expr:
    """The grammar of a string."""
    low, high = counts(schema, "minLength", "maxLength", place)
    if max(low, high or 0) > _LONGEST:
        refuse(place, f"lengths above {_LONGEST} cannot be counted", "leave the length out and check it afterwards")
    pattern = _pattern(schema, place, grammar.avoided)
    if pattern is None:
        if low == 0 and high is None:
            return grammar.string()
        return grammar.rules.add(bounded_string(low, high, grammar.avoided), "text")
    if pattern.low < low or (high is not None and (pattern.high is None or pattern.high > high)):
        which = "pattern" if "pattern" in schema else "format"
        refuse(
            place,
            f"minLength and maxLength cannot be held beside a {which} that allows other lengths",
            "write the length into the pattern, such as ^[a-z]{2,8}$, or leave it out",
        )
    return grammar.rules.add(quoted(pattern.inner), "text")


def _pattern(schema: Mapping[str, Any], place: str, avoided: Ranges) -> Pattern | None:
    pattern, form = schema.get("pattern"), schema.get("format")
    if form is not None and not (isinstance(form, str) and (form in FORMATS or form in WITHOUT_MEANING)):
        refuse(
            f"{place}.format", f"{shown(form)} cannot be held", f"use one of {', '.join(sorted(FORMATS))}, or a pattern"
        )
    if form in WITHOUT_MEANING:
        form = None
    if pattern is None:
        return None if form is None else read_pattern(f"^({FORMATS[form]})$")
    if form is not None:
        refuse(f"{place}.format", "a format and a pattern at once cannot be held", "keep one of them")
    if not isinstance(pattern, str):
        refuse(f"{place}.pattern", f"{shown(pattern)} is no text", "give a regular expression")
    try:
        return read_pattern(pattern, avoided)
    except PatternError as error:
        refuse(f"{place}.pattern", f"{pattern!r}: {error}", "write the pattern without it, or check it afterwards")
