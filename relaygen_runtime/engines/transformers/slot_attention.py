"""The attention function over slots, registered with transformers.

Owns one function. The query heads that share a key-value head are packed into rows, so keys and values are read once
and never repeated. It builds no mask: a pass of width 1 over exactly
the used slots needs none, wider ones bring theirs.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  (torch's own name for it)
from torch import Tensor
from transformers import AttentionInterface

__all__ = ["SLOT_ATTENTION", "causal_mask", "slot_attention"]

SLOT_ATTENTION = "relaygen_slots"


def slot_attention(  # noqa: PLR0917  (the interface passes these by position)
    module: object,  # noqa: ARG001  (the interface's signature)
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Attend.

    Args:
        module: The attention layer.
        query: (1, query heads, width, dimension).
        key: (1, key-value heads, span, dimension).
        value: As `key`.
        attention_mask: None, or additive and broadcastable to (1, 1, group * width, span); see `causal_mask`.
        scaling: Factor of the scores; None is the inverse root of the dimension.

    Returns:
        (1, width, query heads, dimension), and no weights.
    """
    heads, width = query.shape[1:3]
    groups = key.shape[1]
    if groups != heads:
        query = query.reshape(1, groups, -1, query.shape[3])
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=attention_mask, scale=scaling)
    if groups != heads:
        output = output.reshape(1, heads, width, -1)
    return output.transpose(1, 2), None


def causal_mask(positions: Tensor, slots: Tensor, group: int, dtype: torch.dtype) -> Tensor:
    """Build the additive mask of a pass.

    Args:
        positions: Of the new tokens, (width,).
        slots: Numbers of the visible slots, (span,).
        group: Query heads per key-value head: the rows are repeated for each.
        dtype: Of the scores.

    Returns:
        (1, 1, group * width, span): 0 where a token may look, minus infinity elsewhere.
    """
    hidden = slots > positions[:, None]
    mask = torch.zeros(hidden.shape, dtype=dtype, device=hidden.device).masked_fill_(hidden, float("-inf"))
    return (mask.repeat(group, 1) if group > 1 else mask)[None, None]


# transformers has no mask function under this name and so builds none of its own.
AttentionInterface.register(SLOT_ATTENTION, slot_attention)
