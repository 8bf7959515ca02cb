"""What a generation says while it runs: five frozen events, a closed union.

Everything else (chat models, traces, the command line's colours) is a consumer of this stream. Order:
``(SegmentStarted TextDelta* SegmentFinished)* RelayFinished``, with one `ThinkingFinished` between the last
thinking segment and the first answer segment. What has been said is never taken back.
"""

from __future__ import annotations

from dataclasses import dataclass

from relaygen_runtime.ledger.entry import LedgerEntry
from relaygen_runtime.ledger.ledger import Ledger
from relaygen_runtime.vocabulary import FinishReason, Phase, Role

__all__ = [
    "RelayEvent",
    "RelayFinished",
    "SegmentFinished",
    "SegmentStarted",
    "TextDelta",
    "ThinkingFinished",
]


@dataclass(frozen=True, slots=True)
class SegmentStarted:
    """A segment began.

    Attributes:
        index: Its number, from 0.
        role: Who writes it; None for injected text.
        model: The model's name; None for injected text.
        phase: Thinking or answer.
    """

    index: int
    role: Role | None
    model: str | None
    phase: Phase


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Some text, final.

    Attributes:
        index: The segment it belongs to.
        role: Who wrote it; None for injected text.
        phase: Thinking or answer.
        text: All deltas' texts joined are the generation, byte for byte.
        markup: A think tag, or white space beside one: not for a reader.
    """

    index: int
    role: Role | None
    phase: Phase
    text: str
    markup: bool = False


@dataclass(frozen=True, slots=True)
class SegmentFinished:
    """A segment ended; `entry` is its line in the ledger."""

    entry: LedgerEntry


@dataclass(frozen=True, slots=True)
class ThinkingFinished:
    """The thinking is over.

    Attributes:
        tokens: Tokens of thinking, tags included.
        seconds: Seconds from the start of the generation.
        forced: No model closed it: a budget, or EOS inside the thinking, did.
    """

    tokens: int
    seconds: float
    forced: bool


@dataclass(frozen=True, slots=True)
class RelayFinished:
    """The generation is over.

    Attributes:
        ledger: What it took, segment by segment.
        finish_reason: Why it ended.
        notes: One sentence for each thing out of the ordinary, e.g. thinking that was cut short.
        degraded: The small model failed and the large carried on alone.
    """

    ledger: Ledger
    finish_reason: FinishReason
    notes: tuple[str, ...] = ()
    degraded: bool = False


RelayEvent = SegmentStarted | TextDelta | SegmentFinished | ThinkingFinished | RelayFinished
