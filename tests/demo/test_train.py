"""Training at toy scale, and the packaged weights."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import torch

from relaygen_runtime.demo import evaluate, train
from relaygen_runtime.demo.data.arithmetic import worked
from relaygen_runtime.demo.data.conversation import SLIP_OPENS, Conversation, unmarked
from relaygen_runtime.demo.encoding import encode, marked_spans
from relaygen_runtime.demo.evaluate import load
from relaygen_runtime.demo.packing import Packer, Shape
from relaygen_runtime.demo.pair import pair_paths
from relaygen_runtime.demo.rendering import render
from relaygen_runtime.demo.tokenizer import read_tokenizer
from relaygen_runtime.demo.train import Recipe, Training


def _toy(out: Path, steps: int) -> Training:
    recipe = Recipe("toy", steps, usual=Shape(2, 512), long=Shape(1, 1024), long_every=3, warmup=1)
    return Training(recipe, pair_paths().small, out)


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    whole, first = _toy(tmp_path / "a", 4), _toy(tmp_path / "b", 4)
    for _ in range(4):
        whole.advance()
    for _ in range(2):
        first.advance()
    first.save()
    resumed = _toy(tmp_path / "b", 4)
    assert resumed.step == 2
    for _ in range(2):
        resumed.advance()
    expected = whole.model.state_dict()
    for name, tensor in resumed.model.state_dict().items():
        assert torch.equal(tensor, expected[name])


def test_a_run_may_begin_with_the_weights_of_another(tmp_path: Path) -> None:
    first = _toy(tmp_path / "a", 2)
    first.advance()
    first.save()
    recipe = Recipe("toy", 3, seed=2, usual=Shape(2, 512), long=Shape(1, 1024))
    second = Training(recipe, pair_paths().small, tmp_path / "b", continue_from=tmp_path / "a")
    assert (second.step, second.tokens) == (0, 0)
    for name, tensor in second.model.state_dict().items():
        assert torch.equal(tensor, first.model.state_dict()[name])
    second.advance()
    second.save()
    resumed = Training(recipe, pair_paths().small, tmp_path / "b", continue_from=tmp_path / "a")
    assert resumed.step == 1


def test_an_exported_model_loads_as_float32_and_generates(tmp_path: Path) -> None:
    _toy(tmp_path, 1).export()
    model = load(tmp_path)
    assert next(model.parameters()).dtype == torch.float32
    assert model.generation_config.do_sample is False
    assert model.generation_config.eos_token_id == read_tokenizer(tmp_path).token_to_id("<|im_end|>")


def test_the_command_lines_train_and_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train.main(["--role", "toy", "--steps", "2", "--rows", "1", "--out", str(tmp_path)])
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 2
    evaluate.main(["--model", str(tmp_path), "--problems", "3", "--requests", "2", "--batch", "2"])
    told = json.loads(capsys.readouterr().out)
    assert told["accuracy"]["total"] == 3
    assert sum(total for _, total in told["accuracy"]["by_kind"].values()) == 3
    assert 0 <= told["tokens"]["easy"] <= 1
    assert told["requests"]["total"] == 2


def test_the_packaged_pair_is_small_and_whole() -> None:
    paths = pair_paths()
    total = sum(f.stat().st_size for folder in (paths.large, paths.small) for f in folder.iterdir())
    assert total < 40_000_000
    assert (paths.large / "tokenizer.json").read_bytes() == (paths.small / "tokenizer.json").read_bytes()
    assert paths.profile == "demo"


def test_importing_the_demo_package_does_not_load_torch() -> None:
    code = "import sys, relaygen_runtime.demo; sys.exit(any(m in sys.modules for m in ('torch', 'transformers')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


def test_batches_have_one_shape_and_depend_on_the_step_alone() -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    packers = [Packer(tokenizer, 1, Shape(3, 512), Shape(2, 1024), 4) for _ in range(2)]
    packers[0].batch(0)
    for step, (rows, length) in ((2, (3, 512)), (3, (2, 1024))):
        batch = packers[0].batch(step)
        assert [len(row) for row in batch.ids] == [length] * rows
        assert [len(row) for row in batch.learnt] == [length] * rows
        assert batch == packers[1].batch(step)


def test_slips_are_read_but_not_learnt() -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    checked = 0
    for seed in range(200):
        talk = worked(Random(seed), "bare").conversation()
        marked = render(talk.messages)
        if SLIP_OPENS not in marked:
            continue
        checked += 1
        text, slips, _ = marked_spans(marked)
        assert text == unmarked(marked)
        encoded = encode(tokenizer, talk)
        offsets = tokenizer.encode(text).offsets
        for (start, end), learnt in zip(offsets, encoded.learnt, strict=True):
            if any(a <= start < b for a, b in slips):
                assert learnt == 0
                assert text[start:end].isdigit()
    assert checked > 5


def test_only_the_trained_turns_carry_loss() -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    user, reply = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}
    thinking = {**reply, "reasoning_content": "Small talk."}
    encoded = encode(tokenizer, Conversation("talk", (user, reply, user, thinking)))
    learnt = tokenizer.decode([i for i, m in zip(encoded.ids, encoded.learnt, strict=True) if m], False)
    assert learnt == "<think>\nSmall talk.\n</think>\n\nHello<|im_end|>"
    silent = encode(tokenizer, Conversation("talk", (user, reply), thinking=False))
    learnt = tokenizer.decode([i for i, m in zip(silent.ids, silent.learnt, strict=True) if m], False)
    assert learnt == "Hello<|im_end|>"
