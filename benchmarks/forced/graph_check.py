"""Whether replayed CUDA graphs say what the same passes say when they are run directly.

Owns the comparison: both models in turns, every width, with rollbacks between, on two halves of which one captures and
one does not. On a CPU there are no graphs and nothing is checked.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from relaygen_runtime.engines.transformers.choose_half import choose_half
from relaygen_runtime.engines.transformers.graphs import GraphRunner
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.slot_half import WIDTHS, SlotHalf

__all__ = ["GraphCheck", "check_graphs", "padded_pair"]

_ROUNDS = 24
_CAPACITY = 2048
_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class GraphCheck:
    """How replay and direct passes compare.

    Attributes:
        passes: Passes compared.
        identical: Those whose logits were the same bit for bit.
        same_choice: Rows whose best token was the same, over all rows.
        worst: The largest difference of two logits, over the largest logit.
        buffers_moved: Tensors that no longer stood where the graphs expect them.
    """

    passes: int
    identical: int
    same_choice: float
    worst: float
    buffers_moved: int

    @property
    def passed(self) -> bool:
        """Equal within what one rounding of bfloat16 may do to a sum."""
        return self.worst <= _TOLERANCE and self.buffers_moved == 0


def check_graphs(models: Mapping[Any, Any], progress: Callable[[int, int], None] | None = None) -> GraphCheck | None:
    """Compare; None where a model is not on CUDA or not on our own static cache.

    Args:
        models: The models, not forced.
        progress: Called with rounds done and to do.
    """
    if any(next(model.parameters()).device.type != "cuda" for model in models.values()):
        return None
    pairs = [padded_pair(model) for model in models.values()]
    known = [pair for pair in pairs if pair is not None]
    return compare(known, progress) if len(known) == len(pairs) else None


def padded_pair(model: Any) -> tuple[SlotHalf, SlotHalf] | None:
    """Two halves addressed as on CUDA: one that captures (where it can), one that never does."""
    made = []
    for captures in (True, False):
        half = choose_half(Network(model, "checked", 2**31), padded=True, capacity=_CAPACITY)
        if not isinstance(half, SlotHalf):
            return None
        if not captures:
            half._graphs = GraphRunner(half._body, torch.device("cpu"))
        made.append(half)
    return made[0], made[1]


def compare(pairs: list[tuple[SlotHalf, SlotHalf]], progress: Callable[[int, int], None] | None = None) -> GraphCheck:
    """Read the same random schedule with both halves of each pair.

    Args:
        pairs: Halves of which the first is on trial.
        progress: Called with rounds done and to do.
    """
    draw = random.Random(0)
    sequences: list[list[int]] = [[1] for _ in pairs]
    for first, second in pairs:
        for half in (first, second):
            half.warm_up()
            half.read([1])
    places = [[tensor.data_ptr() for tensor in first.buffers] for first, _ in pairs]
    passes = identical = same = rows = 0
    worst = 0.0
    for done in range(_ROUNDS):
        for number, (first, second) in enumerate(pairs):
            sequence = sequences[number]
            del sequence[max(1, len(sequence) - draw.randrange(8)) :]
            width = WIDTHS[done % len(WIDTHS)]
            new = [draw.randrange(first.network.vocabulary) for _ in range(max(1, width - draw.randrange(width)))]
            for half in (first, second):
                half.keep(len(sequence))
            sequence += new
            got, want = first.read(sequence, len(new)).float(), second.read(sequence, len(new)).float()
            passes, identical = passes + 1, identical + int(torch.equal(got, want))
            same, rows = same + int((got.argmax(-1) == want.argmax(-1)).sum()), rows + len(new)
            worst = max(worst, float((got - want).abs().max() / want.abs().max()))
        if progress is not None:
            progress(done + 1, _ROUNDS)
    moved = sum(
        tensor.data_ptr() != place
        for (first, _), known in zip(pairs, places, strict=True)
        for tensor, place in zip(first.buffers, known, strict=True)
    )
    return GraphCheck(passes, identical, same / rows, worst, moved)
