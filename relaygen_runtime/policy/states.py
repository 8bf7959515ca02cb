"""The states of one generation, and every move between them.

How to read this. A generation opens by finding out whether the model thinks at all (`OPENING`): the prompt may have
opened the thinking, or closed it, or the model writes the tag itself, or it skips thinking. While the large model
thinks, a switch cue leads to `HANDOVER`: the small model has been asked, but nothing is told yet, because its first
character may show that the cue stood inside a longer word, and then the move is taken back. A small segment always
leads back to the large model, whatever ended it. The thinking ends by a tag that a model writes, or it is cut short,
which passes through `CLOSING`, where the tag is injected. From `THINKING_OVER` on it is decided who answers; the large
model may have to finish what the small one could not. There is no way out of `DONE`.

The table is the whole truth: a pair of state and event that is not in it is a bug in the driver or here, and raises
`PolicyError`. The state diagram of the documentation is rendered from it (`relaygen_runtime.policy.diagram`).
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from relaygen_runtime.errors import PolicyError

__all__ = ["READING", "TRANSITIONS", "Event", "State", "after"]


class State(Enum):
    """Where a generation stands."""

    OPENING = "opening"
    LARGE_THINKING = "large_thinking"
    HANDOVER = "handover"
    SMALL_THINKING = "small_thinking"
    CLOSING = "closing"
    THINKING_OVER = "thinking_over"
    SMALL_ANSWER = "small_answer"
    LARGE_ANSWER = "large_answer"
    DONE = "done"


class Event(Enum):
    """What moves it on."""

    THINKS = "thinks"
    """The thinking is open: by the prompt's end or by the tag that the model wrote."""
    SKIPS = "skips"
    """The model writes something that is no open tag: it answers at once."""
    CUE = "cue"
    """A switch cue is complete."""
    CONFIRM = "confirm"
    """The small model's first character does not continue a word."""
    TAKE_BACK = "take_back"
    """It does, or the small model had nothing to say."""
    HAND_BACK = "hand_back"
    """The small segment ended."""
    CLOSE_TAG = "close_tag"
    """The closing tag is complete, whoever wrote it (the prompt too)."""
    CUT_SHORT = "cut_short"
    """The thinking ends by an injected tag: budget, EOS of the large model, a loop, a full context, or because what a
    model wrote in the tag's own token can't stand."""
    INJECTED = "injected"
    """The closing tag was injected."""
    SMALL_ANSWERS = "small_answers"
    """The small model writes the answer."""
    LARGE_ANSWERS = "large_answers"
    """The large model writes it, or what is left of it."""
    FINISH = "finish"
    """Nothing more is to be written."""


TRANSITIONS: Final[dict[tuple[State, Event], State]] = {
    (State.OPENING, Event.THINKS): State.LARGE_THINKING,
    (State.OPENING, Event.SKIPS): State.LARGE_ANSWER,
    (State.OPENING, Event.CLOSE_TAG): State.THINKING_OVER,
    (State.LARGE_THINKING, Event.CUE): State.HANDOVER,
    (State.LARGE_THINKING, Event.CLOSE_TAG): State.THINKING_OVER,
    (State.LARGE_THINKING, Event.CUT_SHORT): State.CLOSING,
    (State.LARGE_THINKING, Event.FINISH): State.DONE,
    (State.HANDOVER, Event.CONFIRM): State.SMALL_THINKING,
    (State.HANDOVER, Event.TAKE_BACK): State.LARGE_THINKING,
    (State.SMALL_THINKING, Event.HAND_BACK): State.LARGE_THINKING,
    (State.SMALL_THINKING, Event.CLOSE_TAG): State.THINKING_OVER,
    (State.SMALL_THINKING, Event.CUT_SHORT): State.CLOSING,
    (State.SMALL_THINKING, Event.FINISH): State.DONE,
    (State.CLOSING, Event.INJECTED): State.THINKING_OVER,
    (State.CLOSING, Event.FINISH): State.DONE,
    (State.THINKING_OVER, Event.SMALL_ANSWERS): State.SMALL_ANSWER,
    (State.THINKING_OVER, Event.LARGE_ANSWERS): State.LARGE_ANSWER,
    (State.THINKING_OVER, Event.FINISH): State.DONE,
    (State.SMALL_ANSWER, Event.LARGE_ANSWERS): State.LARGE_ANSWER,
    (State.SMALL_ANSWER, Event.FINISH): State.DONE,
    (State.LARGE_ANSWER, Event.FINISH): State.DONE,
}

READING: Final = frozenset(
    {
        State.OPENING,
        State.LARGE_THINKING,
        State.HANDOVER,
        State.SMALL_THINKING,
        State.SMALL_ANSWER,
        State.LARGE_ANSWER,
    }
)
"""States in which a model writes."""


def after(state: State, event: Event) -> State:
    """The state that the event leads to.

    Raises:
        PolicyError: The table holds no such move.
    """
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        known = ", ".join(sorted(known.value for start, known in TRANSITIONS if start is state)) or "nothing"
        raise PolicyError(
            f"{event.value!r} cannot happen in state {state.value!r}, which knows {known}; ask() says what is due"
        ) from None
