"""Beside tools, a JSON answer never holds the tag that would make a call of it."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("xgrammar")
pytest.importorskip("transformers")

from relaygen_runtime import SchemaError
from relaygen_runtime.answer.build import build_constraint
from relaygen_runtime.answer.check import check_answer
from relaygen_runtime.answer.tool_calls import ContentDelta, ToolCallParser, parse_answer
from tests.answer.schemas import TEXT, closed
from tests.answer.walks import accepts, compiled

TOOLS = [{"name": "f", "parameters": closed(x=TEXT)}]
SHORT = {"type": "string", "maxLength": 40}


def allows(schema: Any, text: str, *, tools: bool = True) -> bool:
    constraint = build_constraint(response_format=schema, tools=TOOLS if tools else (), tool_format="qwen3")
    assert constraint is not None
    return accepts(compiled(constraint.structural_tag), text)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (closed(a=TEXT), '{"a": "write <tool_call> first"}'),
        (closed(a=SHORT), '{"a": "write <tool_call> first"}'),
        (closed(a={}), '{"a": [{"<tool_call>": 1}]}'),
        (closed(a={"type": "string", "pattern": "first"}), '{"a": "<tool_call> first"}'),
        (closed(a={"type": "string", "pattern": "^<[a-z_]+>$"}), '{"a": "<tool_call>"}'),
        ({"type": "object", "additionalProperties": TEXT}, '{"<tool_call>": "x"}'),
        ({"type": "object", "patternProperties": {"^<.*>$": TEXT}}, '{"<tool_call>": "x"}'),
        ({"type": "object", "propertyNames": {"maxLength": 20}}, '{"<tool_call>": "x"}'),
    ],
)
def test_the_tag_of_a_call_is_never_written_out_in_a_string(schema: Any, text: str) -> None:
    assert allows(schema, text, tools=False)
    assert not allows(schema, text)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (closed(a=TEXT), '{"a": "1 < 2 <tool_ <tool_call <b>"}'),
        (closed(a=TEXT), '{"a": "\\u003ctool_call>"}'),
        (closed(a=SHORT), '{"a": "tool_call> 漢"}'),
        (closed(a={"type": "string", "pattern": "^<[a-z_]+>$"}), '{"a": "\\u003ctool_call>"}'),
    ],
)
def test_what_reads_as_json_alone_may_be_written(schema: Any, text: str) -> None:
    assert allows(schema, text)
    assert parse_answer(text).content == text
    constraint = build_constraint(response_format=schema, tools=TOOLS, tool_format="qwen3")
    assert check_answer(constraint, text, TOOLS) is None


def test_such_an_answer_streams_as_content_a_character_at_a_time() -> None:
    text = '{"a": "1 < 2 <tool_ \\u003ctool_call>"}'
    parser = ToolCallParser()

    parts = [part for char in text for part in parser.feed(char)] + parser.finish()

    assert all(isinstance(part, ContentDelta) for part in parts)
    assert "".join(part.text for part in parts if isinstance(part, ContentDelta)) == text


@pytest.mark.parametrize("schema", [closed(a={"enum": ["x", "<tool_call>"]}), closed(**{"<tool_call>": TEXT})])
def test_a_fixed_text_with_the_tag_is_refused(schema: Any) -> None:
    assert build_constraint(response_format=schema, tool_format="qwen3") is not None
    with pytest.raises(SchemaError, match="'<tool_call>', which begins a call"):
        build_constraint(response_format=schema, tools=TOOLS, tool_format="qwen3")
