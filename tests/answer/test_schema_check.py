"""What no grammar can hold is refused with its place and a mend, before anything else happens."""

from __future__ import annotations

from typing import Any

import pytest

from relaygen_runtime import RequestError, SchemaError
from relaygen_runtime.answer.schema_check import check_schema
from relaygen_runtime.answer.schema_grammar import schema_grammar
from tests.answer.schemas import HELD, INTEGER, REFUSED, closed


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_held_is_refused_with_its_place(name: str) -> None:
    schema, place, words = REFUSED[name]

    with pytest.raises(SchemaError) as caught:
        schema_grammar(schema, "schema", ("<|im_end|>",))

    assert caught.value.place.endswith(place)
    assert str(caught.value).startswith(f"{caught.value.place}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", HELD)
def test_what_holds_passes(name: str) -> None:
    check_schema(HELD[name], "schema")


def test_the_message_says_place_problem_and_mend() -> None:
    with pytest.raises(
        RequestError,
        match=r"^tools\[0\] 'f': parameters\.properties\.q\.not: it is not supported; say what is allowed instead",
    ):
        check_schema(closed(q={"not": {}}), "tools[0] 'f': parameters")


def test_a_place_behind_a_reference_is_named_where_it_stands() -> None:
    schema = {"$defs": {"P": closed(q={"type": "number", "multipleOf": 2})}, "$ref": "#/$defs/P"}

    with pytest.raises(SchemaError, match=r"^#/\$defs/P\.properties\.q\.multipleOf"):
        check_schema(schema, "schema")


def test_a_schema_that_holds_itself_is_refused_instead_of_read_for_ever() -> None:
    endless: dict[str, Any] = {"type": "array"}
    endless["items"] = endless

    with pytest.raises(SchemaError, match="64 levels"):
        check_schema(endless, "schema")


def test_a_definition_that_is_used_twice_is_no_recursion() -> None:
    schema = {"$defs": {"P": INTEGER}, **closed(a={"$ref": "#/$defs/P"}, b={"$ref": "#/$defs/P"})}

    check_schema(schema, "schema")


def test_a_reference_may_spell_its_name_in_escapes() -> None:
    check_schema({"$defs": {"a/b c": INTEGER}, "$ref": "#/$defs/a~1b%20c"}, "schema")


def test_notes_and_keywords_of_others_restrict_nothing() -> None:
    note = {"title": "T", "default": 3, "examples": [1], "x-order": 1, "deprecated": True, "enumNames": ["a"]}

    assert schema_grammar({**INTEGER, **note}, "schema") == schema_grammar(INTEGER, "schema")
