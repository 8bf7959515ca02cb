"""Tuning changes how numbers are stored and called, never what comes out."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

from relaygen_runtime.engines.transformers import tuning
from relaygen_runtime.engines.transformers.tuning import tune_for_cpu
from tests.engines.transformers.pairs import qwen


@pytest.mark.parametrize("columns", [False, True])
def test_a_tuned_model_gives_the_same_logits(columns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "_faster_by_columns", lambda weights: {w.shape for w in weights} if columns else set())
    model = qwen(3, 97)
    ids = torch.randint(0, 97, (1, 20))
    with torch.no_grad():
        before = model(ids).logits
        tune_for_cpu(model)
        torch.testing.assert_close(model(ids).logits, before, rtol=1e-4, atol=1e-4)
    weight = model.model.layers[0].mlp.up_proj.weight
    assert weight.is_contiguous() is not columns
    assert weight.shape == (64, 48)


def test_the_faster_way_is_measured_not_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    wide, tall = nn.Parameter(torch.randn(64, 48)), nn.Parameter(torch.randn(48, 64))
    clock = iter(range(10**6))
    monkeypatch.setattr(tuning, "thread_time", lambda: next(clock))
    assert tuning._faster_by_columns([wide, tall]) == set(), "equal times: nothing to gain"
    slow = {"rows": True}

    def linear(_: torch.Tensor, weight: torch.Tensor) -> None:
        if weight.is_contiguous() is slow["rows"] and weight.shape == wide.shape:
            next(clock)

    monkeypatch.setattr(torch.nn.functional, "linear", linear)
    assert tuning._faster_by_columns([wide, tall]) == {wide.shape}
    slow["rows"] = False
    assert tuning._faster_by_columns([wide, tall]) == set()


def test_a_sample_of_a_large_model_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "_SAMPLE_BYTES", 1)
    shapes = [nn.Parameter(torch.randn(8, n)) for n in (4, 5, 6)]
    assert tuning._faster_by_columns(shapes) <= {shapes[0].shape}


def test_a_norm_that_is_something_else_is_left_alone() -> None:
    class OddRMSNorm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(8))
            self.eps = 1e-6

        def forward(self, x: Any) -> Any:
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * (1 + self.weight)

    model = nn.Sequential(OddRMSNorm())
    sample = torch.randn(2, 8)
    before = model(sample)
    tune_for_cpu(model)
    torch.testing.assert_close(model(sample), before)
    assert "forward" not in model[0].__dict__


def test_other_precisions_are_left_alone() -> None:
    model = qwen(3, 97).to(torch.bfloat16)
    tune_for_cpu(model)
    assert all(parameter.is_contiguous() for parameter in model.parameters())


def test_missing_torch_is_named_with_the_command_that_brings_it() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from relaygen_runtime.errors import MissingDependencyError\n"
        "try:\n    import relaygen_runtime.engines.transformers\n"
        "except MissingDependencyError as error:\n    print(error)\n"
    )
    done = subprocess.run(  # noqa: S603  (our own interpreter, our own code)
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert 'pip install "relaygen[torch]"' in done.stdout
