"""Finds the cache that a model can be trusted with, by trying.

Owns the probe: a few random tokens are read, partly forgotten, and read on, and the logits must be those of one fresh
pass without any cache. What fails falls back: our static cache, then transformers' with exact cropping, then
rebuilding. So an architecture that nobody thought of is slow at worst, never wrong.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from relaygen_runtime.engines.transformers.half import Half
from relaygen_runtime.engines.transformers.library_half import LibraryHalf
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.slot_half import SlotHalf
from relaygen_runtime.errors import ModelLoadError

__all__ = ["choose_half"]

_log = logging.getLogger(__name__)
_PROBE = 12
_KEPT = 7
_ATTENTION = {"full_attention", "sliding_attention", "chunked_attention"}


def choose_half(network: Network, **slot_options: Any) -> Half:
    """Return a half that passed the probe.

    Args:
        network: The model.
        **slot_options: For `SlotHalf`.

    Raises:
        ModelLoadError: Not even a fresh cache of transformers' own reproduces the model's logits.
    """
    ids = _probe_ids(network)
    with torch.inference_mode():
        expected = network.fresh_logits(ids)
    ways: list[Callable[[], Half]] = []
    shapes = _slot_shapes(network)
    if shapes is not None:
        if len({device for *_, device in shapes}) > 1:
            slot_options["padded"] = False  # a graph, and the slots' numbers, live on one device
        ways.append(lambda: SlotHalf(network, shapes, **slot_options))
    if _keeps_all_tokens(network):
        ways.append(lambda: LibraryHalf(network, rolls_back=True))
    ways.append(lambda: LibraryHalf(network, rolls_back=False))
    ways.append(lambda: LibraryHalf(network, rolls_back=False, stepwise=True))
    for direct in (True, False):
        network.direct = direct
        for way in ways:
            half = _passes(way, ids[0].tolist(), expected)
            if half is not None:
                _log.debug("%s: %s, direct=%s", network.name, type(half).__name__, direct)
                return half
    raise ModelLoadError(f"{network.name}: no cache reproduces its logits; it cannot be run token by token")


def _passes(way: Callable[[], Half], ids: list[int], expected: Tensor) -> Half | None:
    try:
        half = way()
        wrong = [(token + 1) % half.network.vocabulary for token in ids[_KEPT:]]
        seen = [half.read(ids[:4]).clone(), half.read([*ids[:_KEPT], *wrong], len(wrong) + 1)[:1].clone()]
        half.keep(_KEPT)
        seen += [half.read(ids[: _KEPT + 1]).clone(), half.read(ids, _PROBE - _KEPT - 1).clone()]
    except (RuntimeError, TypeError, ValueError, AttributeError, IndexError, NotImplementedError) as error:
        # What a model raises over a cache it does not understand is not ours to list; the next way is tried.
        _log.debug("probe: %s", error)
        return None
    want = torch.cat([expected[3:4], expected[_KEPT - 1 :]])
    got = torch.cat([part.to(want.device) for part in seen])
    if not torch.isfinite(got).all() or (got - want).abs().max() > _tolerance(expected):
        return None
    half.forget()
    half.passes = 0
    return half


def _tolerance(expected: Tensor) -> float:
    relative = 1e-3 if expected.dtype == torch.float32 else 0.08
    return relative * max(float(expected.abs().max()), 1e-3)


def _probe_ids(network: Network) -> Tensor:
    generator = torch.Generator().manual_seed(2602)
    return torch.randint(0, network.vocabulary, (1, _PROBE), generator=generator).to(network.device)


def _keeps_all_tokens(network: Network) -> bool:
    kinds = getattr(network.config, "layer_types", None)
    return kinds is None or set(kinds) <= _ATTENTION


def _slot_shapes(network: Network) -> list[tuple[int, int, int, torch.device]] | None:
    """Heads, dimensions and device of every layer's cache, or None where layers are not plain full attention."""
    config, model = network.config, network.model
    kinds = getattr(config, "layer_types", None)
    plain = set(kinds) == {"full_attention"} if kinds else getattr(config, "sliding_window", None) is None
    capped = getattr(config, "attn_logit_softcapping", None) is not None
    layers = getattr(network.backbone, "layers", None)
    if not plain or capped or layers is None or not getattr(model, "_supports_attention_backend", False):
        return None
    if not network.takes_positions or not hasattr(config, "num_attention_heads"):
        return None
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return [(heads, dim, dim, next(layer.parameters()).device) for layer in layers]
