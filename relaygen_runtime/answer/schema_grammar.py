"""From a JSON schema to the grammar of its texts: all that is written fits the schema, or the schema is refused.

Owns types, unions, references and values; objects, arrays, strings and numbers have files of their own. A schema
that is read here comes whole into the grammar (which may allow less than it, never more), or raises. Properties come in
the schema's order, and what an object does not list it does not get, unless ``additionalProperties`` says so.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from relaygen_runtime.answer.array_grammar import array_expr
from relaygen_runtime.answer.ebnf import Expr, Rules, either, json_literal, literal, sequence
from relaygen_runtime.answer.keywords import HELD, KEYWORDS_OF, NOTES, REFUSED, TYPES
from relaygen_runtime.answer.number_grammar import number_expr
from relaygen_runtime.answer.numbers import FREE_NUMBER
from relaygen_runtime.answer.object_grammar import object_expr
from relaygen_runtime.answer.schema_source import SchemaSource, refuse
from relaygen_runtime.answer.string_grammar import string_expr
from relaygen_runtime.answer.strings import free_string
from relaygen_runtime.answer.unions import shared_tag

__all__ = ["SchemaGrammar", "schema_grammar"]

_MOST_VALUES: Final = 1_000
_DEEPEST: Final = 64
# White space between tokens: none, one space, or a new line with its indentation.
_SPACE: Final = '("" | " " | "\\n" " "{0,16})'


def schema_grammar(schema: Any, where: str, excludes: Sequence[str] = ()) -> tuple[str, int]:
    """The grammar of the JSON texts that fit a schema.

    Args:
        schema: The schema.
        where: Its place, for messages.
        excludes: Texts that no string may hold.

    Returns:
        The grammar, and the characters of the shortest text.

    Raises:
        SchemaError: The schema holds something that the grammar cannot.
    """
    reader = SchemaGrammar(schema, where, excludes)
    root = reader.schema(schema, where)
    return reader.rules.grammar(root), root.shortest


class SchemaGrammar:
    """One schema being read.

    Attributes:
        rules: The rules so far.
        source: The schema, for references.
        space: White space between tokens.
    """

    def __init__(self, root: Any, where: str, excludes: Sequence[str]) -> None:
        self.rules = Rules()
        self.source = SchemaSource(root)
        self.space = self.rules.add(Expr(_SPACE, 0), "space")
        self._where = where
        self._excludes = tuple(excludes)
        self._string: Expr | None = None
        self._anything: Expr | None = None
        self._referred: dict[str, Expr] = {}
        self._open: list[str] = ["#"]
        self._depth = 0

    def schema(self, schema: Any, place: str) -> Expr:
        """What fits a schema."""
        if schema is True:
            return self.anything()
        if schema is False:
            refuse(place, "nothing fits a schema that is false", "leave the place out")
        if not isinstance(schema, Mapping) or not all(isinstance(name, str) for name in schema):
            refuse(place, f"{schema!r} is no JSON schema", "give a mapping such as {'type': 'string'}")
        self._depth += 1
        if self._depth > _DEEPEST:
            refuse(place, f"it is nested more than {_DEEPEST} levels deep", "flatten it")
        _refuse_keywords(schema, place)
        expr = self._shape(schema, place)
        self._depth -= 1
        return expr

    def _shape(self, schema: Mapping[str, Any], place: str) -> Expr:
        if "$ref" in schema:
            _refuse_beside(schema, "$ref", (), place)
            return self._reference(schema["$ref"], place)
        if "enum" in schema or "const" in schema:
            return self._values(schema, place)
        for union in ("anyOf", "oneOf", "allOf"):
            if union in schema:
                _refuse_beside(schema, union, ("type",), place)
                return self._union(schema, union, place)
        kinds = _types(schema, place)
        if kinds is None:
            kinds = _implied_types(schema, place)
        return either([self._typed(schema, kind, place) for kind in kinds]) if kinds else self.anything()

    def _typed(self, schema: Mapping[str, Any], kind: str, place: str) -> Expr:
        if kind == "object":
            return object_expr(self, schema, place)
        if kind == "array":
            return array_expr(self, schema, place)
        if kind == "string":
            return string_expr(self, schema, place)
        if kind in ("integer", "number"):
            return self.rules.add(number_expr(schema, kind, place), "number")
        return either([literal("true"), literal("false")]) if kind == "boolean" else literal("null")

    def _reference(self, reference: Any, place: str) -> Expr:
        name, target = self.source.target(reference, place)
        if name in self._open:
            refuse(
                f"{place}.$ref",
                f"{reference!r} is recursive: it leads back into itself",
                "write the levels out to a fixed depth, or take that part as a string",
            )
        if name not in self._referred:
            self._referred[name] = self.rules.add(self.inside(name, target), "shared")
        return self._referred[name]

    def inside(self, name: str, target: Any) -> Expr:
        """What fits the schema behind a reference, which may not lead back there."""
        self._open.append(name)
        expr = self.schema(target, name)
        self._open.pop()
        return expr

    def _values(self, schema: Mapping[str, Any], place: str) -> Expr:
        """An enum, a const, or both."""
        _refuse_beside(schema, "enum and const" if "enum" in schema else "const", ("enum", "const", "type"), place)
        values = schema.get("enum", [schema.get("const")])
        if not isinstance(values, Sequence) or isinstance(values, str):
            refuse(f"{place}.enum", f"{values!r} is no list of values", "give a list")
        if len(values) > _MOST_VALUES:
            refuse(
                f"{place}.enum",
                f"it has {len(values)} values, and more than {_MOST_VALUES} take seconds to compile",
                "take a string and check it afterwards",
            )
        kinds = _types(schema, place)
        texts = [_json(value, place) for value in values]
        if "const" in schema:
            texts = [text for text in texts if text == _json(schema["const"], place)]
        kept = [text for text in texts if kinds is None or any(_is(json.loads(text), kind) for kind in kinds)]
        if not kept:
            refuse(place, "no value is left that fits all of enum, const and type", "give one that does")
        for text in kept:
            self.refuse_excluded(text, place)
        return self.rules.add(either([json_literal(json.loads(text)) for text in dict.fromkeys(kept)]), "value")

    def refuse_excluded(self, text: str, place: str) -> None:
        """Refuse a fixed text that holds a special token."""
        for excluded in self._excludes:
            if excluded in text:
                refuse(place, f"it holds {excluded!r}, a special token of the models", "leave that out")

    def _union(self, schema: Mapping[str, Any], union: str, place: str) -> Expr:
        parts = schema[union]
        where = f"{place}.{union}"
        if not isinstance(parts, Sequence) or isinstance(parts, str) or not parts:
            refuse(where, f"{parts!r} is no list of schemas", "give one schema or more")
        if union == "allOf" and len(parts) > 1:
            refuse(where, "schemas that all have to fit are not supported", "merge them into one schema")
        if "type" in schema:
            parts = [self._with_type(part, schema["type"], f"{where}[{at}]") for at, part in enumerate(parts)]
        if union == "oneOf" and len(parts) > 1:
            tag = shared_tag(self.source, parts, where)
            if tag is not None:
                return either([self._tagged(part, tag, f"{where}[{at}]") for at, part in enumerate(parts)])
        return either([self.schema(part, f"{where}[{at}]") for at, part in enumerate(parts)])

    def _with_type(self, part: Any, kind: Any, place: str) -> Any:
        """A part of a union that has a type beside it."""
        behind = self.source.behind(part, place)
        if not isinstance(behind, Mapping):
            return part
        if "type" not in behind and "$ref" not in part:
            return {**part, "type": kind}
        if behind.get("type") != kind:
            refuse(
                place, f"it does not say that its type is {kind!r}, as the schema around it does", "say it here alone"
            )
        return part

    def _tagged(self, part: Any, tag: str, place: str) -> Expr:
        """An object of a oneOf, with the property that tells it from the others."""
        target, name = part, ""
        while "$ref" in target:
            _refuse_beside(target, "$ref", (), place)
            name, target = self.source.target(target["$ref"], place)
            if name in self._open:
                self._reference(part["$ref"], place)
        required = list(target.get("required", ()))
        needed = {**target, "required": required if tag in required else [*required, tag]}
        return self.inside(name, needed) if name else self.schema(needed, place)

    def string(self) -> Expr:
        """Any string."""
        if self._string is None:
            self._string = self.rules.add(free_string(self.rules, self._excludes), "string")
        return self._string

    def anything(self) -> Expr:
        """Any JSON value."""
        if self._anything is None:
            value = self._anything = self.rules.declare("value", 1)
            pair = sequence([self.string(), literal(":"), literal(" ").times(0, 1), value])
            collection = []
            for begin, item, end in (("{", pair, "}"), ("[", value, "]")):
                more = sequence([literal(","), self.space, item]).times(0, None)
                inner = sequence([self.space, item, more, self.space]).times(0, 1)
                collection.append(self.rules.add(sequence([literal(begin), inner, literal(end)]), "free"))
            plain = [literal(text) for text in ("true", "false", "null")]
            self.rules.define(value, either([self.string(), FREE_NUMBER, *collection, *plain]).text)
        return self._anything


def _refuse_keywords(schema: Mapping[str, Any], place: str) -> None:
    for name in schema:
        if name in REFUSED:
            refuse(f"{place}.{name}", "it is not supported", REFUSED[name])
        if name not in HELD and name not in NOTES:
            near = difflib.get_close_matches(name, sorted(HELD | REFUSED.keys()), n=1, cutoff=0.85)
            if near:
                refuse(f"{place}.{name}", "no such keyword exists", f"did you mean {near[0]!r}?")


def _refuse_beside(schema: Mapping[str, Any], keyword: str, allowed: Sequence[str], place: str) -> None:
    """Refuse what restricts beside a keyword that stands for the whole schema."""
    for name in schema:
        if name in HELD and name not in allowed and name != keyword:
            refuse(f"{place}.{name}", f"it cannot be held beside {keyword}", f"move it into what {keyword} names")


def _types(schema: Mapping[str, Any], place: str) -> list[str] | None:
    """The types that are named."""
    if "type" not in schema:
        return None
    named = schema["type"]
    kinds = [named] if isinstance(named, str) else named
    if not isinstance(kinds, Sequence) or not kinds or not all(kind in TYPES for kind in kinds):
        refuse(f"{place}.type", f"{named!r} is no JSON type", f"use {', '.join(TYPES)}, or a list of them")
    # Every integer is a number.
    return [kind for kind in dict.fromkeys(kinds) if not (kind == "integer" and "number" in kinds)]


def _implied_types(schema: Mapping[str, Any], place: str) -> list[str]:
    """The type that the keywords are about; none: anything fits."""
    kinds = [kind for kind, names in KEYWORDS_OF.items() if any(name in schema for name in names)]
    if len(kinds) > 1:
        refuse(place, f"it has keywords for {' and '.join(kinds)} but no type", "say which type it has")
    return kinds


def _json(value: Any, place: str) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        refuse(place, f"{value!r} is no JSON value ({error})", "use texts, finite numbers, True, False, None and such")


def _is(value: Any, kind: str) -> bool:
    """Whether a JSON value is of a type."""
    if isinstance(value, bool) or value is None:
        return kind == ("null" if value is None else "boolean")
    if isinstance(value, int | float):
        return kind == "number" or (kind == "integer" and float(value).is_integer())
    return isinstance(value, {"string": str, "array": list, "object": dict}.get(kind, ()))
