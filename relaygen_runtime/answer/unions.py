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

__all__ = ["shared_tag"]


def shared_tag(source: SchemaSource, parts: Sequence[Any], place: str) -> str | None:
    """The property that tells objects apart, if that is what is needed.

    Returns:
        Its name (it has to be required then); None where types or values tell them apart.

    Raises:
        SchemaError: Two of the schemas may fit the same value.
    """
    behind = [source.behind(part, place) for part in parts]
    pairs = [(a, b) for a, b in itertools.combinations(behind, 2) if not _apart(a, b)]
    if not pairs:
        return None
    for name in _properties(behind[0]):
        values = [_values(source.behind(_properties(part).get(name), place)) for part in behind]
        if all(values) and all(a.isdisjoint(b) for a, b in itertools.combinations(values, 2)):
            return name
    raise SchemaError(
        place,
        "more than one of them may fit the same value",
        "use anyOf, or give each a property with a value of its own (const)",
    )


def _apart(a: Any, b: Any) -> bool:
    kinds_a, kinds_b = _kinds(a), _kinds(b)
    if kinds_a.isdisjoint(kinds_b):
        return True
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
    number = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if number else value, sort_keys=True, default=repr)


def _kinds(schema: Any) -> set[str]:
    """The types that may fit; an integer counts as a number."""
    if not isinstance(schema, Mapping):
        return set(TYPES)
    named = schema.get("type")
    if named is None and _values(schema):
        named = [_kind(json.loads(value)) for value in _values(schema)]
    if named is None:
        named = [kind for kind, names in KEYWORDS_OF.items() if any(name in schema for name in names)]
    kinds = {named} if isinstance(named, str) else {kind for kind in named if isinstance(kind, str)}
    return {"number" if kind == "integer" else kind for kind in kinds} or set(TYPES)


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    kinds = {int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return kinds[type(value)]
