"""From options to constraints: what may be written, what must, and which choices cannot be."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

pytest.importorskip("xgrammar")
pytest.importorskip("transformers")

from relaygen_runtime import ConfigurationError, SchemaError, ToolChoiceError
from relaygen_runtime.answer.build import build_constraint
from relaygen_runtime.answer.check import check_answer
from relaygen_runtime.answer.constraint import AnswerConstraint
from tests.answer.schemas import INTEGER, POINT, TEXT, closed
from tests.answer.walks import SPECIAL, accepts, compiled, walk


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": closed(**properties)}}


TOOLS = [tool("add", a=INTEGER, b=INTEGER), tool("say", text=TEXT), {"name": "now"}]
ADD = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
SAY = '<tool_call>\n{"name": "say", "arguments": {"text": "hi"}}\n</tool_call>'
NOW = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
POINT_FORMAT = {"type": "json_schema", "json_schema": {"name": "point", "schema": POINT, "strict": True}}


def built(**options: Any) -> AnswerConstraint:
    options = {"tool_format": "qwen3", **options}
    constraint = build_constraint(**options)
    assert constraint is not None
    return constraint


def allowed(constraint: AnswerConstraint, *texts: str) -> list[bool]:
    grammar = compiled(constraint.structural_tag)
    return [accepts(grammar, text) for text in texts]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"response_format": {"type": "text"}},
        {"tools": TOOLS, "tool_choice": "none"},
        {"tools": TOOLS, "tool_format": None},
    ],
)
def test_a_free_answer_has_no_constraint(options: dict[str, Any]) -> None:
    assert build_constraint(**{"tool_format": "qwen3", **options}) is None


@pytest.mark.parametrize("choice", [None, "auto"])
def test_a_model_that_may_call_writes_text_and_well_formed_calls(choice: str | None) -> None:
    constraint = built(tools=TOOLS, tool_choice=choice)

    assert not constraint.required
    assert allowed(constraint, "Hello.", f"Hello.\n{ADD}\n{SAY}\nDone.", NOW, "\n\n" + ADD) == [True] * 4
    assert allowed(constraint, "<tool_call>x", ADD.replace("1", '"1"'), ADD.replace("add", "sub")) == [False] * 3


def test_without_parallel_calls_there_is_one_at_most() -> None:
    assert allowed(built(tools=TOOLS, parallel_tool_calls=False), "Hi.", ADD, f"{ADD}\n{SAY}") == [True, True, False]


@pytest.mark.parametrize("choice", ["required", "any"])
def test_a_model_that_has_to_call_writes_calls_alone(choice: str) -> None:
    constraint = built(tools=TOOLS, tool_choice=choice)

    assert constraint.required
    assert allowed(constraint, ADD, f"\n\n{ADD}\n{SAY}", NOW) == [True] * 3
    assert allowed(constraint, "", "Hi.", f"Hi.\n{ADD}", f"{ADD}\nHi.", f"{ADD}\n\n\n{SAY}") == [False] * 5
    one = built(tools=TOOLS, tool_choice=choice, parallel_tool_calls=False)
    assert allowed(one, ADD, f"{ADD}\n{SAY}") == [True, False]


@pytest.mark.parametrize("choice", ["say", {"type": "function", "function": {"name": "say"}}])
def test_a_named_tool_is_called_once(choice: Any) -> None:
    constraint = built(tools=TOOLS, tool_choice=choice)

    assert allowed(constraint, SAY, f"\n\n{SAY}") == [True, True]
    assert allowed(constraint, ADD, f"{SAY}\n{SAY}", "Hi.") == [False] * 3
    assert constraint.shortest == len(SAY) - len(" hi")


@pytest.mark.parametrize("form", [POINT_FORMAT, POINT])
def test_an_answer_in_a_format_is_the_json_alone(form: Any) -> None:
    constraint = built(response_format=form)

    assert (constraint.required, constraint.schema) == (True, POINT)
    assert allowed(constraint, '{"x": 1, "y": 2}', '\n\n{"x": 1, "y": 2}') == [True, True]
    assert allowed(constraint, "x", '{"x": 1}', '{"x": 1, "y": 2} x', '\n\n\n{"x": 1, "y": 2}') == [False] * 4


def test_json_object_is_any_object() -> None:
    constraint = built(response_format={"type": "json_object"})

    assert allowed(constraint, '{"a": [1, {"b": null}]}', "{}", "[1]", "3") == [True, True, False, False]


def test_tools_beside_a_format_are_calls_or_the_json() -> None:
    constraint = built(tools=TOOLS, response_format=POINT_FORMAT)

    assert constraint.required
    assert allowed(constraint, '{"x": 1, "y": 2}', ADD, f"{ADD}\n{SAY}") == [True] * 3
    assert allowed(constraint, "Hi.", f'{ADD}\n{{"x": 1, "y": 2}}') == [False] * 2


def test_a_call_that_is_asked_for_comes_before_the_format() -> None:
    constraint = built(tools=TOOLS, tool_choice="add", response_format=POINT_FORMAT)

    assert (constraint.schema, *allowed(constraint, ADD, '{"x": 1, "y": 2}')) == (None, True, False)


def test_tools_that_may_not_be_called_leave_the_format() -> None:
    constraint = built(tools=TOOLS, tool_choice="none", response_format=POINT_FORMAT)

    assert allowed(constraint, '{"x": 1, "y": 2}', ADD) == [True, False]


@pytest.mark.parametrize("choice", ["required", "say"])
@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_written_reads_as_sound_calls(choice: str, seed: int) -> None:
    constraint = built(tools=TOOLS, tool_choice=choice, parallel_tool_calls=False, special_tokens=SPECIAL)
    text = walk(compiled(constraint.structural_tag), seed, most=2000)

    assert text is not None
    assert check_answer(constraint, text, TOOLS) is None


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        (["x"], r"tools\[0\]: 'x' is no tool; give one like"),
        ([tool("a"), {"type": "function", "function": "x"}], r"tools\[1\]: .* is no tool"),
        ([tool("a b")], r"tools\[0\]\.name: 'a b' is no name"),
        ([tool("x" * 65)], "1 to 64"),
        ([tool("a"), tool("a")], r"tools\[1\]\.name: 'a' is the name of an earlier tool"),
        (
            [tool("ok"), tool("f", q={"not": {}})],
            r"tools\[1\] 'f': parameters\.properties\.q\.not: it is not supported",
        ),
    ],
)
@pytest.mark.parametrize("tool_format", ["qwen3", None])
def test_an_unfit_tool_is_refused(tools: Any, words: str, tool_format: str | None) -> None:
    with pytest.raises(SchemaError, match=words):
        build_constraint(tools=tools, tool_format=tool_format)


@pytest.mark.parametrize(
    ("choice", "tools", "words"),
    [
        ("ad", TOOLS, "no tool 'ad'; did you mean 'add'"),
        ("zzz", TOOLS, "no tool 'zzz'; on offer: add, say, now"),
        ({"type": "function", "function": {"name": "zzz"}}, TOOLS, "on offer"),
        ("required", [], "there are no tools"),
        ("add", [], "on offer: none"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(choice: Any, tools: Any, words: str) -> None:
    with pytest.raises(ToolChoiceError, match=words):
        build_constraint(tools=tools, tool_choice=choice, tool_format="qwen3")


@pytest.mark.parametrize("choice", [{"type": "function"}, {"name": "add"}, {"type": "function", "function": "add"}])
def test_a_choice_in_no_known_form_is_refused(choice: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"tool_choice: .* is not understood"):
        build_constraint(tools=TOOLS, tool_choice=choice, tool_format="qwen3")


@pytest.mark.parametrize(
    "form", [{}, {"type": "xml"}, {"type": "json_schema"}, {"type": "json_schema", "json_schema": {"name": "x"}}]
)
def test_a_format_in_no_known_form_is_refused(form: Any) -> None:
    with pytest.raises(ConfigurationError, match="response_format"):
        build_constraint(response_format=form)


def test_a_schema_in_a_format_is_named_where_it_stands() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "point", "schema": closed(x={"multipleOf": 2})}}

    with pytest.raises(SchemaError, match=r"^response_format 'point': schema\.properties\.x\.multipleOf"):
        build_constraint(response_format=form)


def test_a_model_whose_calls_cannot_be_read_cannot_be_made_to_call() -> None:
    with pytest.raises(ToolChoiceError, match="not known"):
        build_constraint(tools=TOOLS, tool_choice="required", tool_format=None)
    with pytest.raises(ConfigurationError, match="tool_choice='none'"):
        build_constraint(tools=TOOLS, response_format=POINT_FORMAT, tool_format=None)


@pytest.mark.parametrize(
    ("options", "text", "words"),
    [
        ({"response_format": POINT}, '{"x": 1, "y": "2"}', r"does not follow its schema: \$\.y: '2' is not of type"),
        ({"response_format": POINT}, '{"x": 1', "it is no JSON"),
        ({"tools": TOOLS}, ADD.replace("1", '"1"'), r"arguments for 'add' do not follow their schema: \$\.a"),
        ({"tools": TOOLS}, ADD.replace("add", "sub"), "calls 'sub', and there is no such tool"),
        ({"tools": TOOLS}, ADD[:40], "a tool call that cannot be read: the answer ends inside"),
        ({"tools": TOOLS, "tool_choice": "required"}, "Hi.", "calls no tool"),
    ],
)
def test_an_answer_that_does_not_hold_is_told(options: Any, text: str, words: str) -> None:
    wrong = check_answer(built(**options), text, options.get("tools", ()))

    assert wrong is not None
    assert re.search(words, wrong)


@pytest.mark.parametrize("text", ['{"x": 1, "y": 2}', ADD])
def test_an_answer_that_holds_is_not_mentioned(text: str) -> None:
    assert check_answer(built(tools=TOOLS, response_format=POINT), text, TOOLS) is None
    assert check_answer(None, "anything", TOOLS) is None


def test_the_tag_is_plain_json_of_one_kind() -> None:
    assert json.loads(built(tools=TOOLS).structural_tag)["type"] == "structural_tag"
