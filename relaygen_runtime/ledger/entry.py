"""One line of the ledger: what one segment took.

An entry is a fact, written once when its segment has finished; totals are derived (`relaygen_runtime.ledger.ledger`).
An unknown is None, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from relaygen_runtime.vocabulary import CountSource, Phase, Role, SwitchReason

__all__ = ["LedgerEntry"]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What one segment took.

    Attributes:
        index: Number of the segment, from 0.
        role: Who wrote it; None for injected text.
        model: The model's name; None for injected text.
        phase: Thinking or answer.
        reason: Why the segment ended.
        cue: The switch cue, when that was the reason.
        tokens: Tokens delivered (they stand in the text).
        generated_tokens: Tokens sampled for it, with those looked ahead, overshot or retried and dropped.
        drafted_tokens: Tokens drafted for verification.
        accepted_tokens: Drafted tokens that were accepted.
        prefilled_tokens: Tokens read that the model had not seen: prompt, or the other model's writing.
        cached_tokens: Tokens that a kept cache saved from being read again.
        started_s: Seconds from the start of the generation to the segment's start.
        seconds: Seconds the segment took, its handoff included.
        first_token_s: Seconds from the segment's start to its first piece; None when it has none.
        source: Where the token counts come from.
        text: The segment's text.
    """

    index: int
    role: Role | None
    model: str | None
    phase: Phase
    reason: SwitchReason
    cue: str | None
    tokens: int
    started_s: float
    seconds: float
    generated_tokens: int | None = None
    drafted_tokens: int | None = None
    accepted_tokens: int | None = None
    prefilled_tokens: int | None = None
    cached_tokens: int | None = None
    first_token_s: float | None = None
    source: CountSource = CountSource.ENGINE
    text: str = ""
