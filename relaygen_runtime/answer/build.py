"""From tools, a tool choice and a response format to the constraint on the answer.

Owns the structural tag: what surrounds a call or a JSON answer, how many calls there may be, what may stand between
them. What a schema may hold is `schema_check`'s to say, which runs before anything is built. Knows no tokens: special
ones are excluded by their text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relaygen_runtime.answer.constraint import AnswerConstraint

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
    del tools, tool_choice, parallel_tool_calls, response_format, tool_format, special_tokens
    return None
