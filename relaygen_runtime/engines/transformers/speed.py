"""How fast the large model is alone: the baseline of every saving.

Owns the samples. Real plain decode steps come first; where there are none (speculation writes everything), a few steps
are made up, behind whatever the cache holds, and forgotten again.
"""

from __future__ import annotations

import threading
from collections import deque
from statistics import median
from time import perf_counter

from relaygen_runtime.engines.transformers.half import Half

__all__ = ["Speed"]

_ENOUGH = 8
_MADE_UP = 16
_TYPICAL_LENGTH = 128


class Speed:
    """Seconds per token of one half, decoding plainly.

    Args:
        half: The large model.
        busy: Held while a model runs.
    """

    def __init__(self, half: Half, busy: threading.RLock) -> None:
        self._half = half
        self._busy = busy
        self._real: deque[float] = deque(maxlen=64)
        self._made_up: float | None = None

    def note(self, seconds: float) -> None:
        """A token took this long."""
        self._real.append(seconds)

    def s_per_token(self) -> float | None:
        """Median seconds per token; None where a measurement would cost a cache that cannot roll back."""
        if len(self._real) >= _ENOUGH:
            return median(self._real)
        if self._made_up is None and self._half.rolls_back:
            with self._busy:
                self._made_up = self._measure()
        return self._made_up

    def _measure(self) -> float | None:
        half = self._half
        sequence = [*half.ids] or [0] * _TYPICAL_LENGTH
        context = half.network.context
        if context is not None and len(sequence) + _MADE_UP > context:
            sequence = sequence[: max(1, context - _MADE_UP)]
        before = len(half.ids)
        half.read(sequence)
        seconds = []
        for _ in range(_MADE_UP):
            sequence.append(0)
            began = perf_counter()
            half.read(sequence).argmax(-1).item()
            seconds.append(perf_counter() - began)
        half.keep(before)
        return median(seconds)
