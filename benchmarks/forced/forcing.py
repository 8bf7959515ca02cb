"""Makes a model say given tokens while it does all of its work.

Owns two hooks. One, before the backbone, notes the positions of the pass; one, after the head, overwrites two logits in
each row: the token that a `Script` wants after this position, and a runner-up. Forcing goes by position, so it holds
whatever stands before, in plain decoding, in drafts, in verification and in handoffs alike. It reads nothing on the
host, so it is captured into CUDA graphs with the pass; scripts are exchanged by copying into the same tensors. It costs
a handful of tiny kernels a pass.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from benchmarks.forced.script import Script

__all__ = ["Forcing"]


class Forcing:
    """Forces one model.

    Install it before an engine is built (an engine may capture passes while it probes the model): until the first
    `load` it changes nothing.

    Args:
        model: A causal model, with a backbone that takes ``position_ids``.
        slots: Positions that may occur, padding included.
    """

    def __init__(self, model: Any, slots: int) -> None:
        weight = model.get_output_embeddings().weight
        self.slots = slots
        self._ids = torch.zeros(slots, 2, dtype=torch.long, device=weight.device)
        self._ids[:, 1] = 1
        self._values = torch.zeros(slots, 2, dtype=weight.dtype, device=weight.device)
        self._on = torch.zeros(slots, 1, dtype=torch.bool, device=weight.device)
        self._positions: Tensor | None = None
        backbone = getattr(model, model.base_model_prefix)
        self._handles = [
            backbone.register_forward_pre_hook(self._note_positions, with_kwargs=True),
            model.get_output_embeddings().register_forward_hook(self._force),
        ]

    def load(self, script: Script) -> None:
        """Follow a script from now on.

        Raises:
            ValueError: It has more positions than there are slots.
        """
        if len(script.ids) > self.slots:
            raise ValueError(f"the script has {len(script.ids)} positions, the table {self.slots} slots")
        used = len(script.ids)
        self._on.zero_()
        self._ids[:used].copy_(torch.tensor(script.ids))
        self._values[:used].copy_(torch.tensor(script.values))
        self._on[:used].copy_(torch.tensor(script.forced)[:, None])

    def stop(self) -> None:
        """Change nothing until the next `load`."""
        self._on.zero_()

    def remove(self) -> None:
        """Take the hooks off."""
        for handle in self._handles:
            handle.remove()

    def _note_positions(self, _module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        positions = kwargs.get("position_ids")
        if positions is None:
            # Without positions and without a cache they count from zero; with a cache nobody here knows them.
            if any(kwargs.get(name) is not None for name in ("cache", "past_key_values")):
                raise RuntimeError("a forced model must be told its position_ids")
            ids = kwargs["input_ids"] if "input_ids" in kwargs else args[0]
            positions = torch.arange(ids.shape[-1], device=self._ids.device)
        self._positions = positions.reshape(-1)

    def _force(self, _module: Any, _args: tuple[Any, ...], output: Tensor) -> Tensor:
        rows = output.view(-1, output.shape[-1])
        if self._positions is None:
            raise RuntimeError("the head ran before the backbone")
        # Logits may be wanted for the last positions only.
        places = self._positions[-rows.shape[0] :]
        ids = self._ids[places]
        rows.scatter_(1, ids, torch.where(self._on[places], self._values[places], rows.gather(1, ids)))
        return output
