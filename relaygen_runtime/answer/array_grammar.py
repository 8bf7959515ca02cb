"""What fits a schema of type array.

Owns items, tuples and their number. A tuple (``prefixItems``) is written whole, though a schema may allow less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relaygen_runtime.answer.ebnf import EMPTY, Expr, literal, sequence
from relaygen_runtime.answer.schema_source import counts, refuse

if TYPE_CHECKING:
    from relaygen_runtime.answer.schema_grammar import SchemaGrammar

__all__ = ["array_expr"]

_MOST = 10_000


def array_expr(grammar: SchemaGrammar, schema: Mapping[str, Any], place: str) -> Expr:
    """The grammar of an array."""
    if schema.get("uniqueItems"):
        refuse(
            f"{place}.uniqueItems", "no grammar remembers items", "leave it out and drop what comes twice afterwards"
        )
    low, high = counts(schema, "minItems", "maxItems", place)
    if max(low, high or 0) > _MOST:
        refuse(place, f"more than {_MOST} items cannot be counted", "leave the number out and check it afterwards")
    prefix = schema.get("prefixItems", ())
    if not isinstance(prefix, Sequence) or isinstance(prefix, str):
        refuse(f"{place}.prefixItems", f"{prefix!r} is no list of schemas", "give a list")
    if isinstance(schema.get("items"), Sequence):
        refuse(f"{place}.items", "a list of schemas is the form of an older draft", "call it prefixItems")
    first = [grammar.schema(item, f"{place}.prefixItems[{at}]") for at, item in enumerate(prefix)]
    item = _further(grammar, schema, place, needed=low > len(first))
    first = first[:high]
    low, high = max(low - len(first), 0), None if high is None else high - len(first)
    if item is None and low:
        refuse(f"{place}.minItems", "there are not so many items", "lower it, or allow more items")
    return _listed(grammar, first, item, low, high)


def _further(grammar: SchemaGrammar, schema: Mapping[str, Any], place: str, *, needed: bool) -> Expr | None:
    """What the items behind the first are; None: there are none."""
    if "items" in schema:
        return None if schema["items"] is False else grammar.schema(schema["items"], f"{place}.items")
    return grammar.anything() if needed or "prefixItems" not in schema else None


def _listed(grammar: SchemaGrammar, first: Sequence[Expr], item: Expr | None, low: int, high: int | None) -> Expr:
    comma = sequence([literal(","), grammar.space])
    parts = [part for at, expr in enumerate(first) for part in ((comma, expr) if at else (expr,))]
    if item is not None and high != 0:
        more = sequence([comma, item])
        if parts:
            parts.append(more.times(low, high))
        else:
            rest = more.times(max(low - 1, 0), None if high is None else high - 1)
            parts = [sequence([grammar.space, item, rest, grammar.space])]
            inner = parts[0] if low else parts[0].times(0, 1)
            return grammar.rules.add(sequence([literal("["), inner, literal("]")]), "array")
    inner = sequence([grammar.space, *parts, grammar.space]) if parts else EMPTY
    return grammar.rules.add(sequence([literal("["), inner, literal("]")]), "array")
