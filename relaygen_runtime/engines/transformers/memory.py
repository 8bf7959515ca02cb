"""How much memory a model will take, before it is loaded.

Owns the arithmetic. The architecture is built on the meta device, so nothing is read and nothing is allocated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from relaygen_runtime.engines.transformers.loading import load_config, resolve_dtype

__all__ = ["MemoryEstimate", "estimate_memory"]


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Bytes that one model takes, activations aside.

    Attributes:
        weights_bytes: Of the parameters, tied ones once.
        cache_bytes: Of keys and values for the whole context.
    """

    weights_bytes: int
    cache_bytes: int

    @property
    def total_bytes(self) -> int:
        """Both together."""
        return self.weights_bytes + self.cache_bytes


def estimate_memory(
    source: str,
    *,
    context: int | None = None,
    dtype: str | torch.dtype = "auto",
    device: str | torch.device = "cpu",
    trust_remote_code: bool = False,
) -> MemoryEstimate:
    """Estimate one model's memory.

    Args:
        source: Folder or hub name.
        context: Tokens to keep; None: the model's whole context.
        dtype: As for loading.
        device: Decides what ``"auto"`` means.
        trust_remote_code: As for loading.

    Raises:
        ModelLoadError: No such model.
    """
    config = load_config(source, trust_remote_code=trust_remote_code)
    size = resolve_dtype(dtype, torch.device(device)).itemsize
    with torch.device("meta"):
        build: Any = AutoModelForCausalLM.from_config
        model = build(config, trust_remote_code=trust_remote_code)
        model.tie_weights()
    weights = sum(parameter.numel() for parameter in model.parameters())
    return MemoryEstimate(weights * size, _slots(config.get_text_config(decoder=True), context) * size)


def _slots(config: Any, context: int | None) -> int:
    """Numbers in the keys and values of all layers."""
    length = context or getattr(config, "max_position_embeddings", 0)
    queries = getattr(config, "num_attention_heads", 0)
    heads = getattr(config, "num_key_value_heads", None) or queries
    dim = getattr(config, "head_dim", None) or (config.hidden_size // queries if queries else 0)
    return int(2 * config.num_hidden_layers * heads * dim * length)
