"""Milliseconds of one model's forward passes by width, and how near the plainest of them comes to the memory's limit.

Owns the timing of bare passes: the decoding code's own half of a pair, without policy, sampling or text. Width 1 is a
decode step; the wider ones are verifications and catch-ups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.forced.bandwidth import synchronize
from benchmarks.forced.shapes import cache_bytes, step_weight_bytes
from relaygen_runtime.engines.transformers.choose_half import choose_half
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.slot_half import WIDTHS

__all__ = ["PassTimes", "measure_passes"]

_REPEATS = 12
_WARM_UPS = 3


@dataclass(frozen=True, slots=True)
class PassTimes:
    """One model's passes.

    Attributes:
        length: Tokens in the cache.
        seconds: By width, median.
        weight_bytes: Weights that a pass cannot but read.
        token_bytes: Keys and values of one token.
        n: Passes of each width.
    """

    length: int
    seconds: dict[int, float]
    weight_bytes: int
    token_bytes: int
    n: int = _REPEATS

    def step_bytes(self, length: float) -> float:
        """What a decode step behind so many tokens cannot but read."""
        return self.weight_bytes + self.token_bytes * length


def measure_passes(model: Any, length: int, progress: Callable[[int, int], None] | None = None) -> PassTimes:
    """Time passes of every width behind `length` tokens, in turn.

    Args:
        model: The model, not forced.
        length: Tokens in the cache before each pass.
        progress: Called with passes done and to do.
    """
    half = choose_half(Network(model, "timed", 2**31), capacity=length + 2 * WIDTHS[-1])
    device, vocabulary = half.network.device, half.network.vocabulary
    sequence = [(7 * place) % vocabulary for place in range(length + WIDTHS[-1])]
    half.read(sequence[:length])
    seconds: dict[int, list[float]] = {width: [] for width in WIDTHS}
    rounds = _WARM_UPS + _REPEATS
    for done in range(rounds):
        for width in WIDTHS:
            half.keep(length)
            synchronize(device)
            began = perf_counter()
            half.read(sequence[: length + width], width)
            synchronize(device)
            seconds[width].append(perf_counter() - began)
        if progress is not None:
            progress(done + 1, rounds)
    medians = {width: median(times[_WARM_UPS:]) for width, times in seconds.items()}
    return PassTimes(length, medians, step_weight_bytes(model), cache_bytes(model))
