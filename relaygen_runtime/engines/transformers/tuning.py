"""Makes a loaded model faster on a CPU without changing what it computes.

Owns two changes, each kept only where it was seen to hold on this very model and machine: weights are stored column by
column (the same numbers in another order; at one token a pass, some CPUs read them half again as fast), and
root-mean-square norms run as torch's one call in place of six. Touches only models that we loaded ourselves.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  (torch's own name for it)
from torch import Tensor, nn

__all__ = ["tune_for_cpu"]

_REPEATS = 15
_SAMPLE_BYTES = 96 * 2**20
_WORTH_IT = 0.93
_EPSILONS = ("variance_epsilon", "eps")


def tune_for_cpu(model: nn.Module) -> None:
    """Tune a float32 model on a CPU, in place; any other model is left alone."""
    # Not inference mode: the new weights would be unusable in anything that records gradients.
    with torch.no_grad():
        _store_by_columns(model)
        _fuse_norms(model)


def _store_by_columns(model: nn.Module) -> None:
    weights = [
        module.weight
        for module in model.modules()
        if type(module) is nn.Linear and isinstance(module.weight, nn.Parameter) and _is_plain(module.weight)
    ]
    worth_it = _faster_by_columns(weights)
    for weight in weights:
        if weight.shape in worth_it:
            weight.data = weight.data.t().contiguous().t()


def _is_plain(tensor: Tensor) -> bool:
    return tensor.device.type == "cpu" and tensor.dtype == torch.float32 and tensor.is_contiguous()


def _faster_by_columns(weights: list[nn.Parameter]) -> set[torch.Size]:
    """Time one token through many layers in turn, stored either way; return the shapes that gain."""
    # As many layers as a pass reads, and in its order: a few alone would stay in the processor's cache.
    sample = [weight.data for weight in weights]
    while len(sample) > 1 and sum(weight.nbytes for weight in sample) > _SAMPLE_BYTES:
        sample.pop()
    ways = {"rows": sample, "columns": [weight.t().contiguous().t() for weight in sample]}
    tokens = {weight.shape: torch.randn(1, 1, weight.shape[1]) for weight in sample}
    best: dict[tuple[str, torch.Size], float] = {}
    for _ in range(_REPEATS):
        for way, stored in ways.items():
            taken = dict.fromkeys(tokens, 0.0)
            for weight in stored:
                began = thread_time()
                F.linear(tokens[weight.shape], weight)
                taken[weight.shape] += thread_time() - began
            for shape, seconds in taken.items():
                best[way, shape] = min(seconds, best.get((way, shape), seconds))
    return {shape for shape in tokens if best["columns", shape] < _WORTH_IT * best["rows", shape]}


def _fuse_norms(model: nn.Module) -> None:
    for module in model.modules():
        fused = _fused(module)
        if fused is not None:
            module.forward = fused  # as transformers' own kernel hub does it


def _fused(module: nn.Module) -> Callable[[Tensor], Tensor] | None:
    """Return a one-call forward of a norm, if it gives the same numbers."""
    weight = getattr(module, "weight", None)
    epsilon = next(
        (getattr(module, name) for name in _EPSILONS if isinstance(getattr(module, name, None), float)), None
    )
    if not type(module).__name__.endswith("RMSNorm") or weight is None or epsilon is None or not _is_plain(weight):
        return None
    shape, scale = weight.shape, float(epsilon)

    def forward(hidden_states: Tensor) -> Tensor:
        return F.rms_norm(hidden_states, shape, weight, scale)

    sample = torch.randn(3, *shape)
    before: Any = module(sample)
    same = isinstance(before, Tensor) and torch.allclose(before, forward(sample), rtol=1e-5, atol=1e-6)
    return forward if same else None
