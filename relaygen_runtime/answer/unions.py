"""Whether the schemas of a ``oneOf`` can be told apart: then at most one of them ever fits, as it has to be.

Owns the comparison: by type, by fixed values, or by a property with fixed values (a tag). Refuses what it cannot tell
apart, since a text that fits two of them fits no ``oneOf``.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from relaygen_runtime.answer.keywords import KEYWORDS_OF, TYPES
from relaygen_runtime.answer.schema_source import SchemaSource
from relaygen_runtime.errors import SchemaError

__all__ = ["Kinds", "kinds_of", "shared_tag", "widened"]

Kinds = tuple[str, ...]
"""Types, in no certain order."""

_DEEPEST = 8


def shared_tag(source: SchemaSource, parts: Sequence[Any], place: str, only: Kinds | None = None) -> str | None:
    """The property that tells objects apart, if that is what is needed.

    Args:
        source: What references lead into.
        parts: The schemas.
        place: Where they stand, for messages.
        only: The types that are written; None: all.

    Returns:
        Its name (it has to be required then); None where types or values tell them apart.

    Raises:
        SchemaError: Two of the schemas may fit the same value.
    """
    behind = [source.behind(part, place) for part in parts]
    among = widened(TYPES if only is None else only)
    fitting = [kinds_of(source, part, place) & among for part in behind]
    pairs = list(itertools.combinations(range(len(behind)), 2))
    if all(fitting[a].isdisjoint(fitting[b]) or _values_apart(behind[a], behind[b]) for a, b in pairs):
        return None
    written = [kinds & (_implied(part) if only is None else kinds) for kinds, part in zip(fitting, behind, strict=True)]
    if all((written[a] & fitting[b]) | (written[b] & fitting[a]) <= {"object"} for a, b in pairs):
        for name in _properties(behind[0]):
            values = [_values(source.behind(_properties(part).get(name), place)) for part in behind]
            if all(values) and all(a.isdisjoint(b) for a, b in itertools.combinations(values, 2)):
                return name
    raise SchemaError(
        place,
        "more than one of them may fit the same value",
        "say the type of each, use anyOf, or give each a property with a value of its own (const)",
    )


def widened(kinds: Sequence[str]) -> frozenset[str]:
    """The types, with integer beside number: every integer is a number."""
    return frozenset(kinds) | (frozenset({"integer"}) if "number" in kinds else frozenset())


def kinds_of(source: SchemaSource, schema: Any, place: str, depth: int = 0) -> frozenset[str]:
    """The types of what may fit a schema: every type, where it does not say."""
    every = frozenset(TYPES)
    schema = source.behind(schema, place)
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return every
    named = schema.get("type")
    listed = [named] if isinstance(named, str) else named
    kinds = widened(TYPES if not isinstance(listed, Sequence) else [kind for kind in TYPES if kind in listed]) or every
    values = _values(schema)
    if values:
        kinds &= widened([_kind(json.loads(value)) for value in values])
    for union in ("anyOf", "oneOf", "allOf"):
        parts = schema.get(union)
        if isinstance(parts, Sequence) and not isinstance(parts, str) and parts:
            kinds &= frozenset().union(*(kinds_of(source, part, place, depth + 1) for part in parts))
    return kinds


def _implied(schema: Any) -> frozenset[str]:
    """The types that the grammar writes for a schema, as far as its keywords tell."""
    if not isinstance(schema, Mapping) or "type" in schema:
        return frozenset(TYPES)
    named = [kind for kind, names in KEYWORDS_OF.items() if any(name in schema for name in names)]
    return widened(named or TYPES)


def _values_apart(a: Any, b: Any) -> bool:
    values_a, values_b = _values(a), _values(b)
    return bool(values_a and values_b) and values_a.isdisjoint(values_b)


def _properties(schema: Any) -> Mapping[str, Any]:
    found = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def _values(schema: Any) -> set[str]:
    """The fixed values of a schema, as texts that are equal where JSON Schema finds them equal."""
    if not isinstance(schema, Mapping):
        return set()
    listed = [schema["const"]] if "const" in schema else schema.get("enum", ())
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return set()
    return {_same(value) for value in listed}


def _same(value: Any) -> str:
    try:
        return json.dumps(_plain(value), sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        # No JSON, which is refused where the value is read.
        return "null"


def _plain(value: Any) -> Any:
    """The value, with numbers that are whole as integers, however deep."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    kinds = {int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return kinds[type(value)]
