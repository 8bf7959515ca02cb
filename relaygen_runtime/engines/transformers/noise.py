"""The random numbers of one request.

Owns a table of uniforms, numbered by position in the sequence and by purpose. A draw that is thrown away (a rejected
draft, a switch taken back) therefore shifts no other draw: the text of a seed does not depend on the schedule.
"""

from __future__ import annotations

from enum import IntEnum

import torch
from torch import Tensor

__all__ = ["Noise", "Purpose"]

_BLOCK = 1024


class Purpose(IntEnum):
    """What a number is for. Each (position, purpose) is used for at most one decision that stands."""

    SMALL = 0
    """The small model writes a token."""
    DRAFT = 1
    """The small model drafts one. Not `SMALL`: a look-ahead token that decided a sentence's end is known to begin with
    white space, so using it as a draft would bias what the large model writes."""
    TEST = 2
    """A draft is tested."""
    LARGE = 3
    """The large model writes one."""


class Noise:
    """Uniform numbers from a generator of the request's own.

    Args:
        seed: Any integer; None draws one.
        device: Where the numbers are used.
    """

    def __init__(self, seed: int | None, device: torch.device) -> None:
        self._generator = torch.Generator()
        if seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(seed % 2**63)
        self._device = device
        self._table = torch.empty(len(Purpose), 0, device=device)

    def at(self, purpose: Purpose, start: int, count: int = 1) -> Tensor:
        """Return the numbers for `count` positions from `start` on, shape (count,), each in [0, 1)."""
        while self._table.shape[1] < start + count:
            # Always in whole blocks and in order: the numbers don't depend on who asks first.
            block = torch.rand(len(Purpose), _BLOCK, generator=self._generator).to(self._device)
            self._table = torch.cat([self._table, block], dim=1)
        return self._table[purpose, start : start + count]
