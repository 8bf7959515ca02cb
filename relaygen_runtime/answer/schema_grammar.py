"""From a JSON schema to the grammar of its texts: all that is written fits the schema, or the schema is refused.

Owns types, unions, references and values; objects, arrays, strings and numbers have files of their own. A schema
that is read here comes whole into the grammar (which may allow less than it, never more), or raises. Properties come in
the schema's order, and what an object does not list it does not get, unless ``additionalProperties`` says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from relaygen_runtime.answer.array_grammar import array_expr
from relaygen_runtime.answer.ebnf import Expr, Ranges, Rules, either, json_literal, literal, sequence
from relaygen_runtime.answer.keywords import KEYWORDS_OF, TYPES
from relaygen_runtime.answer.number_grammar import number_expr
from relaygen_runtime.answer.numbers import FREE_NUMBER
from relaygen_runtime.answer.object_grammar import object_expr
from relaygen_runtime.answer.schema_source import (
    SchemaSource,
    refuse,
    refuse_beside,
    refuse_half,
    refuse_keywords,
    shown,
)
from relaygen_runtime.answer.string_grammar import string_expr
from relaygen_runtime.answer.strings import free_string
from relaygen_runtime.answer.tool_formats import CALL_OPEN
from relaygen_runtime.answer.unions import Kinds, kinds_of, shared_tag, widened

__all__ = ["SchemaGrammar", "schema_grammar"]

_MOST_VALUES: Final = 1_000
_DEEPEST: Final = 64
# White space between tokens: none, one space, or a new line with its indentation.
_SPACE: Final = '("" | " " | "\\n" " "{0,16})'


def schema_grammar(schema: Any, where: str, excludes: Sequence[str] = (), *, objects: bool = False) -> tuple[str, int]:
    """The grammar of the JSON texts that fit a schema.

    Args:
        schema: The schema.
        where: Its place, for messages.
        excludes: Texts that no string may hold.
        objects: Of what fits, objects alone.

    Returns:
        The grammar, and the characters of the shortest text.

    Raises:
        SchemaError: The schema holds something that the grammar cannot.
    """
    reader = SchemaGrammar(schema, where, excludes)
    if objects and "object" not in kinds_of(reader.source, schema, where):
        refuse(where, "the arguments of a call are an object", "give type: object")
    root = reader.schema(schema, where, ("object",) if objects else None)
    return reader.rules.grammar(root), root.shortest


class SchemaGrammar:
    """One schema being read.

    Attributes:
        rules: The rules so far.
        source: The schema, for references.
        space: White space between tokens.
        excludes: Texts that no string may hold.
        avoided: Characters that stand in no string of a certain length or form, since one of those texts begins so.
    """

    def __init__(self, root: Any, where: str, excludes: Sequence[str]) -> None:
        self.rules = Rules()
        self.source = SchemaSource(root)
        self.space = self.rules.add(Expr(_SPACE, 0), "space")
        self._where = where
        self.excludes = tuple(excludes)
        self.avoided: Ranges = tuple((point, point) for point in sorted({ord(text[0]) for text in excludes}))
        self._string: Expr | None = None
        self._anything: Expr | None = None
        self._referred: dict[tuple[str, Kinds | None], Expr] = {}
        self._open: list[str] = ["#"]
        self._depth = 0

    def schema(self, schema: Any, place: str, only: Kinds | None = None) -> Expr:
        """What fits a schema; of that, what is of these types alone."""
        if schema is True:
            return self.anything() if only is None else either([self._typed({}, kind, place) for kind in only])
        if schema is False:
            refuse(place, "nothing fits a schema that is false", "leave the place out")
        if not isinstance(schema, Mapping) or not all(isinstance(name, str) for name in schema):
            refuse(place, f"{schema!r} is no JSON schema", "give a mapping such as {'type': 'string'}")
        self._depth += 1
        if self._depth > _DEEPEST:
            refuse(place, f"it is nested more than {_DEEPEST} levels deep", "flatten it")
        refuse_keywords(schema, place)
        expr = self._shape(schema, place, only)
        self._depth -= 1
        return expr

    def _shape(self, schema: Mapping[str, Any], place: str, only: Kinds | None) -> Expr:
        if "$ref" in schema:
            refuse_beside(schema, "$ref", (), place)
            return self._reference(schema["$ref"], place, only)
        kinds = _within(_types(schema, place), only)
        if kinds == ():
            refuse(place, f"nothing that fits it is of type {' or '.join(only or ())}", "correct the type")
        if "enum" in schema or "const" in schema:
            return self._values(schema, kinds, place)
        for union in ("anyOf", "oneOf", "allOf"):
            if union in schema:
                refuse_beside(schema, union, ("type",), place)
                return self._union(schema, union, kinds, place)
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

    def _reference(self, reference: Any, place: str, only: Kinds | None) -> Expr:
        name, target = self.source.target(reference, place)
        if name in self._open:
            refuse(
                f"{place}.$ref",
                f"{reference!r} is recursive: it leads back into itself",
                "write the levels out to a fixed depth, or take that part as a string",
            )
        if (name, only) not in self._referred:
            self._referred[name, only] = self.rules.add(self._inside(name, target, only), "shared")
        return self._referred[name, only]

    def _inside(self, name: str, target: Any, only: Kinds | None) -> Expr:
        """What fits the schema behind a reference, which may not lead back there."""
        self._open.append(name)
        expr = self.schema(target, name, only)
        self._open.pop()
        return expr

    def _values(self, schema: Mapping[str, Any], kinds: Kinds | None, place: str) -> Expr:
        """An enum, a const, or both."""
        refuse_beside(schema, "enum and const" if "enum" in schema else "const", ("enum", "const", "type"), place)
        values = schema.get("enum", [schema.get("const")])
        if not isinstance(values, Sequence) or isinstance(values, str):
            refuse(f"{place}.enum", f"{shown(values)} is no list of values", "give a list")
        if len(values) > _MOST_VALUES:
            refuse(
                f"{place}.enum",
                f"it has {len(values)} values, and more than {_MOST_VALUES} take seconds to compile",
                "take a string and check it afterwards",
            )
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
        """Refuse a fixed text that holds what may not be written."""
        for excluded in self.excludes:
            if excluded in text:
                what = "which begins a call beside tools" if excluded == CALL_OPEN else "a special token of the models"
                refuse(place, f"it holds {excluded!r}, {what}", "leave that out")
        refuse_half(text, place)

    def _union(self, schema: Mapping[str, Any], union: str, only: Kinds | None, place: str) -> Expr:
        parts = schema[union]
        where = f"{place}.{union}"
        if not isinstance(parts, Sequence) or isinstance(parts, str) or not parts:
            refuse(where, f"{parts!r} is no list of schemas", "give one schema or more")
        if union == "allOf" and len(parts) > 1:
            refuse(where, "schemas that all have to fit are not supported", "merge them into one schema")
        held = [
            (part, f"{where}[{at}]")
            for at, part in enumerate(parts)
            if only is None or not kinds_of(self.source, part, where).isdisjoint(widened(only))
        ]
        if not held:
            refuse(where, f"nothing that fits is of type {' or '.join(only or ())}", "correct the types")
        if union == "oneOf" and len(held) > 1:
            tag = shared_tag(self.source, [part for part, _ in held], where, only)
            if tag is not None:
                return either([self._tagged(part, tag, at, only) for part, at in held])
        return either([self.schema(part, at, only) for part, at in held])

    def _tagged(self, part: Any, tag: str, place: str, only: Kinds | None) -> Expr:
        """An object of a oneOf, with the property that tells it from the others."""
        target, name = part, ""
        while "$ref" in target:
            refuse_beside(target, "$ref", (), place)
            name, target = self.source.target(target["$ref"], place)
            if name in self._open:
                self._reference(part["$ref"], place, only)
        required = list(target.get("required", ()))
        needed = {**target, "required": required if tag in required else [*required, tag]}
        return self._inside(name, needed, only) if name else self.schema(needed, place, only)

    def string(self) -> Expr:
        """Any string."""
        if self._string is None:
            self._string = self.rules.add(free_string(self.rules, self.excludes), "string")
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


def _within(kinds: Kinds | None, only: Kinds | None) -> Kinds | None:
    """The types that are in both; None is every type."""
    if kinds is None or only is None:
        return only if kinds is None else kinds
    both = [kind for kind in TYPES if kind in widened(kinds) & widened(only)]
    return tuple(kind for kind in both if not (kind == "integer" and "number" in both))


def _types(schema: Mapping[str, Any], place: str) -> Kinds | None:
    """The types that are named."""
    if "type" not in schema:
        return None
    named = schema["type"]
    kinds = [named] if isinstance(named, str) else named
    if not isinstance(kinds, Sequence) or not kinds or not all(kind in TYPES for kind in kinds):
        refuse(f"{place}.type", f"{named!r} is no JSON type", f"use {', '.join(TYPES)}, or a list of them")
    # Every integer is a number.
    return tuple(kind for kind in dict.fromkeys(kinds) if not (kind == "integer" and "number" in kinds))


def _implied_types(schema: Mapping[str, Any], place: str) -> Kinds:
    """The type that the keywords are about; none: anything fits."""
    kinds = [kind for kind, names in KEYWORDS_OF.items() if any(name in schema for name in names)]
    if len(kinds) > 1:
        refuse(place, f"it has keywords for {' and '.join(kinds)} but no type", "say which type it has")
    return tuple(kinds)


def _json(value: Any, place: str) -> str:
    try:
        text = json.dumps(value, allow_nan=False)
        whole = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        refuse(
            place, f"{shown(value)} is no JSON value ({error})", "use texts, finite numbers, True, False, None and such"
        )
    refuse_half(whole, place)
    return text


def _is(value: Any, kind: str) -> bool:
    """Whether a JSON value is of a type."""
    if isinstance(value, bool) or value is None:
        return kind == ("null" if value is None else "boolean")
    if isinstance(value, int | float):
        return kind == "number" or (kind == "integer" and (isinstance(value, int) or value.is_integer()))
    return isinstance(value, {"string": str, "array": list, "object": dict}.get(kind, ()))
