"""Which drafted tokens stand, and which token follows them.

Owns the two acceptance rules. Both are lossless: greedy acceptance yields exactly the target's own greedy tokens,
sampled acceptance the target's own distribution. Everything stays on the tensors' device, so that a round costs one
sync: the reading of the `Verdict`.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from relaygen_runtime.speculative.draw import draw

__all__ = ["Verdict", "accept_greedy", "accept_sampled"]


class Verdict(NamedTuple):
    """What a verification found.

    Attributes:
        accepted: How many leading drafts stand, in 0..k.
        token: The target's own token after them.
    """

    accepted: int
    token: int


def accept_greedy(logits: Tensor, draft: Tensor) -> Tensor:
    """Accept drafts as long as each is the target's best token (2211.17192 with temperature 0, section 2.2).

    Args:
        logits: The target's, of shape (k + 1, vocabulary): row i follows the first i drafts.
        draft: Drafted tokens, of shape (k,).

    Returns:
        A `Verdict` as a tensor of shape (2,), not yet read by the host.
    """
    best = logits.argmax(-1)
    accepted = _leading(best[:-1] == draft)
    return torch.stack([accepted, best.gather(0, accepted[None])[0]])


def accept_sampled(target: Tensor, proposal: Tensor, draft: Tensor, tests: Tensor, uniforms: Tensor) -> Tensor:
    """Accept or resample (2211.17192, algorithm 1; 2302.01318, algorithm 2).

    Draft x_i stands if r_i < p_i(x_i) / q_i(x_i). After n accepted drafts the next token comes from
    norm(max(0, p_(n+1) - q_(n+1))), or from p_(k+1) itself if all k stand.

    Args:
        target: p, the target's filtered distributions, of shape (k + 1, vocabulary).
        proposal: q, the distributions that the drafts were *really* drawn from, of shape (k, vocabulary).
        draft: x, of shape (k,).
        tests: r, uniform in [0, 1), of shape (k,).
        uniforms: Noise of the token after the drafts, one per possible place, of shape (k + 1,).

    Returns:
        A `Verdict` as a tensor of shape (2,), not yet read by the host.
    """
    p = target[:-1].gather(1, draft[:, None])[:, 0]
    q = proposal.gather(1, draft[:, None])[:, 0]
    accepted = _leading(tests * q < p)  # r < p / q, without dividing
    row = target.index_select(0, accepted[None])
    # Past the last draft nothing was proposed: q is zero there and the residual is p itself.
    proposed = torch.cat([proposal, torch.zeros_like(target[:1])]).index_select(0, accepted[None])
    residual = (row - proposed).clamp_(min=0)
    # p and q equal up to rounding: whatever was rejected, it was by rounding, and p is right.
    weights = torch.where(residual.sum(-1, keepdim=True) > 0, residual, row)
    return torch.stack([accepted, draw(weights, uniforms.gather(0, accepted[None]))[0]])


def _leading(stands: Tensor) -> Tensor:
    """Count the True values before the first False."""
    return stands.long().cumprod(0).sum()
