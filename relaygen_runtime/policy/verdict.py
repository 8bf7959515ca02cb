"""What a reader says when the run it reads must end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Ending", "Verdict"]


class Ending(Enum):
    """Why a reader stops reading."""

    DECIDED = "decided"
    """Not an end: it is clear now whether the model thinks."""
    CUE = "cue"
    CLOSE_TAG = "close_tag"
    SENTENCE = "sentence"
    STOP_STRING = "stop_string"
    LOOP = "loop"
    LIMIT = "limit"
    """As many tokens as were allowed are written."""
    TAKEN_BACK = "taken_back"
    """The switch that led here stands inside a word."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a run.

    Attributes:
        ending: Why.
        keep: How many characters of the piece read last belong to what was read; the rest is dropped, or the answer's.
        drop: How many of the pieces read last are not kept, that one included. With `CLOSE_TAG`: 1 where the tag's own
            token goes on with what can't stand; it is to be written anew without.
        hidden: How many characters of earlier pieces must not be shown.
        cue: The switch cue.
    """

    ending: Ending
    keep: int = 0
    drop: int = 0
    hidden: int = 0
    cue: str | None = None
