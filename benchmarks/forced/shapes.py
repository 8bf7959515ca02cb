"""Two models of a real pair's shapes with random weights, built where they will run.

Owns the shapes and the building. Nothing is downloaded, nothing is read from disk; the words such models write are
noise until something forces them (`forcing`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoModelForCausalLM, Qwen3Config

__all__ = ["SCALES", "Scale", "Shape", "build_model", "cache_bytes", "step_weight_bytes", "weight_bytes"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides how fast a Qwen3 model is.

    Attributes:
        name: What to call it in reports.
        hidden: Width of the residual stream.
        layers: Number of layers.
        heads: Query heads.
        kv_heads: Key-value heads.
        head_dim: Dimension of each.
        ffn: Width inside the feed-forward blocks.
        vocabulary: Rows of the embedding; 0: as many as the tokenizer has.
        tied: The head is the embedding.
    """

    name: str
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocabulary: int
    tied: bool


@dataclass(frozen=True, slots=True)
class Scale:
    """A pair of shapes."""

    large: Shape
    small: Shape


SCALES: Mapping[str, Scale] = {
    "full": Scale(
        Shape("random Qwen3-32B", 5120, 64, 64, 8, 128, 25600, 151_936, tied=False),
        Shape("random Qwen3-1.7B", 2048, 28, 16, 8, 128, 6144, 151_936, tied=True),
    ),
    "middle": Scale(
        Shape("random Qwen3-8B", 4096, 36, 32, 8, 128, 12288, 151_936, tied=False),
        Shape("random Qwen3-0.6B", 1024, 28, 16, 8, 128, 3072, 151_936, tied=True),
    ),
    "toy": Scale(
        Shape("toy large", 96, 4, 4, 2, 16, 192, 0, tied=False),
        Shape("toy small", 32, 1, 2, 1, 16, 64, 0, tied=True),
    ),
}
"""The paper's pair; one for smaller GPUs; one that a CPU runs in seconds."""

_CONTEXT = 40_960


def build_model(shape: Shape, tokenizer: Any, *, device: torch.device, dtype: torch.dtype, seed: int) -> Any:
    """Build a model with random weights on its device, without a detour through the host.

    Args:
        shape: Its shape.
        tokenizer: Names the token that ends a turn.
        device: Where it runs.
        dtype: Of its weights.
        seed: Of its weights.
    """
    config = Qwen3Config(
        vocab_size=shape.vocabulary or len(tokenizer),
        hidden_size=shape.hidden,
        intermediate_size=shape.ffn,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        max_position_embeddings=_CONTEXT,
        tie_word_embeddings=shape.tied,
        bos_token_id=None,
        pad_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    torch.manual_seed(seed)
    build: Any = AutoModelForCausalLM.from_config
    with device:
        model = build(config, dtype=dtype)
    return model.eval()


def weight_bytes(model: Any) -> int:
    """Bytes of the parameters, tied ones once."""
    return sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())


def step_weight_bytes(model: Any) -> int:
    """Bytes of weights that one decode step cannot but read: each once.

    Of an embedding that is not the head too, a step reads one row, which is not counted.
    """
    embedding, head = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    unread = 0 if embedding is head else embedding.numel() * embedding.element_size()
    return weight_bytes(model) - unread


def cache_bytes(model: Any) -> int:
    """Bytes of one token's keys and values."""
    config = model.config
    numbers = 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim
    return int(numbers * model.get_output_embeddings().weight.element_size())
