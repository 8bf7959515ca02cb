"""The result of one generation: the texts and the ledger, built from nothing but the event stream.

Owns the fold from events to a result, so that streaming and not streaming cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from relaygen_runtime.errors import PolicyError
from relaygen_runtime.events import RelayEvent, RelayFinished, TextDelta
from relaygen_runtime.ledger import Ledger
from relaygen_runtime.vocabulary import FinishReason, Phase

__all__ = ["RelayResult", "ResultBuilder"]


@dataclass(frozen=True, slots=True)
class RelayResult:
    """One answer.

    Attributes:
        answer: The answer, without think tags and the white space beside them.
        thinking: The thinking, likewise.
        text: Everything that was written, byte for byte.
        ledger: What it took, segment by segment.
        finish_reason: Why it ended.
        notes: One sentence for each thing out of the ordinary.
        degraded: The small model failed and the large carried on alone.
    """

    answer: str
    thinking: str
    text: str
    ledger: Ledger
    finish_reason: FinishReason
    notes: tuple[str, ...] = ()
    degraded: bool = False


class ResultBuilder:
    """Folds events into a `RelayResult`."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._phases: dict[Phase, list[str]] = {Phase.THINKING: [], Phase.ANSWER: []}
        self._finished: RelayFinished | None = None

    def add(self, event: RelayEvent) -> None:
        """Take one event."""
        if isinstance(event, TextDelta):
            self._text.append(event.text)
            if not event.markup:
                self._phases[event.phase].append(event.text)
        elif isinstance(event, RelayFinished):
            self._finished = event

    @property
    def text(self) -> str:
        """What has been written so far."""
        return "".join(self._text)

    def result(self) -> RelayResult:
        """The result.

        Raises:
            PolicyError: `RelayFinished` has not come yet.
        """
        if self._finished is None:
            raise PolicyError("the event stream ended without RelayFinished")
        return RelayResult(
            answer="".join(self._phases[Phase.ANSWER]),
            thinking="".join(self._phases[Phase.THINKING]),
            text=self.text,
            ledger=self._finished.ledger,
            finish_reason=self._finished.finish_reason,
            notes=self._finished.notes,
            degraded=self._finished.degraded,
        )

    @classmethod
    def fold(cls, events: Iterable[RelayEvent]) -> RelayResult:
        """Consume a whole stream."""
        builder = cls()
        for event in events:
            builder.add(event)
        return builder.result()
