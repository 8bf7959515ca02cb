"""Every kind of schema that is not refused holds: whatever the grammar lets be written is JSON, and fits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("xgrammar")
pytest.importorskip("transformers")
jsonschema = pytest.importorskip("jsonschema")

from relaygen_runtime.answer.schema_grammar import schema_grammar  # noqa: E402  (after the skips)
from tests.answer.schemas import HELD, INTEGER, TEXT, closed  # noqa: E402
from tests.answer.walks import SPECIAL, accepts, of_grammar, walk  # noqa: E402


def fits(schema: Any, text: str) -> str | None:
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    return next((error.message for error in validator.iter_errors(json.loads(text))), None)


def allows(schema: Any, text: str, *excludes: str) -> bool:
    return accepts(of_grammar(schema_grammar(schema, "schema", excludes)[0]), text)


@pytest.mark.parametrize("name", HELD)
def test_whatever_is_written_fits_the_schema(name: str) -> None:
    text, shortest = schema_grammar(HELD[name], "schema", SPECIAL)
    grammar = of_grammar(text)

    texts = [written for seed in range(12) if (written := walk(grammar, seed)) is not None]

    assert texts, "no walk came to an end"
    for written in texts:
        assert fits(HELD[name], written) is None, written
        assert len(written) >= shortest


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        (TEXT, ['""', '"a\\"b\\n\\u00e9 漢 😀"', '"\\ud83d\\ude00"']),
        ({"type": "string", "maxLength": 3}, ['""', '"漢字仮"', '"😀é~"']),
        ({"type": "object"}, ["{}", '{"a": {"b": [1, {}, null]}}', '{\n  "a": 1,\n  "b": -2.5e3\n}']),
        (closed(a=INTEGER, b=TEXT), ['{"a": 1, "b": "x"}', '{"a":1,"b":"x"}', '{\n    "a": 1,\n    "b": "x"\n}']),
        ({"properties": {"a": INTEGER, "b": INTEGER}}, ["{}", '{"a": 1}', '{"b": 1}', '{"a": 1, "b": 2}']),
        ({"type": "string", "anyOf": [True]}, ['"x"']),
        ({"type": ["integer", "null"], "format": "int32"}, ["2147483647", "-2147483648", "null"]),
        ({"type": "integer", "maximum": 1.2345678901234567e17}, ["123456789012345664", "7"]),
        ({"type": "number", "exclusiveMinimum": 0.5, "exclusiveMaximum": 1e9}, ["0.5000000001", "999999999.9"]),
        ({"type": "number"}, ["0", "-0.5", "12e3", "1.25E-7"]),
        ({"type": "string", "pattern": "[0-9]"}, ['"around 7 o\'clock"', '"7"']),
        ({"type": "string", "pattern": r'^"\\$'}, ['"\\"\\\\"']),
        ({"type": "array", "items": INTEGER}, ["[]", "[1]", "[1, 2,3]", "[\n  1,\n  2\n]"]),
        ({"properties": {"ab": TEXT}, "additionalProperties": INTEGER}, ['{"a": 1, "abc": 2, "": 3}', '{"ab": "x"}']),
    ],
)
def test_what_a_sensible_model_writes_is_allowed(schema: Any, texts: list[str]) -> None:
    assert [text for text in texts if not allows(schema, text)] == []


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        (TEXT, ['"\n"', '"\\x"', '"\\ud83d"', '"\\ude00x"', "'a'", '"a', "a"]),
        ({"type": "string", "maxLength": 3}, ['"漢字仮名"', '"abcd"', '"\\n"']),
        ({"type": "string", "minLength": 2}, ['"漢"', '""']),
        (closed(a=INTEGER), ["{}", '{"a": 1, "a": 2}', '{"a": 1, "b": 2}', '{"a":    1}', '{"a": 1}   ']),
        ({"type": "string", "anyOf": [True]}, ["1", "null", "{}"]),
        ({"$defs": {"T": True}, "type": "string", "anyOf": [{"$ref": "#/$defs/T"}]}, ["1", "null", "{}"]),
        ({"type": ["integer", "null"], "format": "int32"}, ["2147483648", "-2147483649", "2147483648000"]),
        ({"type": "number", "format": "int64"}, ["9223372036854775808", "-9223372036854775809"]),
        ({"type": "integer", "maximum": 1.2345678901234567e17}, ["123456789012345670", "123456789012345669"]),
        ({"type": "number", "maximum": 1.2345678901234567e17}, ["123456789012345670", "123456789012345664.5"]),
        ({"propertyNames": {"enum": ["a", "b"], "const": "a"}}, ['{"b": 1}']),
        (INTEGER, ["01", "1.0", "-0", "1e3", "1" * 19]),
        ({"properties": {"a": TEXT}, "additionalProperties": INTEGER}, ['{"a": 1}', '{"\\u0061": 1}']),
        ({"properties": {"a": TEXT}, "additionalProperties": True}, ['{"a": "x", "a": 3}', '{"a": "x", "\\u0061": 3}']),
        ({"type": "string", "format": "date"}, ['"2023-02-29"', '"2024-04-31"', '"0000-01-01"', '"1900-02-29"']),
        ({"type": "string", "format": "ipv4"}, ['"256.1.1.1"', '"01.1.1.1"']),
    ],
)
def test_what_does_not_fit_is_not_allowed(schema: Any, texts: list[str]) -> None:
    assert [text for text in texts if allows(schema, text)] == []


@pytest.mark.parametrize("day", ["2024-02-29", "2000-02-29", "2023-12-31", "2023-04-30", "1999-02-28"])
def test_every_real_date_may_be_written(day: str) -> None:
    assert allows({"type": "string", "format": "date"}, f'"{day}"')


def test_the_text_of_a_special_token_is_never_written_out() -> None:
    assert not allows(TEXT, '"a <|im_end|>"', *SPECIAL)
    assert allows(TEXT, '"a <|im_en <|im_<|im_x| |> <| b"', *SPECIAL)


def test_white_space_is_bounded() -> None:
    schema = closed(a=INTEGER)

    assert allows(schema, "{\n" + " " * 16 + '"a": 1}')
    assert not allows(schema, "{\n" + " " * 17 + '"a": 1}')
    assert not allows(schema, '{\n\n"a": 1}')


def test_a_lists_bounds_count_its_items() -> None:
    schema = {"type": "array", "items": INTEGER, "minItems": 2, "maxItems": 3}

    assert [n for n in range(6) if allows(schema, json.dumps([7] * n))] == [2, 3]


@settings(deadline=None, max_examples=40)
@given(st.integers(-1200, 1200), st.integers(0, 2500), st.integers(-1500, 3000))
def test_bounds_of_integers_hold_exactly(low: int, span: int, value: int) -> None:
    schema = {"type": "integer", "minimum": low, "maximum": low + span}

    assert allows(schema, str(value)) == (low <= value <= low + span)


_TENTHS = st.integers(-3000, 3000).map(lambda value: value / 100)


@settings(deadline=None, max_examples=60)
@given(_TENTHS, _TENTHS, _TENTHS, st.booleans(), st.booleans())
def test_bounds_of_numbers_hold_exactly(a: float, b: float, value: float, low_open: bool, high_open: bool) -> None:
    low, high = min(a, b), round(max(a, b) + 0.5, 2)
    schema = {
        "type": "number",
        "exclusiveMinimum" if low_open else "minimum": low,
        "exclusiveMaximum" if high_open else "maximum": high,
    }
    above = value > low if low_open else value >= low
    below = value < high if high_open else value <= high

    assert allows(schema, repr(value if value else 0.0)) == (above and below)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text("ab<", max_size=4), max_size=4, unique=True), st.text("ab<c", max_size=5))
def test_further_keys_are_all_but_the_listed_ones(listed: list[str], key: str) -> None:
    schema = {"properties": dict.fromkeys(listed, INTEGER), "additionalProperties": TEXT}

    assert allows(schema, json.dumps({key: "x"})) == (key not in listed)


def test_the_shortest_text_is_counted_in_characters() -> None:
    schema = closed(name={"type": "string", "minLength": 3}, on={"type": "boolean"}, at={"enum": ["noon", "morning"]})

    assert schema_grammar(schema, "schema")[1] == len('{"name":"abc","on":true,"at":"noon"}')
