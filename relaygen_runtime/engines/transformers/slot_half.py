"""A half on our own static cache: the fast path, for models whose layers all attend to everything.

Owns how a pass is addressed. *Exact* (CPUs): the host knows the used length, a pass is as wide as its tokens and sees
exactly the used slots. *Padded* (CUDA): the length lives on the device, widths and spans come in a few sizes, so that
each can be captured once as a graph and replayed; the junk behind the real tokens is causal, masked and overwritten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from relaygen_runtime.engines.transformers.graphs import GraphRunner
from relaygen_runtime.engines.transformers.half import Half
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.slot_attention import SLOT_ATTENTION, causal_mask
from relaygen_runtime.engines.transformers.slot_cache import SlotCache

__all__ = ["SPANS", "WIDTHS", "SlotHalf"]

WIDTHS = (1, 2, 4, 8, 16, 32, 64)
SPANS = (2048, 8192, 32768)
_FIRST_CAPACITY = 1024
_SHAPES = 128


class SlotHalf(Half):
    """A network on a `SlotCache`.

    Args:
        network: The model; every layer must be plain full attention.
        shapes: Per layer: key-value heads, key dimension, value dimension, device.
        padded: Address by device tensors in padded widths; None: on CUDA only.
        capacity: Slots to reserve; None: the whole context when padded, else it grows with use.
        backend: Compile the pass with this torch.compile backend (``"inductor"``); None: run it as it is.
    """

    def __init__(
        self,
        network: Network,
        shapes: list[tuple[int, int, int, torch.device]],
        *,
        padded: bool | None = None,
        capacity: int | None = None,
        backend: str | None = None,
    ) -> None:
        super().__init__(network)
        self._logits: Callable[..., Tensor] = network.logits
        if backend is not None:
            self.guard = torch.no_grad
            # Without torch's own graph trees: they overwrite the last run's outputs; `GraphRunner` captures instead.
            from torch._dynamo import config as dynamo  # noqa: PLC0415  (takes a second to import)

            compiled = torch.compile(network.logits, backend=backend, fullgraph=True, dynamic=not self._pads(padded))
            # Torch allows 8 shapes by default, and counts those of both models together.
            self._logits = dynamo.patch(recompile_limit=_SHAPES)(compiled)
        config = network.config
        self.padded = self.reads_late = self._pads(padded)
        self._limit = network.context or SPANS[-1]
        self._fixed = capacity is not None or self.padded
        size = capacity or (self._limit + WIDTHS[-1] if self.padded else min(_FIRST_CAPACITY, self._limit))
        self._group = config.num_attention_heads // shapes[0][0]
        with self.guard():
            self._cache = SlotCache(shapes, size, network.dtype)
            self._numbers = torch.arange(size, device=network.device)
            self._length = torch.zeros(1, dtype=torch.long, device=network.device)
        self._spans = [span for span in SPANS if span < size] + [size]
        self._inputs: dict[int, Tensor] = {}
        self._outputs: dict[int, Tensor] = {}
        self._graphs = GraphRunner(self._body, network.device)

    def _pads(self, padded: bool | None) -> bool:
        return self.network.device.type == "cuda" if padded is None else padded

    @property
    def buffers(self) -> list[Tensor]:
        """Every tensor that must stay where it is for captured graphs to be valid."""
        kept = [tensor for layer in self._cache.slot_layers for tensor in (layer.keys, layer.values)]
        return [*kept, self._length, *self._inputs.values(), *self._outputs.values()]

    def warm_up(self) -> None:
        """Allocate, and on CUDA capture, every width at the smallest span."""
        if self.padded:
            with self.guard():
                for width in WIDTHS:
                    self._buffers_for(width)
                    self._graphs.run(width, self._spans[0])

    def _forward(self, ids: Tensor, rows: int) -> Tensor:
        if self.padded:
            return self._forward_padded(ids, rows)
        start, end = len(self.ids), len(self.ids) + ids.shape[1]
        self._reserve(end)
        frame = self._cache.frame
        frame.start, frame.span, frame.slots = start, end, None
        positions = self._numbers[start:end]
        # One token over exactly the used slots sees all of them: no mask.
        mask = None if end - start == 1 else self._mask(positions, end)
        return self._call(ids, positions, mask, rows)

    def _call(self, ids: Tensor, positions: Tensor, mask: Tensor | None, rows: int) -> Tensor:
        with self.network.attention(SLOT_ATTENTION):
            return self._logits(ids, rows, self._cache, position_ids=positions[None], attention_mask=mask)

    def _mask(self, positions: Tensor, span: int) -> Tensor:
        return causal_mask(positions, self._numbers[:span], self._group, self.network.dtype)

    def _reserve(self, end: int) -> None:
        if end <= self._cache.capacity:
            return
        if self._fixed or end > self._limit:
            raise RuntimeError(f"{self.network.name}: {end} tokens do not fit into a cache of {self._cache.capacity}")
        size = min(self._limit, max(end, 2 * self._cache.capacity))
        self._cache.grow(size, len(self.ids))
        self._numbers = torch.arange(size, device=self.network.device)

    def _forward_padded(self, ids: Tensor, rows: int) -> Tensor:
        real = ids.shape[1]
        width = next((w for w in WIDTHS if w >= real), real)
        self._reserve(len(self.ids) + width)
        span = next(s for s in self._spans if s >= len(self.ids) + width)
        if width <= WIDTHS[-1]:
            inputs, outputs = self._buffers_for(width)
            inputs[:, :real] = ids
            self._graphs.run(width, span)
            logits = outputs[real - rows : real]
        else:  # part of a long prompt: eager, so wide that launching does not matter
            logits = self._pass(ids, span, rows)
        self._length.add_(real)
        return logits

    def _body(self, width: int, span: int) -> None:
        """Everything that a graph captures: fixed shapes, no reading on the host."""
        self._outputs[width].copy_(self._pass(self._inputs[width], span, width))

    def _pass(self, ids: Tensor, span: int, rows: int) -> Tensor:
        frame = self._cache.frame
        frame.span = span
        frame.slots = self._numbers[: ids.shape[1]] + self._length
        return self._call(ids, frame.slots, self._mask(frame.slots, span), rows)

    def _buffers_for(self, width: int) -> tuple[Tensor, Tensor]:
        if width not in self._inputs:
            kind: dict[str, Any] = {"device": self.network.device}
            self._inputs[width] = torch.zeros(1, width, dtype=torch.long, **kind)
            self._outputs[width] = torch.zeros(width, self.network.vocabulary, dtype=self.network.dtype, **kind)
        return self._inputs[width], self._outputs[width]

    def _shorten(self, length: int) -> int:
        with self.guard():
            self._length.fill_(length)
        return length
