"""Drawing from a distribution with noise that is given.

Owns the inverse of a cumulative distribution. A token is a function of (distribution, uniform number) alone, so noise
that is numbered by position makes a draw reproducible whatever was drafted and thrown away before it.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["draw"]

_BELOW_ONE = 1 - 2**-24


def draw(weights: Tensor, uniforms: Tensor) -> Tensor:
    """Draw one index per row.

    Args:
        weights: Non-negative, not necessarily normalised, of shape (rows, vocabulary); no row is all zero.
        uniforms: Numbers in [0, 1), of shape (rows,).

    Returns:
        Indices of shape (rows,), each with a weight above zero.
    """
    # In double precision: 150,000 float32 terms would lose the small probabilities at the end of the sum.
    cumulated = weights.double().cumsum(-1)
    # The first place where the sum *exceeds* the number has a weight above zero; the factor keeps it inside the row.
    levels = uniforms.double().clamp(max=_BELOW_ONE)[:, None] * cumulated[:, -1:]
    return torch.searchsorted(cumulated, levels, right=True)[:, 0]
