"""Memory bandwidth of a device, measured by copying.

Owns that one measurement. A copy reads and writes; both are counted. It is what a device gives to the plainest of
programs, a little below what its maker states.
"""

from __future__ import annotations

from time import perf_counter

import torch

__all__ = ["copy_bandwidth", "synchronize"]

_BYTES = {"cuda": 1 << 30, "cpu": 64 << 20}
_REPEATS = 10


def copy_bandwidth(device: torch.device) -> float:
    """Bytes read and written a second in the best of ten large copies."""
    source = torch.empty(_BYTES.get(device.type, _BYTES["cpu"]), dtype=torch.uint8, device=device).fill_(1)
    target = torch.empty_like(source)
    seconds = []
    for _ in range(_REPEATS):
        synchronize(device)
        began = perf_counter()
        target.copy_(source)
        synchronize(device)
        seconds.append(perf_counter() - began)
    return 2 * source.numel() / min(seconds)


def synchronize(device: torch.device) -> None:
    """Wait for a device; CPUs never lag."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
