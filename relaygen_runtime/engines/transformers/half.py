"""One of the two models with the cache that it keeps between calls.

Owns the one truth about that cache: the ids of the tokens it holds. Everything a model reads goes through
`Half.read`, which feeds only what the cache lacks; whatever it should forget goes through `Half.keep`. How tokens
get into a cache and out of it is the subclass's business: `SlotHalf` (ours, static) or `LibraryHalf` (transformers').
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import takewhile
from operator import eq

import torch
from torch import Tensor

from relaygen_runtime.engines.transformers.network import Network

__all__ = ["PREFILL_CHUNK", "UNREAD", "Half"]

UNREAD = -1
"""Stands for a token that is in the cache while its id is still on its way to the host."""

PREFILL_CHUNK = 512
"""Tokens per forward pass while a prompt is read: bounds the memory of masks and activations."""


class Half(ABC):
    """A network, its cache, and the ids that the cache holds.

    Attributes:
        network: The model.
        ids: The tokens in the cache, in order.
        passes: Forward passes so far.
        rolls_back: Whether `keep` is cheap and exact; False: it forgets everything, to be read anew.
        reads_late: Passes are to be launched before the host has read the token that they are fed (see `LateValue`).
    """

    rolls_back = True
    reads_late = False
    guard: Callable[[], AbstractContextManager[object]] = torch.inference_mode
    """Switches gradients off; a compiled model needs ``no_grad``, which inference tensors would not survive."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.ids: list[int] = []
        self.passes = 0
        self.checkpoint: Callable[[], None] = _carry_on
        """Called between the passes of a long prompt; may raise to give up."""
        self._next: Tensor | None = None

    def align(self, ids: Sequence[int]) -> int:
        """Keep what the cache has in common with another sequence (an earlier call's history) and say how much."""
        self.keep(sum(takewhile(bool, map(eq, self.ids, ids))))
        return len(self.ids)

    def keep(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        if length >= len(self.ids):
            return
        kept = self._shorten(length)
        del self.ids[kept:]
        self._next = None

    def read(self, ids: Sequence[int], rows: int = 1) -> Tensor:
        """Bring the cache in line with a sequence and say what follows its last tokens.

        The cache must hold a prefix of `ids` (see `align` and `keep`). Only what is missing is fed, in one
        forward pass unless it is a long prompt.

        Args:
            ids: The sequence; at least `rows` tokens.
            rows: For how many of the last tokens to say what follows them.

        Returns:
            Logits of shape (rows, vocabulary), valid until the next read.
        """
        if rows == 1 and self._next is not None and len(self.ids) == len(ids):
            return self._next
        self.keep(len(ids) - rows)
        fresh = list(ids[len(self.ids) :])
        with self.guard():
            while len(fresh) >= PREFILL_CHUNK + rows:
                self._feed(fresh[:PREFILL_CHUNK], 1)
                del fresh[:PREFILL_CHUNK]
                self.checkpoint()
            logits = self._feed(fresh, rows)
        self._next = logits[-1:]
        return logits

    def step(self, token: Tensor) -> Tensor:
        """Feed one token that the host has not read yet; `name_last` must tell its id before anything else happens.

        Args:
            token: Its id on the model's device, shape (1,).

        Returns:
            Logits of shape (1, vocabulary), valid until the next read.
        """
        with self.guard():
            self._next = self._forward(token[None], 1)
        self.ids.append(UNREAD)
        self.passes += 1
        return self._next

    def name_last(self, token_id: int) -> None:
        """Say what the last token was that `step` fed."""
        self.ids[-1] = token_id

    def forget(self) -> None:
        """Empty the cache."""
        self._shorten(0)
        self.ids.clear()
        self._next = None

    def _feed(self, fresh: list[int], rows: int) -> Tensor:
        try:
            logits = self._forward(torch.tensor([fresh], device=self.network.device), rows)
        except BaseException:
            # Out of memory or Ctrl-C in the middle of a pass: some layers hold its tokens, others do not.
            self.forget()
            raise
        self.ids.extend(fresh)
        self.passes += 1
        return logits

    @abstractmethod
    def _forward(self, ids: Tensor, rows: int) -> Tensor:
        """Feed ids of shape (1, width) behind ``self.ids``; return the last `rows` logits, (rows, vocabulary)."""

    @abstractmethod
    def _shorten(self, length: int) -> int:
        """Drop all but `length` tokens from the cache, or more if need be; return how many are left."""


def _carry_on() -> None:
    """Nobody wants to give up."""
