"""A half on transformers' own caches: for models that our static cache does not fit.

Owns two ways of rolling back. Attention layers, sliding windows too, keep every token and are cropped exactly. Layers
with a recurrent state cannot forget: the cache is thrown away and the sequence read anew, never silently wrong.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from relaygen_runtime.engines.transformers.half import Half
from relaygen_runtime.engines.transformers.network import Network

__all__ = ["LibraryHalf"]


class LibraryHalf(Half):
    """A network on a ``DynamicCache``.

    Args:
        network: The model.
        rolls_back: All layers attend to keys and values, so that cropping is exact.
        stepwise: Once started, the cache takes one token at a time (some recurrent layers).
    """

    def __init__(self, network: Network, *, rolls_back: bool, stepwise: bool = False) -> None:
        super().__init__(network)
        self.rolls_back = rolls_back
        self._stepwise = stepwise
        self._cache = self._new_cache()

    def _new_cache(self) -> Any:
        # Without a config every layer keeps all tokens, which rolls sliding windows back exactly (their mask still
        # slides); with it, layers are what the model asks for, and a window forgets.
        return DynamicCache() if self.rolls_back else DynamicCache(config=self.network.config)

    def _forward(self, ids: Tensor, rows: int) -> Tensor:
        if not self._stepwise or not self.ids or ids.shape[1] == 1:
            return self.network.logits(ids, rows, self._cache)
        parts = [self.network.logits(ids[:, i : i + 1], 1, self._cache) for i in range(ids.shape[1])]
        return torch.cat(parts[-rows:])

    def _shorten(self, length: int) -> int:
        if self.rolls_back and length > 0:
            self._cache.crop(length - len(self.ids))
            return length
        self._cache = self._new_cache()
        return 0
