"""Models come from folders; what is wrong with one is said in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import T5Config, T5ForConditionalGeneration

from relaygen_runtime.engines.base import Engine, GenerationRequest, Session
from relaygen_runtime.engines.transformers import TransformersEngine, estimate_memory
from relaygen_runtime.engines.transformers.loading import load_config, load_model, load_tokenizer, resolve_dtype
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.errors import ConfigurationError, MessagesError, ModelLoadError, UnknownOptionError
from tests.engines.transformers.pairs import TEMPLATE, engine, qwen, request, save, tokenizer, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tok = tokenizer()
    return save(qwen(1, len(tok)), tok, tmp_path / "model")


def test_a_pair_loads_from_folders_and_writes(folder: Path) -> None:
    pair = TransformersEngine.from_pretrained(str(folder), str(folder))
    assert isinstance(pair, Engine)
    assert pair.capabilities.large_model == "model"
    assert pair.capabilities.large_context == 2048
    session = pair.open(request())
    assert isinstance(session, Session)
    assert len(write(session, tokens=5)) == 5
    assert pair._halves["large"].network.dtype is torch.float32  # type: ignore[index]


def test_options_reach_the_pair(folder: Path) -> None:
    pair = TransformersEngine.from_pretrained(
        str(folder), str(folder), max_context=99, speculation=False, large_name="big", dtype="bfloat16", device="cpu"
    )
    assert pair.capabilities.large_context == 99
    assert pair.capabilities.large_model == "big"
    assert not pair.capabilities.speculation


def test_a_device_map_is_passed_on(folder: Path) -> None:
    pytest.importorskip("accelerate")
    assert load_model(str(folder), device_map="cpu") is not None


@pytest.mark.parametrize("name", ["/no/such/folder", "./no/such", "~/no-such-model-folder", "a/b/c"])
def test_an_unknown_path_is_named(name: str) -> None:
    for load in (load_config, load_tokenizer, load_model):
        with pytest.raises(ModelLoadError, match="no such folder") as caught:
            load(name)
        assert "\n" not in str(caught.value)


def test_a_file_is_no_model_folder(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"x")
    with pytest.raises(ModelLoadError, match="is a file"):
        load_config(str(path))


def test_a_folder_without_a_config_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelLoadError, match=r"no config\.json"):
        load_tokenizer(str(tmp_path))


@pytest.mark.parametrize("damage", ["truncated", "garbage", "missing", "wrong shape"])
def test_unreadable_weights_are_one_line(folder: Path, damage: str) -> None:
    weights = folder / "model.safetensors"
    if damage == "truncated":
        weights.write_bytes(weights.read_bytes()[:-1000])
    elif damage == "garbage":
        weights.write_bytes(b"not weights at all")
    elif damage == "missing":
        weights.unlink()
    else:
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "hidden_size": 64}))
    with pytest.raises(ModelLoadError, match="weights cannot be read") as caught:
        load_model(str(folder))
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_pickled_weights_are_never_read(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save(qwen(1, 384).state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(ModelLoadError, match="weights cannot be read"):
        load_model(str(folder))


def test_an_unknown_architecture_is_one_line(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"model_type": "no-such-thing"}))
    with pytest.raises(ModelLoadError, match="configuration cannot be read"):
        load_config(str(folder))


def test_a_broken_tokenizer_is_one_line(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(ModelLoadError, match="tokenizer cannot be read"):
        load_tokenizer(str(folder))


def test_a_model_without_a_chat_template_is_refused_before_its_weights_are_read(tmp_path: Path) -> None:
    tok = tokenizer()
    tok.chat_template = None
    path = save(qwen(1, len(tok)), tok, tmp_path / "base")
    (path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelLoadError, match="no chat template"):
        TransformersEngine.from_pretrained(str(path), str(path))
    with pytest.raises(ModelLoadError, match="no chat template"):
        engine(tok=tok, large=qwen(1, 384))


def test_an_encoder_decoder_is_refused(tmp_path: Path) -> None:
    config = T5Config(vocab_size=64, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
    build: Any = T5ForConditionalGeneration
    with pytest.raises(ModelLoadError, match="encoder-decoder"):
        Network(build(config), "t5", 64)
    config.save_pretrained(tmp_path)
    with pytest.raises(ModelLoadError, match="encoder-decoder"):
        load_model(str(tmp_path))


def test_a_model_without_a_head_is_refused() -> None:
    with pytest.raises(ModelLoadError, match="no language-model head"):
        Network(qwen(1, 64).model, "bare", 64)


@pytest.mark.parametrize(
    "wrong", [{"draft_max": 0}, {"draft_confidence": 1.5}, {"draft_confidence": -0.1}, {"max_context": 1}]
)
def test_options_out_of_range_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        engine(**wrong)


def test_an_unknown_option_is_answered_with_the_nearest_before_anything_is_loaded() -> None:
    with pytest.raises(UnknownOptionError, match="unknown option 'devcie'; did you mean 'device'"):
        TransformersEngine.from_pretrained("./nowhere", "./nowhere", devcie="cpu")


def test_dtypes_by_name() -> None:
    cpu, cuda = torch.device("cpu"), torch.device("cuda")
    assert resolve_dtype("auto", cpu) is torch.float32
    assert resolve_dtype("auto", cuda) is torch.bfloat16
    assert resolve_dtype("float16", cpu) is torch.float16
    assert resolve_dtype(torch.float64, cpu) is torch.float64
    with pytest.raises(ConfigurationError, match="no torch dtype"):
        resolve_dtype("float33", cpu)


@pytest.mark.parametrize("device", ["nowhere", "cpu:x", "cuda:99"])
def test_a_device_that_is_not_here_is_named(folder: Path, device: str) -> None:
    with pytest.raises(ConfigurationError, match=f"device: '{device}' cannot be used here"):
        load_model(str(folder), device=device)


def test_memory_is_estimated_without_weights(folder: Path) -> None:
    parameters = sum(p.numel() for p in qwen(1, len(tokenizer())).parameters())
    (folder / "model.safetensors").unlink()
    estimate = estimate_memory(str(folder), context=100)
    assert estimate.weights_bytes == 4 * parameters
    assert estimate.cache_bytes == 4 * 2 * 2 * 2 * 16 * 100
    assert estimate.total_bytes == estimate.weights_bytes + estimate.cache_bytes
    assert estimate_memory(str(folder), dtype="bfloat16").cache_bytes == 2 * 2 * 2 * 2 * 16 * 2048


def test_empty_messages_are_refused() -> None:
    with pytest.raises(MessagesError, match="empty"):
        engine().open(GenerationRequest([]))


@pytest.mark.parametrize("message", [{"role": "alien", "content": "x"}, {"content": "no role"}])
def test_what_the_template_refuses_is_told_in_its_words(message: dict[str, str]) -> None:
    with pytest.raises(MessagesError, match="chat template refuses") as caught:
        engine().open(GenerationRequest([message]))
    assert "\n" not in str(caught.value)


def test_a_refused_request_does_not_queue() -> None:
    pair = engine()
    holder = pair.open(request())
    with pytest.raises(MessagesError):
        pair.open(GenerationRequest([]))
    holder.close()


def test_the_template_gets_tools_options_and_the_thinking_switch() -> None:
    tok = tokenizer()
    tok.chat_template = TEMPLATE + "{{ tools[0].function.name if tools else '' }}{{ flavour }}"
    pair = engine(tok=tok, large=qwen(1, len(tok)))
    session = pair.open(
        GenerationRequest(
            [{"role": "user", "content": "x"}],
            tools=[{"type": "function", "function": {"name": "look_up"}}],
            enable_thinking=False,
            template_options={"flavour": "plum"},
        )
    )
    assert session.prompt_text.endswith("<|assistant|><think></think>look_upplum")
