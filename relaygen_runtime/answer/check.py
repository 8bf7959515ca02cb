"""Looks at a finished answer: does it keep to what was asked for?

Owns the last word on validity, by an independent validator (jsonschema, which engines that hold answers bring along;
without it JSON alone is looked at). Refuses to mend anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from relaygen_runtime.answer.constraint import AnswerConstraint
from relaygen_runtime.answer.tool_calls import ToolCall, parse_answer
from relaygen_runtime.answer.tool_choice import read_tools
from relaygen_runtime.answer.tool_formats import QWEN3

__all__ = ["check_answer"]


def check_answer(constraint: AnswerConstraint | None, text: str, tools: Sequence[Mapping[str, Any]] = ()) -> str | None:
    """What is wrong with an answer.

    Args:
        constraint: What it had to look like.
        text: The answer.
        tools: The tools that were on offer.

    Returns:
        One sentence, or None where all is well or nothing was asked for.
    """
    if constraint is None:
        return None
    parsed = parse_answer(text, QWEN3 if tools else None)
    if parsed.invalid_calls:
        return f"the answer holds a tool call that cannot be read: {parsed.invalid_calls[0].error}"
    if parsed.tool_calls:
        return next((wrong for call in parsed.tool_calls if (wrong := _check_call(call, tools))), None)
    if constraint.schema is not None:
        return _check_json(parsed.content, constraint.schema)
    return "the answer calls no tool" if constraint.required else None


def _check_call(call: ToolCall, tools: Sequence[Mapping[str, Any]]) -> str | None:
    parameters = {tool.name: tool.parameters for tool in read_tools(tools)}
    if call.name not in parameters:
        return f"the answer calls {call.name!r}, and there is no such tool"
    wrong = _mistake(call.parsed, parameters[call.name])
    return wrong and f"the arguments for {call.name!r} do not follow their schema: {wrong}"


def _check_json(text: str, schema: Mapping[str, Any]) -> str | None:
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"the answer does not follow its schema: it is no JSON ({error})"
    wrong = _mistake(value, schema)
    return wrong and f"the answer does not follow its schema: {wrong}"


def _mistake(value: Any, schema: Any) -> str | None:
    """The first thing that is wrong, by an independent validator."""
    try:
        from jsonschema import Draft202012Validator  # noqa: PLC0415  (optional, and slow to import)
    except ImportError:
        return None
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    error = next(iter(validator.iter_errors(value)), None)
    return None if error is None else f"{error.json_path}: {error.message}"
