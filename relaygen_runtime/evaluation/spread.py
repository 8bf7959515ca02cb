"""A figure with its spread: ratios and their intervals from paired measurements, seeded and without dependencies."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from relaygen_runtime.errors import ConfigurationError

__all__ = ["Figure", "bootstrap"]

_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic with its 95% interval over `n` measurements."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def bootstrap(rows: Sequence[tuple[float, ...]], statistic: Callable[[Sequence[tuple[float, ...]]], float]) -> Figure:
    """Percentile bootstrap over paired rows (Efron 1979).

    Args:
        rows: One tuple of measurements for each unit (a prompt, a problem); what belongs together stays together.
        statistic: From rows to one number.

    Returns:
        The statistic of all rows, with the 2.5th and 97.5th percentile over 2,000 resamples (seeded).

    Raises:
        ConfigurationError: There are no rows.
    """
    if not rows:
        raise ConfigurationError("n: nothing was measured; ask for at least 1")
    draw = random.Random(0)
    values = sorted(statistic(draw.choices(rows, k=len(rows))) for _ in range(_RESAMPLES))
    return Figure(statistic(rows), values[int(0.025 * _RESAMPLES)], values[int(0.975 * _RESAMPLES)], len(rows))
