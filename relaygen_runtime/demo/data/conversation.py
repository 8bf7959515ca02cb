"""A training conversation, and the invisible marks that its text may carry.

Owns: the `Conversation` record and the four private-use characters that mark, inside a text, a
slip that must not be learnt and a sentence that a small model can write. Refuses: rendering and
tokens; `relaygen_runtime.demo.encoding` turns marks into masks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]
"""A chat message as every chat template takes it: role, content and, on some, more."""

SLIP_OPENS, SLIP_CLOSES = "\ue000", "\ue001"
EASY_OPENS, EASY_CLOSES = "\ue002", "\ue003"
MARKS = frozenset((SLIP_OPENS, SLIP_CLOSES, EASY_OPENS, EASY_CLOSES))


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation whose last assistant turns are to be learnt.

    Attributes:
        kind: The recipe it came from, such as ``"story"`` or ``"tool"``.
        messages: The whole conversation, ending with an assistant turn.
        tools: The tools offered, in the OpenAI function format.
        thinking: Whether the model is to think before it answers.
        trained_turns: How many assistant turns, counted from the end, carry loss.
    """

    kind: str
    messages: tuple[Message, ...]
    tools: tuple[Message, ...] = ()
    thinking: bool = True
    trained_turns: int = 1


def unmarked(text: str) -> str:
    """Return the text without its marks."""
    return "".join(char for char in text if char not in MARKS)
