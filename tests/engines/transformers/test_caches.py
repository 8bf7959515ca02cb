"""Whatever was written, taken back and handed over: the logits are a fresh prefill's."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    GPT2Config,
    LlamaConfig,
    MambaConfig,
    MistralConfig,
    Qwen3Config,
)

from relaygen_runtime.engines.transformers import choose_half as choose_half_module
from relaygen_runtime.engines.transformers.choose_half import choose_half
from relaygen_runtime.engines.transformers.half import PREFILL_CHUNK, Half
from relaygen_runtime.engines.transformers.library_half import LibraryHalf
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.slot_cache import SlotCache
from relaygen_runtime.engines.transformers.slot_half import SlotHalf
from relaygen_runtime.errors import ModelLoadError
from tests.engines.transformers.pairs import qwen

VOCABULARY = 97
WINDOW = 16
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "initializer_range": 0.2,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
HEADS: dict[str, Any] = {
    "intermediate_size": 48,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 4096,
}


def build(config: Any) -> Any:
    torch.manual_seed(5)
    from_config: Any = AutoModelForCausalLM.from_config
    return from_config(config).eval()


MODELS: dict[str, Callable[[], Any]] = {
    "qwen3": lambda: qwen(5, VOCABULARY),
    "llama": lambda: build(LlamaConfig(**SIZES, **HEADS)),
    "llama-no-groups": lambda: build(LlamaConfig(**SIZES, **{**HEADS, "num_key_value_heads": 4})),
    "mistral-window": lambda: build(MistralConfig(**SIZES, **HEADS, sliding_window=WINDOW)),
    "qwen3-mixed-window": lambda: build(
        Qwen3Config(**SIZES, **HEADS, use_sliding_window=True, sliding_window=WINDOW, max_window_layers=1)
    ),
    "gemma2-window-softcap": lambda: build(Gemma2Config(**SIZES, **HEADS, sliding_window=WINDOW)),
    "gpt2": lambda: build(GPT2Config(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, initializer_range=0.2)),
    "mamba": lambda: build(MambaConfig(**SIZES, state_size=8)),
}
EXPECTED = {
    "qwen3": (SlotHalf, True),
    "llama": (SlotHalf, True),
    "llama-no-groups": (SlotHalf, True),
    "mistral-window": (LibraryHalf, True),
    "qwen3-mixed-window": (LibraryHalf, True),
    "gemma2-window-softcap": (LibraryHalf, True),
    "gpt2": (LibraryHalf, True),
    "mamba": (LibraryHalf, False),
}


def half_of(name: str, **options: Any) -> Half:
    return choose_half(Network(MODELS[name](), name, VOCABULARY), **options)


def fresh(half: Half, ids: list[int], rows: int = 1) -> torch.Tensor:
    with torch.inference_mode():
        return half.network.fresh_logits(torch.tensor([ids]))[-rows:]


@pytest.mark.parametrize("name", list(MODELS))
def test_each_architecture_gets_the_cache_that_fits_it(name: str) -> None:
    half = half_of(name)
    assert (type(half), half.rolls_back) == EXPECTED[name]


@pytest.mark.parametrize("name", list(MODELS))
@pytest.mark.parametrize("padded", [False, True])
def test_a_random_schedule_of_reading_and_forgetting_equals_fresh_prefills(name: str, padded: bool) -> None:
    half = half_of(name, padded=True, capacity=256) if padded and EXPECTED[name][0] is SlotHalf else half_of(name)
    rng = random.Random(f"{name}{padded}")
    sequence = [rng.randrange(VOCABULARY) for _ in range(5)]
    for _ in range(40):
        # Past any window, then a handoff, a draft, or a token; then some of it is taken back.
        wide = rng.choice([1, 1, 1, 2, 3, 5, 9, 30])
        sequence += [rng.randrange(VOCABULARY) for _ in range(wide)]
        if len(sequence) > 150:
            del sequence[rng.randrange(5, 60) :]
            half.align(sequence)
        rows = rng.randint(1, min(wide, len(sequence)))
        torch.testing.assert_close(half.read(sequence, rows), fresh(half, sequence, rows), rtol=1e-4, atol=2e-4)
        back = rng.choice([0, 0, 1, 2, 7])
        if 0 < back < len(sequence):
            del sequence[-back:]
            half.keep(len(sequence))


def test_only_what_is_missing_is_read() -> None:
    half = half_of("qwen3")
    half.read(list(range(20)))
    assert half.passes == 1
    half.read(list(range(26)))
    assert half.passes == 2
    half.read(list(range(26)))
    assert half.passes == 2, "nothing is missing: the answer is known"


def test_a_long_prompt_is_read_in_chunks() -> None:
    half = choose_half(Network(qwen(5, VOCABULARY, context=4096), "q", VOCABULARY))
    ids = [i % VOCABULARY for i in range(2 * PREFILL_CHUNK + 100)]
    torch.testing.assert_close(half.read(ids), fresh(half, ids), rtol=1e-4, atol=2e-4)
    assert half.passes == 3


def test_alignment_keeps_the_common_prefix() -> None:
    half = half_of("qwen3")
    half.read([1, 2, 3, 4, 5])
    assert half.align([1, 2, 3, 9, 9, 9]) == 3
    assert half.align([1, 2, 3]) == 3
    assert half.align([7]) == 0


def test_a_recurrent_cache_is_rebuilt_not_cropped() -> None:
    half = half_of("mamba")
    half.read(list(range(30)))
    half.keep(20)
    assert half.ids == []
    sequence = [*range(20), 50]
    torch.testing.assert_close(half.read(sequence), fresh(half, sequence), rtol=1e-4, atol=2e-4)


def test_padded_buffers_never_move() -> None:
    half = half_of("qwen3", padded=True, capacity=1400)
    assert isinstance(half, SlotHalf)
    half.warm_up()
    sequence = [1, 2, 3]
    half.read(sequence)
    before = [tensor.data_ptr() for tensor in half.buffers]
    rng = random.Random(0)
    for _ in range(1000):
        sequence += [rng.randrange(VOCABULARY) for _ in range(rng.choice([1, 1, 1, 2, 6]))]
        half.read(sequence, 1)
        if len(sequence) > 1300:
            del sequence[100:]
        del sequence[len(sequence) - rng.choice([0, 0, 1]) :]
        half.keep(len(sequence))
    assert [tensor.data_ptr() for tensor in half.buffers] == before


def test_a_full_cache_is_an_error_not_a_wrong_token() -> None:
    half = half_of("qwen3", padded=True, capacity=64)
    with pytest.raises(RuntimeError, match="do not fit"):
        half.read(list(range(65)))


def test_a_lent_model_keeps_its_attention() -> None:
    model = MODELS["qwen3"]()
    before = model.config._attn_implementation
    choose_half(Network(model, "q", VOCABULARY)).read([1, 2, 3])
    assert model.config._attn_implementation == before


def test_logits_that_are_scaled_after_the_head_are_seen() -> None:
    half = half_of("gemma2-window-softcap")
    assert not half.network.direct
    assert half_of("qwen3").network.direct


def test_a_model_that_no_cache_reproduces_is_refused() -> None:
    model = MODELS["qwen3"]()
    forward = model.forward

    @functools.wraps(forward)
    def drifting(*args: Any, **kwargs: Any) -> Any:
        output = forward(*args, **kwargs)
        output.logits = output.logits + torch.randn_like(output.logits)
        return output

    model.forward = drifting
    with pytest.raises(ModelLoadError, match="token by token"):
        choose_half(Network(model, "q", VOCABULARY))


def test_a_cache_that_a_model_chokes_on_is_not_used() -> None:
    model = MODELS["qwen3"]()
    attention = model.model.layers[0].self_attn
    attention.forward = functools.partial(_refuse_slots, attention.forward)
    half = choose_half(Network(model, "q", VOCABULARY))
    assert isinstance(half, LibraryHalf)
    assert half.rolls_back


def _refuse_slots(forward: Any, *args: Any, **kwargs: Any) -> Any:
    if any(isinstance(value, SlotCache) for value in kwargs.values()):
        raise AttributeError("what is this cache?")
    return forward(*args, **kwargs)


def test_layers_on_several_devices_are_addressed_by_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = choose_half_module._slot_shapes

    def spread(network: Network) -> Any:
        found = shapes(network)
        assert found is not None
        return [found[0], (*found[1][:3], torch.device("cpu:0"))]

    monkeypatch.setattr(choose_half_module, "_slot_shapes", spread)
    half = half_of("qwen3", padded=True)
    assert isinstance(half, SlotHalf)
    assert not half.padded


def test_padding_of_the_vocabulary_is_cut_off() -> None:
    half = choose_half(Network(qwen(5, 128), "q", VOCABULARY))
    assert half.read([1, 2, 3]).shape == (1, VOCABULARY)
