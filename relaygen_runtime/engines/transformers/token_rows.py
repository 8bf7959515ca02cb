"""Sets of tokens as rows of bits, and logits under them.

Owns the layout (32 tokens to a number, the lowest bit first, as xgrammar writes it) and the masking of logits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

__all__ = ["Row", "mask", "new_row", "row_of", "tokens_in"]

Row = npt.NDArray[np.int32]
"""A set of tokens, of shape (1, ceil(tokens / 32)). None in place of a row stands for all tokens."""


def new_row(width: int) -> Row:
    """A row for so many tokens that holds none."""
    return np.zeros((1, math.ceil(width / 32)), dtype=np.int32)


def row_of(tokens: Iterable[int], width: int) -> Row:
    """The row of these tokens; those beyond the width don't exist."""
    row = new_row(width)
    bits = row.view(np.uint8)
    for token in tokens:
        if token < width:
            bits[0, token // 8] |= 1 << token % 8
    return row


def tokens_in(row: Row, width: int) -> npt.NDArray[np.bool_]:
    """For each token whether a row holds it, shape (rows, width)."""
    return np.unpackbits(row.view(np.uint8), axis=1, count=width, bitorder="little").view(np.bool_)


def mask(logits: Tensor, rows: Sequence[Row | None]) -> Tensor:
    """Give all tokens but those of the rows no chance.

    Args:
        logits: Of shape (rows, vocabulary).
        rows: One for each row of logits.

    Returns:
        Masked logits; the same object where all tokens are allowed.
    """
    known = next((row for row in rows if row is not None), None)
    if known is None:
        return logits
    full = np.full_like(known, -1)
    stacked = np.concatenate([full if row is None else row for row in rows])
    forbidden = torch.from_numpy(~tokens_in(stacked, logits.shape[1]))
    return logits.masked_fill(forbidden.to(logits.device), -math.inf)
