"""Our own key-value cache: one preallocated buffer per layer, of which attention sees the used part only.

Owns the buffers and where a pass writes into them (`Frame`). Rolling back is a number: stale slots are overwritten
before anything reads them. Knows no tokens (`half` does) and no model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import Cache
from transformers.cache_utils import CacheLayerMixin

__all__ = ["Frame", "SlotCache"]


@dataclass(slots=True)
class Frame:
    """Where the running pass reads and writes.

    Attributes:
        start: First slot that is written, when the host knows it.
        span: How many leading slots attention sees, at least all that are used after this pass.
        slots: The slots that are written, as a device tensor of shape (width,); None: ``start : span``.
    """

    start: int = 0
    span: int = 0
    slots: Tensor | None = None


class SlotLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]  # a hook of transformers' own is untyped
    """Keys and values of one layer, shaped (1, key-value heads, capacity, head dimension)."""

    keys: Tensor
    values: Tensor

    is_sliding = False
    is_compileable = True

    def __init__(self, frame: Frame, heads: int, capacity: int, key_dim: int, value_dim: int, **kind: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self._frame = frame
        # Zeros, not garbage: a masked slot has weight 0, and 0 times a NaN is a NaN.
        self.keys = torch.zeros(1, heads, capacity, key_dim, **kind)
        self.values = torch.zeros(1, heads, capacity, value_dim, **kind)
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        frame = self._frame
        if frame.slots is None:
            self.keys[:, :, frame.start : frame.span] = key_states
            self.values[:, :, frame.start : frame.span] = value_states
        else:
            self.keys.index_copy_(2, frame.slots, key_states)
            self.values.index_copy_(2, frame.slots, value_states)
        return self.keys[:, :, : frame.span], self.values[:, :, : frame.span]

    def grow(self, capacity: int, used: int) -> None:
        for name in ("keys", "values"):
            old = getattr(self, name)
            new = old.new_zeros(*old.shape[:2], capacity, old.shape[3])
            new[:, :, :used] = old[:, :, :used]
            setattr(self, name, new)

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing is lazy."""

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:  # noqa: ARG002  (the base class's signature)
        return self._frame.span, 0

    def get_seq_length(self) -> int:
        return self._frame.start

    def get_max_length(self) -> int:
        return int(self.keys.shape[2])


class SlotCache(Cache):
    """The caches of all layers, sharing one `Frame`.

    Args:
        shapes: Per layer: key-value heads, key dimension, value dimension, device.
        capacity: Slots, i.e. tokens.
        dtype: Of keys and values.
    """

    def __init__(self, shapes: list[tuple[int, int, int, torch.device]], capacity: int, dtype: torch.dtype) -> None:
        self.frame = Frame()
        self.capacity = capacity
        self.slot_layers = [
            SlotLayer(self.frame, heads, capacity, key_dim, value_dim, dtype=dtype, device=device)
            for heads, key_dim, value_dim, device in shapes
        ]
        super().__init__(layers=list(self.slot_layers))

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor]:
        """Write a layer's new keys and values; return views of all that attention may see."""
        return self.slot_layers[layer_idx].update(key_states, value_states)

    def grow(self, capacity: int, used: int) -> None:
        """Move to larger buffers, keeping the first `used` slots. Exact; captured graphs would go stale."""
        for layer in self.slot_layers:
            layer.grow(capacity, used)
        self.capacity = capacity
