"""The ledger of one generation: its entries, and every total derived from them.

Append-only while the generation runs (the driver owns the list), immutable afterwards. Owns sums, speeds, costs and
savings; refuses to invent: what was not measured or not priced is None. Savings are against the large model alone
writing the same tokens at its own measured speed, and are an estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from relaygen_runtime.ledger.entry import LedgerEntry
from relaygen_runtime.ledger.prices import Prices
from relaygen_runtime.vocabulary import Phase, Role

__all__ = ["Ledger"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a generation took, segment by segment.

    Attributes:
        entries: One for each segment, in order.
        prompt_tokens: Tokens of the rendered prompt, counted once; None if unknown.
        seconds: Seconds from the start to the end of the generation, waiting for other generations excluded.
        large_s_per_token: Measured seconds per token of the large model decoding alone; None where not measured.
        prices: What the models cost.
        baseline_overhead_s: Seconds that the large model alone would also have taken (reading the prompt).
    """

    entries: tuple[LedgerEntry, ...]
    prompt_tokens: int | None
    seconds: float
    large_s_per_token: float | None = None
    prices: Prices = field(default_factory=Prices)
    baseline_overhead_s: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens delivered, injected ones included."""
        return sum(entry.tokens for entry in self.entries)

    def tokens_by(self, role: Role | None) -> int:
        """Tokens delivered by one model, or injected (None)."""
        return sum(entry.tokens for entry in self.entries if entry.role is role)

    def seconds_by(self, role: Role) -> float:
        """Seconds of the segments that one model wrote, handoffs included."""
        return sum(entry.seconds for entry in self.entries if entry.role is role)

    def tokens_in(self, phase: Phase) -> int:
        """Tokens delivered in one phase."""
        return sum(entry.tokens for entry in self.entries if entry.phase is phase)

    def _sum(self, count: Callable[[LedgerEntry], int | None], role: Role | None = None) -> int | None:
        values = [count(entry) for entry in self.entries if entry.role is not None and role in (None, entry.role)]
        return None if any(value is None for value in values) else sum(value for value in values if value is not None)

    @property
    def generated_tokens(self) -> int | None:
        """Tokens sampled, with the dropped ones: what a server bills."""
        return self._sum(lambda entry: entry.generated_tokens)

    @property
    def drafted_tokens(self) -> int | None:
        """Tokens drafted for verification."""
        return self._sum(lambda entry: entry.drafted_tokens)

    @property
    def accepted_tokens(self) -> int | None:
        """Drafted tokens that the large model accepted."""
        return self._sum(lambda entry: entry.accepted_tokens)

    @property
    def acceptance(self) -> float | None:
        """Accepted over drafted; None when nothing was drafted, or when it is unknown."""
        if not self.drafted_tokens or self.accepted_tokens is None:
            return None
        return self.accepted_tokens / self.drafted_tokens

    @property
    def switches(self) -> int:
        """How often the author changed."""
        roles = [entry.role for entry in self.entries if entry.role is not None]
        return sum(1 for before, after in pairwise(roles) if before is not after)

    @property
    def small_share(self) -> float:
        """Fraction of the delivered tokens that the small model wrote."""
        return self.tokens_by(Role.SMALL) / self.tokens if self.tokens else 0.0

    @property
    def estimated_large_alone_s(self) -> float | None:
        """Estimated seconds of the large model alone for the same tokens."""
        if self.large_s_per_token is None:
            return None
        return self.baseline_overhead_s + self.tokens * self.large_s_per_token

    @property
    def estimated_speedup(self) -> float | None:
        """Estimated speed-up against the large model alone."""
        alone = self.estimated_large_alone_s
        return None if alone is None or self.seconds <= 0 else alone / self.seconds

    @property
    def estimated_saved_s(self) -> float | None:
        """Estimated seconds saved against the large model alone; negative when it was slower."""
        alone = self.estimated_large_alone_s
        return None if alone is None else alone - self.seconds

    @property
    def cost(self) -> float | None:
        """Dollars of the whole generation; None when a price or a count is missing."""
        costs = [self._cost_by(role) for role in Role if any(entry.role is role for entry in self.entries)]
        return None if any(cost is None for cost in costs) else sum(cost for cost in costs if cost is not None)

    @property
    def estimated_large_alone_cost(self) -> float | None:
        """Estimated dollars of the large model alone for the same tokens."""
        price, alone = self.prices.large, self.estimated_large_alone_s
        if price is None or self.prompt_tokens is None or alone is None:
            return None
        return price.cost(read=self.prompt_tokens, cached=0, written=self.tokens, seconds=alone)

    def _cost_by(self, role: Role) -> float | None:
        price = self.prices.of(role)
        read = self._sum(lambda entry: entry.prefilled_tokens, role)
        cached = self._sum(lambda entry: entry.cached_tokens, role)
        written = self._sum(lambda entry: entry.generated_tokens, role)
        if price is None or read is None or cached is None or written is None:
            return None
        return price.cost(read=read, cached=cached, written=written, seconds=self.seconds_by(role))

    def summary(self) -> dict[str, Any]:
        """Totals as plain JSON data."""
        return {
            "segments": len(self.entries),
            "switches": self.switches,
            "prompt_tokens": self.prompt_tokens,
            "tokens": self.tokens,
            "large_tokens": self.tokens_by(Role.LARGE),
            "small_tokens": self.tokens_by(Role.SMALL),
            "injected_tokens": self.tokens_by(None),
            "thinking_tokens": self.tokens_in(Phase.THINKING),
            "answer_tokens": self.tokens_in(Phase.ANSWER),
            "small_share": self.small_share,
            "generated_tokens": self.generated_tokens,
            "drafted_tokens": self.drafted_tokens,
            "accepted_tokens": self.accepted_tokens,
            "seconds": self.seconds,
            "large_seconds": self.seconds_by(Role.LARGE),
            "small_seconds": self.seconds_by(Role.SMALL),
            "estimated_large_alone_s": self.estimated_large_alone_s,
            "estimated_speedup": self.estimated_speedup,
            "cost": self.cost,
            "estimated_large_alone_cost": self.estimated_large_alone_cost,
        }
