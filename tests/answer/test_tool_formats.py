"""A chat template tells by itself how its model writes calls."""

from __future__ import annotations

import pytest

from relaygen_runtime.answer.tool_formats import tool_format_of
from relaygen_runtime.demo.rendering import template_text


def test_the_embedded_pair_writes_calls_as_qwen3_does() -> None:
    assert tool_format_of(template_text()) == "qwen3"


@pytest.mark.parametrize(
    "template",
    [
        r"""{{- '<tool_call>\n{"name": "' }}{{ call.name }}{{- '", "arguments": ' }}{{ call.arguments | tojson }}"""
        r"""{{- '}\n</tool_call>' }}""",
        r"""{{- "<tool_call>\n{\"name\": <name>, \"arguments\": <arguments>}\n</tool_call>" }}""",
    ],
)
def test_a_json_object_between_tags_is_the_format(template: str) -> None:
    assert tool_format_of(template) == "qwen3"


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages[0].content }}",
        r"{{ '<tool_call>\n<function=' + call.name + '>\n<parameter=a>' }}</tool_call> \"name\" \"arguments\"",
        "<tool_call>{{ call.name }}<arg_key>{{ key }}</arg_key></tool_call> 'name' 'arguments'",
        '[TOOL_CALLS] [{"name": "f", "arguments": {}}]',
        "<tool_call>{{ call | tojson }}</tool_call>",
    ],
)
def test_other_ways_to_call_have_no_format_here(template: str) -> None:
    assert tool_format_of(template) is None
