"""The arguments of a call are always an object, whatever the parameters of the tool let through besides."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("xgrammar")
pytest.importorskip("transformers")

from relaygen_runtime import SchemaError
from relaygen_runtime.answer.build import build_constraint
from relaygen_runtime.answer.tool_calls import parse_answer
from tests.answer.schemas import INTEGER, POINT, closed
from tests.answer.walks import accepts, compiled, walk

OPTIONAL = {"anyOf": [POINT, {"type": "null"}]}


def forced(parameters: Any) -> Any:
    tools = [{"name": "f", "parameters": parameters}]
    constraint = build_constraint(tools=tools, tool_choice="f", tool_format="qwen3")
    assert constraint is not None
    return compiled(constraint.structural_tag)


def call(arguments: str) -> str:
    return f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'


@pytest.mark.parametrize(
    "parameters",
    [
        {"enum": [1, 2]},
        {"const": None},
        {"type": "string"},
        {"type": "array"},
        {"type": ["array", "null"]},
        {"type": "string", "enum": [{}]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"$defs": {"T": INTEGER}, "$ref": "#/$defs/T"},
    ],
)
@pytest.mark.parametrize("tool_format", ["qwen3", None])
def test_parameters_that_describe_no_object_are_refused(parameters: Any, tool_format: str | None) -> None:
    words = r"^tools\[0\] 'f': parameters: the arguments of a call are an object; give type: object"

    with pytest.raises(SchemaError, match=words):
        build_constraint(tools=[{"name": "f", "parameters": parameters}], tool_format=tool_format)


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({}, '{"a": [1]}'),
        (True, '{"a": [1]}'),
        ({"description": "whatever"}, "{}"),
        ({"type": ["object", "null"]}, '{"a": 1}'),
        ({"enum": [{"a": 1}, 1, None]}, '{"a": 1}'),
        (OPTIONAL, '{"x": 1, "y": 2}'),
        ({"oneOf": [{"type": "null"}, POINT]}, '{"x": 1, "y": 2}'),
        ({"anyOf": [OPTIONAL, {"type": "string"}]}, '{"x": 1, "y": 2}'),
        ({"$defs": {"T": OPTIONAL}, "$ref": "#/$defs/T"}, '{"x": 1, "y": 2}'),
        ({"$defs": {"T": {"type": ["object", "null"]}}, "allOf": [{"$ref": "#/$defs/T"}]}, "{}"),
    ],
)
def test_of_parameters_that_allow_more_objects_alone_are_written(parameters: Any, arguments: str) -> None:
    grammar = forced(parameters)

    assert accepts(grammar, call(arguments))
    assert not any(accepts(grammar, call(other)) for other in ("null", "1", '"x"', "[]", "true"))
    texts = [text for seed in range(6) if (text := walk(grammar, seed, most=3000)) is not None]
    assert texts
    assert all(len(parse_answer(text).tool_calls) == 1 for text in texts)


def test_a_definition_that_a_property_uses_too_keeps_its_null_there() -> None:
    parameters = {"$defs": {"T": {"type": ["object", "null"], "properties": {}}}, **closed(t={"$ref": "#/$defs/T"})}

    assert accepts(forced({**parameters}), call('{"t": null}'))


def test_the_place_of_a_mistake_counts_the_alternatives_that_are_never_written() -> None:
    with pytest.raises(SchemaError, match=r"parameters\.anyOf\[1\]\.properties\.q\.not"):
        forced({"anyOf": [{"type": "null"}, closed(q={"not": {}})]})
