"""A chi-square test, so that no test needs scipy."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def chi_square_p(counts: Tensor, probabilities: Tensor) -> float:
    """The p-value of counts under probabilities; what cannot happen must not have happened."""
    assert counts[probabilities == 0].sum() == 0
    possible = probabilities > 0
    expected = probabilities[possible] / probabilities.sum() * counts.sum()
    # Cells that hardly ever fill are pooled into one.
    rare = expected < 5
    observed = counts[possible]
    cells = [(float(o), float(e)) for o, e, r in zip(observed, expected, rare, strict=True) if not r]
    if rare.any() and float(expected[rare].sum()) >= 1:
        cells.append((float(observed[rare].sum()), float(expected[rare].sum())))
    statistic = sum((o - e) ** 2 / e for o, e in cells)
    freedom = len(cells) - 1
    if freedom < 1:
        return 1.0
    half = torch.tensor([freedom / 2, statistic / 2], dtype=torch.float64)
    p = float(torch.special.gammaincc(half[0], half[1]))
    assert not math.isnan(p)
    return p
