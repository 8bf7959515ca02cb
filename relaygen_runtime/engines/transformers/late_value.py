"""Reading small results from a device a little later than they are computed.

Owns the hand-over of a sampled token to the host. On CUDA the copy runs beside the next pass, which is launched before
the host waits, so the GPU is never idle; on a CPU the value is simply there.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["LateValue"]


class LateValue:
    """A tensor on its way to the host.

    Args:
        value: Any small tensor; must not be overwritten before `wait` returns, unless it lives on CUDA.
    """

    def __init__(self, value: Tensor) -> None:
        self._event: torch.cuda.Event | None = None
        if value.device.type == "cuda":  # pragma: no cover  (needs a GPU)
            pinned = torch.empty(value.shape, dtype=value.dtype, pin_memory=True)
            pinned.copy_(value, non_blocking=True)
            self._event = torch.cuda.Event()  # type: ignore[no-untyped-call]  # untyped in torch
            self._event.record()
            value = pinned
        self._value = value

    def wait(self) -> list[float]:
        """Return the numbers, in one flat list."""
        if self._event is not None:  # pragma: no cover  (needs a GPU)
            self._event.synchronize()
        return [float(number) for number in self._value.flatten().tolist()]
