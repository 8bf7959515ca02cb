"""What a forced pair takes of a GPU's memory. Owns the reading; on a CPU there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.forced.shapes import weight_bytes

__all__ = ["MemoryUse", "memory_use"]


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes.

    Attributes:
        weights: Of both models' parameters.
        peak_allocated: The most that tensors took at once; None on a CPU.
        peak_reserved: The most that torch held, captured graphs' pools included; None on a CPU.
    """

    weights: int
    peak_allocated: int | None
    peak_reserved: int | None


def memory_use(models: Mapping[Any, Any], device: torch.device) -> MemoryUse:
    """Read the peaks since the process began."""
    on_gpu = device.type == "cuda"
    return MemoryUse(
        weights=sum(weight_bytes(model) for model in models.values()),
        peak_allocated=torch.cuda.max_memory_allocated(device) if on_gpu else None,
        peak_reserved=torch.cuda.max_memory_reserved(device) if on_gpu else None,
    )
