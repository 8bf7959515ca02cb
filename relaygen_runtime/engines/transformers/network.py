"""One Hugging Face causal model, and how it wants to be called.

Owns what differs between models and between versions of transformers: the keyword of the cache, where the backbone
and the head are, how many of the padded logits mean a token. Refuses encoder-decoder models. Keeps no cache.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from relaygen_runtime.errors import ModelLoadError

__all__ = ["Network"]

_CACHE_KEYWORDS = ("cache", "past_key_values", "cache_params")
_CONTEXT_FIELDS = ("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length")


class Network:
    """A causal language model, called by its parts.

    Args:
        model: A Hugging Face causal model (``...ForCausalLM``).
        name: Its name in ledgers.
        vocabulary: How many leading logits stand for tokens of the tokenizer; the padding after them is cut off.
        max_context: An upper bound on the context, in tokens.

    Raises:
        ModelLoadError: The model is an encoder-decoder, or has no head for next tokens.
    """

    def __init__(self, model: Any, name: str, vocabulary: int, max_context: int | None = None) -> None:
        self.model = model
        self.name = name
        self.config = model.config.get_text_config(decoder=True)
        if getattr(model.config, "is_encoder_decoder", False):
            raise ModelLoadError(f"{name}: an encoder-decoder model cannot be relayed; use a causal (decoder-only) one")
        head = model.get_output_embeddings()
        if head is None:
            raise ModelLoadError(f"{name}: has no language-model head; expected a ...ForCausalLM model")
        self.head: nn.Module = head
        self.backbone: Any = getattr(model, model.base_model_prefix, None) or model.base_model
        parameter = next(model.parameters())
        self.device: torch.device = model.get_input_embeddings().weight.device
        self.dtype: torch.dtype = parameter.dtype if parameter.is_floating_point() else model.dtype
        self.vocabulary = min(vocabulary, int(head.weight.shape[0]))
        bounds = [getattr(self.config, field, None) for field in _CONTEXT_FIELDS]
        self.context: int | None = min((b for b in [*bounds, max_context] if b), default=None)
        self.direct = False
        """The head's output on the backbone's states *are* the logits (no scaling, no cap): proved by the probe."""
        self.backbone_cache = _cache_keyword(self.backbone, name)
        self.model_cache = _cache_keyword(model, name)
        self.takes_positions = "position_ids" in inspect.signature(self.backbone.forward).parameters
        self._keeps_logits = "logits_to_keep" in inspect.signature(model.forward).parameters
        self._configs = list({id(c): c for c in _configs(model)}.values())

    def logits(self, ids: Tensor, rows: int, cache: Any, **options: Any) -> Tensor:
        """Run one forward pass.

        Args:
            ids: Tokens of shape (1, width).
            rows: For how many of the last positions logits are wanted.
            cache: A transformers cache, which the pass extends.
            **options: Further arguments of the model's ``forward``.

        Returns:
            Logits of shape (rows, vocabulary).
        """
        if self.direct:
            states = self.backbone(input_ids=ids, use_cache=True, **{self.backbone_cache: cache}, **options)[0]
            logits: Tensor = self.head(states[0, -rows:])[:, : self.vocabulary]
            return logits
        if self._keeps_logits:
            options["logits_to_keep"] = rows
        output = self.model(input_ids=ids, use_cache=True, **{self.model_cache: cache}, **options)
        kept: Tensor = output.logits[0, -rows:, : self.vocabulary]
        return kept

    def fresh_logits(self, ids: Tensor) -> Tensor:
        """Logits of shape (width, vocabulary) without any cache: what everything else is judged by."""
        logits: Tensor = self.model(input_ids=ids, use_cache=False).logits[0, :, : self.vocabulary]
        return logits

    @contextmanager
    def attention(self, implementation: str) -> Iterator[None]:
        """Use a registered attention function for a while: a model that a user lent us stays as it was."""
        before = [config.__dict__.get("_attn_implementation_internal") for config in self._configs]
        # Past the property: its setter walks all sub-configs, which would cost more than a layer.
        for config in self._configs:
            config.__dict__["_attn_implementation_internal"] = implementation
        try:
            yield
        finally:
            for config, was in zip(self._configs, before, strict=True):
                config.__dict__["_attn_implementation_internal"] = was


def _cache_keyword(module: Any, name: str) -> str:
    # 5.19 swallows `cache=` in **kwargs without a word, 5.24 warns about the older names: ask the signature.
    parameters = inspect.signature(module.forward).parameters
    for keyword in _CACHE_KEYWORDS:
        if keyword in parameters:
            return keyword
    raise ModelLoadError(f"{name}: {type(module).__name__}.forward takes no cache; expected one of {_CACHE_KEYWORDS}")


def _configs(model: nn.Module) -> Iterator[Any]:
    for module in model.modules():
        config = getattr(module, "config", None)
        if config is not None and hasattr(config, "_attn_implementation"):
            yield config
