"""The two architectures of the embedded pair.

Owns: sizes. Refuses: weights.
"""

from __future__ import annotations

from typing import Any, Literal

from transformers import Qwen3Config

from relaygen_runtime.demo.tokenizer import CONTEXT, VOCABULARY

Role = Literal["large", "small"]

_SIZES: dict[str, dict[str, int]] = {
    "large": {
        "num_hidden_layers": 8,
        "hidden_size": 320,
        "intermediate_size": 864,
        "num_attention_heads": 5,
        "num_key_value_heads": 5,
        "head_dim": 64,
    },
    "small": {
        "num_hidden_layers": 2,
        "hidden_size": 128,
        "intermediate_size": 384,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
    },
    # Only for tests: every part of the training in a second.
    "toy": {
        "num_hidden_layers": 1,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 8,
    },
}
ROLES = tuple(_SIZES)


def architecture(role: str, end: int, pad: int) -> Qwen3Config:
    """Return the configuration of a role.

    Args:
        role: One of `ROLES`.
        end: The id that ends a turn.
        pad: The id that fills rows.
    """
    options: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "max_position_embeddings": CONTEXT,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        "tie_word_embeddings": True,
        "attention_bias": False,
        "eos_token_id": end,
        "pad_token_id": pad,
        "bos_token_id": None,
        **_SIZES[role],
    }
    return Qwen3Config(**options)
