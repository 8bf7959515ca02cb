"""The constraint on an answer, as the options state it and an engine enforces it.

Owns the record alone. Made by `relaygen_runtime.answer.build`, kept by the engine's grammar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["AnswerConstraint"]


@dataclass(frozen=True, slots=True)
class AnswerConstraint:
    """What the answer, from its first character after the thinking to its end, must look like.

    Attributes:
        structural_tag: A structural tag (xgrammar's JSON form, which vLLM takes too) for the whole answer. It allows
            the blank line that models write after the closing think tag.
        required: Nothing but the constrained form may be written: a schema, or a tool call that was asked for. False:
            free text, in which a tool call, once begun, has to be well formed.
        schema: The JSON schema that the whole answer has to meet; None where it consists of tool calls or text. With
            tools on offer beside it, the answer may be tool calls instead.
        shortest: An estimate, in characters, of the shortest answer that is allowed; 0 where nothing is required.
    """

    structural_tag: str
    required: bool
    schema: Mapping[str, Any] | None = None
    shortest: int = 0
