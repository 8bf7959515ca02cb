"""From tools, a tool choice and a response format to the constraint on the answer.

Owns the structural tag: what surrounds a call or a JSON answer, how many calls there may be, what may stand between
them. What a schema may hold is `schema_check`'s to say, which runs before anything is built. Knows no tokens: special
ones are excluded by their text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from relaygen_runtime.answer.constraint import AnswerConstraint
from relaygen_runtime.answer.response_format import Wanted, read_response_format
from relaygen_runtime.answer.schema_grammar import schema_grammar
from relaygen_runtime.answer.tool_choice import Choice, Tool, read_choice, read_tools
from relaygen_runtime.answer.tool_formats import CALL_CLOSE, CALL_OPEN
from relaygen_runtime.errors import ConfigurationError, ToolChoiceError

__all__ = ["build_constraint"]


def build_constraint(
    *,
    tools: Sequence[Mapping[str, Any]] = (),
    tool_choice: str | Mapping[str, Any] | None = None,
    parallel_tool_calls: bool | None = None,
    response_format: Mapping[str, Any] | None = None,
    tool_format: str | None = None,
    special_tokens: Sequence[str] = (),
) -> AnswerConstraint | None:
    """The constraint that these options come to.

    Args:
        tools: Tools on offer, in OpenAI's form, with or without the envelope.
        tool_choice: None or ``"auto"``, ``"none"``, ``"required"`` or ``"any"``, a tool's name, or
            ``{"type": "function", "function": {"name": ...}}``.
        parallel_tool_calls: False: at most one call.
        response_format: OpenAI's ``{"type": "text" | "json_object" | "json_schema", ...}``, or a bare JSON schema.
        tool_format: How the model writes calls (a name in `tool_formats`); None where it writes none that can be held.
        special_tokens: Texts of special tokens, which may not stand in what is constrained.

    Returns:
        The constraint; None where the answer is free.

    Raises:
        SchemaError: A tool or schema that no answer can be held to.
        ToolChoiceError: The choice names a tool that is not offered, or asks for calls that cannot be.
        ConfigurationError: The choice or the format is none of the forms above.
    """
    offered = read_tools(tools)
    choice = read_choice(tool_choice, [tool.name for tool in offered])
    wanted = read_response_format(response_format)
    if choice.none:
        offered = []
    if offered and tool_format is None:
        _refuse_unreadable(choice, wanted)
        # The template shows the tools all the same; what the model makes of them is text.
        for tool in offered:
            schema_grammar(tool.parameters, tool.place, objects=True)
        offered = []
    # Whoever reads the answer takes the tag that opens a call for a call, wherever it stands.
    excludes = [*special_tokens, CALL_OPEN] if offered else special_tokens
    answer = None if wanted is None or choice.required else _answer(wanted, excludes)
    if not offered:
        return None if answer is None else _constraint([answer], schema=wanted and wanted[0])
    if choice.name is not None:
        offered = [tool for tool in offered if tool.name == choice.name]
    tags, shortest = _tags(offered, special_tokens)
    once = parallel_tool_calls is False or choice.name is not None
    if answer is None and not choice.required:
        free = {
            "type": "triggered_tags",
            "triggers": [CALL_OPEN],
            "tags": tags,
            "stop_after_first": once,
            "excludes": list(special_tokens),
        }
        return AnswerConstraint(_tag_json(free), required=False)
    calls = {
        "type": "tags_with_separator",
        "tags": tags,
        "separator": "\n",
        "at_least_one": True,
        "stop_after_first": once,
    }
    forms = [(calls, shortest)] if answer is None else [(calls, shortest), answer]
    return _constraint(forms, schema=None if answer is None or wanted is None else wanted[0])


_Form = tuple[Mapping[str, Any], int]
"""A format of a structural tag, and the characters of its shortest text."""

_BLANK: Final = {"type": "regex", "pattern": "\\n{0,2}"}


def _refuse_unreadable(choice: Choice, wanted: Wanted | None) -> None:
    """Refuse what needs calls that can be read, from a model whose template writes none."""
    if choice.required:
        raise ToolChoiceError(
            "tool_choice: a call is asked for, and how this model's chat template writes calls is not known; "
            "leave tool_choice out, or use a model whose template writes them as Qwen3's does"
        )
    if wanted is not None:
        raise ConfigurationError(
            "response_format: it cannot be held beside tools, since how this model's chat template writes calls is not "
            "known; give one of both, or tool_choice='none'"
        )


def _answer(wanted: Wanted, excludes: Sequence[str]) -> _Form:
    grammar, shortest = schema_grammar(*wanted, excludes)
    return {"type": "grammar", "grammar": grammar}, shortest


def _tags(tools: Sequence[Tool], special_tokens: Sequence[str]) -> tuple[list[Mapping[str, Any]], int]:
    """A tag for a call of each tool, and the characters of the shortest."""
    tags: list[Mapping[str, Any]] = []
    lengths: list[int] = []
    for tool in tools:
        grammar, shortest = schema_grammar(tool.parameters, tool.place, special_tokens, objects=True)
        begin = f'{CALL_OPEN}\n{{"name": "{tool.name}", "arguments": '
        end = f"}}\n{CALL_CLOSE}"
        tags.append({"type": "tag", "begin": begin, "content": {"type": "grammar", "grammar": grammar}, "end": end})
        lengths.append(len(begin) + shortest + len(end))
    return tags, min(lengths)


def _constraint(forms: Sequence[_Form], *, schema: Mapping[str, Any] | None) -> AnswerConstraint:
    """The constraint to one of these forms and nothing else."""
    texts = [form for form, _ in forms]
    whole = {
        "type": "sequence",
        "elements": [_BLANK, texts[0] if len(texts) == 1 else {"type": "or", "elements": texts}],
    }
    return AnswerConstraint(
        _tag_json(whole), required=True, schema=schema, shortest=min(shortest for _, shortest in forms)
    )


def _tag_json(form: Mapping[str, Any]) -> str:
    return json.dumps({"type": "structural_tag", "format": form})
