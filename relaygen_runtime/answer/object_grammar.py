"""What fits a schema of type object.

Owns properties (in the schema's order, the optional ones may be missing) and further keys. Further keys are never those
of a listed property, so that none is overwritten. Refuses numbers of properties that keys written twice would evade.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from relaygen_runtime.answer.ebnf import EMPTY, Expr, either, json_literal, literal, sequence
from relaygen_runtime.answer.patterns import PatternError, read_pattern
from relaygen_runtime.answer.schema_source import counts, refuse, refuse_beside, refuse_keywords, shown
from relaygen_runtime.answer.string_grammar import string_expr
from relaygen_runtime.answer.strings import other_key, quoted

if TYPE_CHECKING:
    from relaygen_runtime.answer.schema_grammar import SchemaGrammar

__all__ = ["object_expr"]

_OF_NAMES: Final = ("pattern", "minLength", "maxLength", "format")


@dataclass(frozen=True, slots=True)
class _Property:
    pair: Expr
    required: bool


def object_expr(grammar: SchemaGrammar, schema: Mapping[str, Any], place: str) -> Expr:
    """The grammar of an object."""
    listed, required = _listed(schema, place)
    names = schema.get("propertyNames")
    values = schema.get("additionalProperties", None if "properties" not in schema and not required else False)
    key: Expr | None
    if "patternProperties" in schema:
        key, values, where = _by_pattern(grammar, schema, listed, place)
    elif names is not None:
        where = f"{place}.additionalProperties"
        key, listed = _by_name(grammar, names, listed, values, place)
        values = False if key is None else values
    else:
        key, where = None, f"{place}.additionalProperties"
    missing = [name for name in required if name not in listed]
    if missing and (values is False or key is not None):
        refuse(f"{place}.required", f"{missing[0]!r} is required but is no property", "list it under properties")
    if values is None:
        values = True
    listed = {**listed, **dict.fromkeys(missing, values)}
    for name in listed:
        grammar.refuse_excluded(name, f"{place}.properties.{name}")
    properties = [
        _Property(_pair(grammar, name, value, f"{place}.properties.{name}"), name in required)
        for name, value in listed.items()
        if _possible(value, name, required, place)
    ]
    extra = None
    if values is not False:
        key = key or grammar.rules.add(other_key(grammar.rules, listed, grammar.avoided), "key")
        extra = sequence([key, literal(":"), literal(" ").times(0, 1), grammar.schema(values, where)])
    return _written(grammar, schema, properties, extra, place)


def _listed(schema: Mapping[str, Any], place: str) -> tuple[dict[str, Any], Sequence[str]]:
    """The properties that are listed, and the names that are required."""
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or not all(isinstance(name, str) for name in properties):
        refuse(f"{place}.properties", f"{properties!r} is no mapping of names to schemas", "give one")
    required = schema.get("required", ())
    if isinstance(required, str) or not isinstance(required, Sequence) or not all(isinstance(n, str) for n in required):
        refuse(
            f"{place}.required", f"{required!r} is no list of names", "list the required properties beside properties"
        )
    return dict(properties), list(dict.fromkeys(required))


def _possible(value: Any, name: str, required: Sequence[str], place: str) -> bool:
    """Whether a property may occur at all: one whose schema is false may not."""
    if value is False and name in required:
        refuse(f"{place}.properties.{name}", "it is required, and nothing fits it", "drop one of both")
    return value is not False


def _pair(grammar: SchemaGrammar, name: str, value: Any, place: str) -> Expr:
    return sequence([json_literal(name), literal(":"), literal(" ").times(0, 1), grammar.schema(value, place)])


def _by_pattern(
    grammar: SchemaGrammar, schema: Mapping[str, Any], listed: Mapping[str, Any], place: str
) -> tuple[Expr, Any, str]:
    """Key, value and place of a patternProperties that is all there is."""
    where = f"{place}.patternProperties"
    patterns = schema["patternProperties"]
    if not isinstance(patterns, Mapping) or len(patterns) != 1 or listed or schema.get("additionalProperties", False):
        refuse(where, "it holds only where it is one pattern, alone", "use properties, or additionalProperties")
    if "propertyNames" in schema:
        refuse(f"{place}.propertyNames", "it cannot be held beside patternProperties", "drop one of both")
    ((pattern, value),) = patterns.items()
    try:
        key = quoted(read_pattern(str(pattern), grammar.avoided).inner)
    except PatternError as error:
        refuse(f"{where}.{pattern}", str(error), "write the pattern without it")
    return key, value, f"{where}.{pattern}"


def _by_name(
    grammar: SchemaGrammar, names: Any, listed: dict[str, Any], values: Any, place: str
) -> tuple[Expr | None, dict[str, Any]]:
    """The keys that propertyNames allows: as further properties where they are listed, as a key otherwise."""
    where = f"{place}.propertyNames"
    if listed:
        refuse(where, "it cannot be held beside properties", "drop one of both")
    behind, seen = names, set()
    while isinstance(behind, Mapping) and "$ref" in behind:
        refuse_beside(behind, "$ref", (), where)
        name, behind = grammar.source.target(behind["$ref"], where)
        if name in seen:
            refuse(f"{where}.$ref", "it is recursive", "name the rule for names itself")
        seen.add(name)
    if not isinstance(behind, Mapping):
        refuse(where, f"{shown(behind)} says nothing of names", "use enum, pattern or lengths")
    refuse_keywords(behind, where)
    kind = behind.get("type", "string")
    fixed = "enum" in behind or "const" in behind
    if not (kind == "string" or (isinstance(kind, list | tuple) and "string" in kind)) or not (
        fixed or set(_OF_NAMES) & set(behind)
    ):
        refuse(where, "only enum, pattern, format and lengths hold for names", "use one of them")
    if not fixed:
        refuse_beside(behind, "a rule for names", ("type", *_OF_NAMES), where)
        return string_expr(grammar, behind, where), {}
    refuse_beside(behind, "enum and const", ("enum", "const", "type"), where)
    allowed = behind.get("enum", [behind.get("const")])
    if not isinstance(allowed, Sequence) or isinstance(allowed, str):
        refuse(f"{where}.enum", f"{shown(allowed)} is no list of names", "give a list")
    value = True if values is None else values
    said = [behind["const"]] if "const" in behind else allowed
    return None, {name: value for name in allowed if isinstance(name, str) and name in said}


def _written(
    grammar: SchemaGrammar, schema: Mapping[str, Any], properties: Sequence[_Property], extra: Expr | None, place: str
) -> Expr:
    needed = sum(item.required for item in properties)
    low, high = counts(schema, "minProperties", "maxProperties", place)
    nonempty = low > 0
    if low > max(1, needed) or (low and not properties and extra is None):
        refuse(
            f"{place}.minProperties",
            f"{low} properties cannot be counted",
            "say with required which ones there must be",
        )
    if properties and high is not None and (extra is not None or high < len(properties)):
        refuse(f"{place}.maxProperties", "it cannot be held beside listed properties", "leave it out")
    space, comma = grammar.space, sequence([literal(","), grammar.space])
    more = EMPTY
    first = []
    if extra is not None:
        rest = sequence([comma, extra])
        more = rest.times(0, None)
        if high != 0:
            first = [sequence([extra, rest.times(0, None if high is None else high - 1)])]
    empty_fits = not nonempty and needed == 0
    for item in reversed(properties):
        started = sequence([item.pair, more])
        first = [started] if item.required else [started, *first]
        follow = sequence([comma, item.pair])
        more = sequence([follow if item.required else follow.times(0, 1), more])
        # One rule for what follows each property keeps the grammar linear in their number.
        more = grammar.rules.add(more, "more")
    if not first:
        return literal("{}")
    inner = sequence([space, either(first), space])
    whole = sequence([literal("{"), inner.times(0, 1) if empty_fits else inner, literal("}")])
    return grammar.rules.add(whole, "object")
