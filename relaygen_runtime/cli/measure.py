"""The demo's stopwatch: the relay against the large model alone, there and then, interleaved in this process.

Owns that one comparison. Benchmarks with spreads and all arms are `relaygen_runtime.evaluation`'s.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.ledger import Ledger
from relaygen_runtime.relay import Relay

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Medians of interleaved repeats.

    Attributes:
        repeats: How many of each.
        relay_tokens: Tokens of the relay's answer, thinking included.
        relay_s: Seconds it took.
        large_tokens: Tokens of the large model's own answer.
        large_s: Seconds it took.
    """

    repeats: int
    relay_tokens: float
    relay_s: float
    large_tokens: float
    large_s: float

    @property
    def speedup(self) -> float:
        """Tokens a second over the large model's: fair though the two answers may differ in length."""
        return (self.relay_tokens / self.relay_s) / (self.large_tokens / self.large_s)

    @property
    def saved_share(self) -> float:
        """Share of the large model's time per token that is saved; negative when the relay is slower."""
        return 1 - 1 / self.speedup

    @property
    def saved_s(self) -> float:
        """Seconds that the large model would have needed more for the relay's tokens."""
        return self.relay_tokens * self.large_s / self.large_tokens - self.relay_s


def compare(
    relay: Relay, question: str, options: Mapping[str, Any], *, repeats: int, progress: Callable[[], None] | None = None
) -> Comparison:
    """Let both answer the same question, turn by turn.

    Args:
        relay: The pair, warm.
        question: What is asked.
        options: Options of the relay's answers.
        repeats: How often each answers; at least 1.
        progress: Called after each answer.

    Raises:
        ConfigurationError: Fewer than one repeat.
    """
    if repeats < 1:
        raise ConfigurationError(f"repeats: {repeats} given, at least 1 is needed")
    arms: dict[str, Mapping[str, Any]] = {
        "relay": options,
        "large": {**options, "mode": "large", "speculation": False},
    }
    ledgers: dict[str, list[Ledger]] = {name: [] for name in arms}
    for _ in range(repeats):
        for name, chosen in arms.items():
            ledgers[name].append(relay.generate(question, **chosen).ledger)
            if progress is not None:
                progress()
    return Comparison(
        repeats=repeats,
        relay_tokens=statistics.median(ledger.tokens for ledger in ledgers["relay"]),
        relay_s=statistics.median(ledger.seconds for ledger in ledgers["relay"]),
        large_tokens=statistics.median(ledger.tokens for ledger in ledgers["large"]),
        large_s=statistics.median(ledger.seconds for ledger in ledgers["large"]),
    )
