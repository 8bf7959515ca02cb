"""Turns what the policy says into events, adding what the policy cannot know: times, counts, names.

Owns the clock of a generation and the growing ledger. A run is measured from the asking to the cut and booked under the
segment it was meant for, whether it stood or was taken back: a reader of the ledger sees what was paid.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from relaygen_runtime.engines.base import Capabilities, RunStats
from relaygen_runtime.events import (
    RelayEvent,
    RelayFinished,
    SegmentFinished,
    SegmentStarted,
    TextDelta,
    ThinkingFinished,
)
from relaygen_runtime.ledger import Ledger, LedgerEntry, Prices
from relaygen_runtime.policy.steps import Closed, Opened, Output, Text
from relaygen_runtime.vocabulary import CountSource, FinishReason, Phase, Role

__all__ = ["Recorder"]


@dataclass(slots=True)
class _Account:
    """What has been booked under one segment so far."""

    started_s: float
    seconds: float = 0.0
    first_token_s: float | None = None
    generated: int = 0
    drafted: int = 0
    accepted: int = 0
    prefilled: int = 0
    cached: int = 0
    source: CountSource = CountSource.ENGINE
    author: Role | None = None
    phase: Phase = Phase.THINKING
    texts: list[str] = field(default_factory=list)


class Recorder:
    """Books runs and translates outputs.

    Args:
        capabilities: Names of the models.
        solo: The one model that writes everything, when there is one: it stands in for both authors.
    """

    def __init__(self, capabilities: Capabilities, solo: Role | None = None) -> None:
        self._names = {Role.LARGE: capabilities.large_model, Role.SMALL: capabilities.small_model}
        self._solo = solo
        self._start = time.perf_counter()
        self._seconds = 0.0
        self._run_start = self._start
        self._accounts: dict[int, _Account] = {}
        self._entries: list[LedgerEntry] = []

    def run_begins(self, segment: int) -> None:
        """A run for `segment` is about to be asked of the engine."""
        self._run_start = time.perf_counter()
        if segment not in self._accounts:
            self._accounts[segment] = _Account(started_s=self._run_start - self._start)

    def pieces_came(self, segment: int) -> None:
        """The first pieces of a run are here (later calls change nothing)."""
        account = self._accounts[segment]
        if account.first_token_s is None:
            account.first_token_s = time.perf_counter() - self._start - account.started_s

    def run_ends(self, segment: int, stats: RunStats) -> None:
        """The run is over: book its seconds and counts."""
        account = self._accounts[segment]
        account.seconds += time.perf_counter() - self._run_start
        account.generated += stats.generated_tokens
        account.drafted += stats.drafted_tokens
        account.accepted += stats.accepted_tokens
        account.prefilled += stats.prefilled_tokens
        account.cached += stats.cached_tokens
        account.source = stats.source

    def events(self, outputs: Iterable[Output]) -> Iterator[RelayEvent]:
        """The events that these outputs come to."""
        for output in outputs:
            if isinstance(output, Opened):
                account = self._account(output.segment)
                account.author = self._author(output.author)
                account.phase = output.phase
                yield SegmentStarted(output.segment, account.author, self._name(account.author), output.phase)
            elif isinstance(output, Text):
                self._account(output.segment).texts.append(output.text)
                yield TextDelta(output.segment, self._author(output.author), output.phase, output.text, output.markup)
            elif isinstance(output, Closed):
                entry = self._entry(output)
                self._entries.append(entry)
                yield SegmentFinished(entry)
            else:
                yield ThinkingFinished(output.tokens, time.perf_counter() - self._start, output.forced)

    def stop(self) -> None:
        """The generation is over; what is asked of the engine after this is not its time."""
        self._seconds = time.perf_counter() - self._start

    def finish(
        self,
        *,
        prompt_tokens: int | None,
        large_s_per_token: float | None,
        prices: Prices,
        reason: FinishReason,
        notes: tuple[str, ...],
        degraded: bool,
    ) -> RelayFinished:
        """The last event, with the ledger."""
        first = self._entries[0].first_token_s if self._entries else None
        ledger = Ledger(
            entries=tuple(self._entries),
            prompt_tokens=prompt_tokens,
            seconds=self._seconds,
            large_s_per_token=large_s_per_token,
            prices=prices,
            baseline_overhead_s=max(0.0, (first or 0.0) - (large_s_per_token or 0.0)),
        )
        return RelayFinished(ledger, reason, notes, degraded)

    def _account(self, segment: int) -> _Account:
        return self._accounts.setdefault(segment, _Account(started_s=time.perf_counter() - self._start))

    def _author(self, author: Role | None) -> Role | None:
        return self._solo if self._solo is not None and author is not None else author

    def _name(self, author: Role | None) -> str | None:
        return None if author is None else self._names[author]

    def _entry(self, closed: Closed) -> LedgerEntry:
        account = self._accounts[closed.segment]
        return LedgerEntry(
            index=closed.segment,
            role=account.author,
            model=self._name(account.author),
            phase=account.phase,
            reason=closed.reason,
            cue=closed.cue,
            tokens=closed.tokens,
            generated_tokens=account.generated,
            drafted_tokens=account.drafted,
            accepted_tokens=account.accepted,
            prefilled_tokens=account.prefilled,
            cached_tokens=account.cached,
            started_s=account.started_s,
            seconds=account.seconds,
            first_token_s=account.first_token_s,
            source=account.source,
            text="".join(account.texts),
        )
