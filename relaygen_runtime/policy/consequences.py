"""What follows from what, as tables: who writes in which state, what the end of a segment leads to, and how it is put.

Data only. Two endings depend on more than the state and stand in `relaygen_runtime.policy.course`: an empty answer of
the small model, and a full context of the large one.
"""

from __future__ import annotations

from typing import Final

from relaygen_runtime.policy.states import Event, State
from relaygen_runtime.policy.verdict import Ending
from relaygen_runtime.vocabulary import FinishReason, Role, SwitchReason

__all__ = ["AUTHORS", "CONSEQUENCES", "CUT_SHORT_NOTES", "FINISHES", "REASONS", "SMALL_FULL", "THINKING"]

AUTHORS: Final = {
    State.OPENING: Role.LARGE,
    State.LARGE_THINKING: Role.LARGE,
    State.HANDOVER: Role.SMALL,
    State.SMALL_THINKING: Role.SMALL,
    State.SMALL_ANSWER: Role.SMALL,
    State.LARGE_ANSWER: Role.LARGE,
}
"""Who writes in which state."""

THINKING: Final = frozenset({State.OPENING, State.LARGE_THINKING, State.HANDOVER, State.SMALL_THINKING})
"""States of the thinking in which a model writes."""

CONSEQUENCES: Final[dict[tuple[State, SwitchReason], Event]] = {
    (State.LARGE_THINKING, SwitchReason.THINKING_BUDGET): Event.CUT_SHORT,
    (State.LARGE_THINKING, SwitchReason.EOS): Event.CUT_SHORT,
    (State.LARGE_THINKING, SwitchReason.LOOP): Event.CUT_SHORT,
    (State.SMALL_THINKING, SwitchReason.THINKING_BUDGET): Event.CUT_SHORT,
    (State.SMALL_THINKING, SwitchReason.SENTENCE_END): Event.HAND_BACK,
    (State.SMALL_THINKING, SwitchReason.MAX_SMALL_TOKENS): Event.HAND_BACK,
    (State.SMALL_THINKING, SwitchReason.EOS): Event.HAND_BACK,
    (State.SMALL_THINKING, SwitchReason.LOOP): Event.HAND_BACK,
    (State.SMALL_THINKING, SwitchReason.CONTEXT): Event.HAND_BACK,
    (State.SMALL_THINKING, SwitchReason.FAULT): Event.HAND_BACK,
    (State.SMALL_ANSWER, SwitchReason.CONTEXT): Event.LARGE_ANSWERS,
    (State.SMALL_ANSWER, SwitchReason.FAULT): Event.LARGE_ANSWERS,
}
"""What the end of a segment leads to; whatever is not named here ends the generation."""

REASONS: Final = {
    Ending.SENTENCE: SwitchReason.SENTENCE_END,
    Ending.STOP_STRING: SwitchReason.STOP_STRING,
    Ending.LOOP: SwitchReason.LOOP,
}
"""What is told of a reader's verdict, where it does not depend on what else is the case."""

FINISHES: Final = {
    SwitchReason.EOS: FinishReason.STOP,
    SwitchReason.STOP_STRING: FinishReason.STOP_STRING,
    SwitchReason.LOOP: FinishReason.LOOP,
}
"""How the generation ended, by the reason of its last segment; any other reason is a length."""

SMALL_FULL: Final = "the small model's context is full: the large carries on alone"

CUT_SHORT_NOTES: Final = {
    SwitchReason.THINKING_BUDGET: "the thinking reached its budget and was closed",
    SwitchReason.EOS: "the large model ended its turn inside the thinking, which was closed",
    SwitchReason.LOOP: "the thinking went round in circles and was closed",
    SwitchReason.CONTEXT: "the large model's context is full: the thinking was closed",
}
