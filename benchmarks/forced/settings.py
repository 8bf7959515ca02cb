"""What one run of the forced bench measures, and on what. Plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from benchmarks.forced.script import Agreement

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured.

    Attributes:
        scale: A key of `SCALES`.
        device: Where.
        dtype: Of weights and caches.
        tokens: Tokens that are written of each trace.
        repeats: Repeats of each trace for each arm; the fastest counts.
        history: Tokens of other text before each question.
        temperature: 0 is greedy.
        agreement: How the small model relates to the traces.
        sweep: Further agreement rates, measured on the arms that draft.
        bandwidth_bytes_per_s: The device's memory bandwidth as its maker states it; None: unknown.
        draft_max: As in `TransformersEngine`.
        draft_confidence: As there.
        compiled: As `TransformersEngine`'s ``compile``: False, True, or the name of a backend.
        seed: Of the weights.
    """

    scale: str = "toy"
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    dtype: torch.dtype = torch.float32
    tokens: int = 1000
    repeats: int = 2
    history: int = 0
    temperature: float = 0.0
    agreement: Agreement = field(default_factory=Agreement)
    sweep: Sequence[float] = ()
    bandwidth_bytes_per_s: float | None = None
    draft_max: int = 24
    draft_confidence: float = 0.7
    compiled: bool | str = False
    seed: int = 0
