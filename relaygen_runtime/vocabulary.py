"""The words that every room shares: roles, phases, pieces, and the reasons for which things end.

Owns the enums, and the piece that tokens travel in, and nothing else: no behaviour, no I/O. The values are stable
strings, because they appear in JSON events, traces and ledgers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["CountSource", "FinishReason", "Phase", "Piece", "Role", "Stop", "SwitchReason"]


class Role(StrEnum):
    """The two models' roles in a pair."""

    LARGE = "large"
    SMALL = "small"

    @property
    def other(self) -> Role:
        """The partner's role."""
        return Role.SMALL if self is Role.LARGE else Role.LARGE


class Phase(StrEnum):
    """The two phases of a generation: up to the closing think tag, and after it."""

    THINKING = "thinking"
    ANSWER = "answer"


class SwitchReason(StrEnum):
    """Why a segment ended."""

    CUE = "cue"
    SENTENCE_END = "sentence_end"
    THINKING_END = "thinking_end"
    EOS = "eos"
    MAX_SMALL_TOKENS = "max_small_tokens"
    LOOP = "loop"
    THINKING_BUDGET = "thinking_budget"
    MAX_TOKENS = "max_tokens"
    CONTEXT = "context"
    STOP_STRING = "stop_string"
    INJECTED = "injected"
    FAULT = "fault"


class FinishReason(StrEnum):
    """Why the whole generation ended."""

    STOP = "stop"
    STOP_STRING = "stop_string"
    LENGTH = "length"
    LOOP = "loop"


class CountSource(StrEnum):
    """Where a token count comes from."""

    ENGINE = "engine"
    TOKENIZER = "tokenizer"
    ESTIMATE = "estimate"


class Stop(StrEnum):
    """Why a model stopped by itself, before the policy cut it."""

    EOS = "eos"
    """It wrote an end-of-sequence token (which is never part of the text)."""
    MAX_TOKENS = "max_tokens"
    """The run reached `Run.max_tokens`."""
    CONTEXT = "context"
    """The model's context is full."""
    CLOSED = "closed"
    """A constrained answer was brought to its end by the engine: its limit was near, or `Run.finish` asked for it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One token as the policy sees it.

    Attributes:
        text: The text that this token completed; empty while a multi-byte character is incomplete.
        token_id: Its id, or None where the engine knows text only.
        tokens: How many tokens this piece stands for (0 where only characters are known).
    """

    text: str
    token_id: int | None = None
    tokens: int = 1
