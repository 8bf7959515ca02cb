"""What a pass that fails or is interrupted leaves behind: nothing that the next one could trip over."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

from relaygen_runtime.engines.transformers.half import Half
from relaygen_runtime.engines.transformers.library_half import LibraryHalf
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.slot_half import SlotHalf
from relaygen_runtime.engines.transformers.turnstile import Turnstile
from relaygen_runtime.errors import CancelledWaitError
from relaygen_runtime.vocabulary import Role
from tests.engines.transformers.pairs import engine, ids, qwen, request, write


def interrupted(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def slots(network: Network) -> Half:
    return SlotHalf(network, [(2, 16, 16, torch.device("cpu"))] * 2)


def library(network: Network) -> Half:
    return LibraryHalf(network, rolls_back=True)


@pytest.mark.parametrize("make", [slots, library])
@pytest.mark.parametrize("where", ["model.layers.1", "lm_head"])
def test_a_pass_that_was_interrupted_is_forgotten(make: Any, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = qwen(1, 97)
    network = Network(model, "q", 97)
    half, sequence = make(network), list(range(1, 15))
    half.read(sequence[:10])
    with monkeypatch.context() as patched:
        patched.setattr(model.get_submodule(where), "forward", interrupted)
        with pytest.raises(KeyboardInterrupt):
            half.read(sequence[:12])

    half.align(sequence)
    with torch.inference_mode():
        expected = network.fresh_logits(torch.tensor([sequence]))[-1]
    assert torch.allclose(half.read(sequence)[-1], expected, atol=1e-4)


def test_whoever_is_interrupted_while_waiting_leaves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Turnstile()
    first = line.enter()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Condition, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            line.enter()

    line.leave(first)
    impatient = threading.Event()
    impatient.set()
    line.leave(line.enter(impatient))


def test_a_small_model_that_fails_while_it_drafts_costs_only_the_drafts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pair = engine(speculation=True)
    session = pair.open(request())
    expected = ids(write(session, tokens=30))
    session.close()
    small = pair._halves[Role.SMALL]
    forward, passes = small._forward, 0

    def fail(*arguments: Any) -> Any:
        nonlocal passes
        passes += 1
        if passes > 3:
            raise RuntimeError("out of memory")
        return forward(*arguments)

    monkeypatch.setattr(small, "_forward", fail)
    session = pair.open(request())
    written = ids(write(session, tokens=30))
    session.close()

    assert written == expected
    assert "out of memory; nothing more is drafted" in caplog.text


def test_a_thread_that_waits_for_itself_is_told(caplog: pytest.LogCaptureFixture) -> None:
    line = Turnstile()
    line.enter()
    gone = threading.Event()
    gone.set()

    with caplog.at_level("WARNING"), pytest.raises(CancelledWaitError):
        line.enter(gone)

    assert "finish or close the earlier stream first" in caplog.text
