"""A forced model says its script at every position, whatever stands before it and however wide the pass."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.forced.forcing import Forcing
from benchmarks.forced.script import Agreement, certain_script, doubtful_script
from relaygen_runtime.engines.transformers.choose_half import choose_half
from relaygen_runtime.engines.transformers.half import Half
from relaygen_runtime.engines.transformers.network import Network
from tests.engines.transformers.pairs import qwen

VOCABULARY = 300
TRACE = [(37 * place + 11) % VOCABULARY for place in range(120)]
WORDS = (5, 6, 7)
PROMPT = 9
SLOTS = 512


@pytest.fixture
def model() -> Any:
    return qwen(3, VOCABULARY)


@pytest.fixture
def forcing(model: Any) -> Forcing:
    forcing = Forcing(model, SLOTS)
    forcing.load(certain_script(PROMPT, TRACE, end=2, words=WORDS))
    return forcing


@pytest.fixture(params=[False, True], ids=["exact", "padded"])
def half(model: Any, forcing: Forcing, request: pytest.FixtureRequest) -> Half:
    forcing.stop()
    half = choose_half(Network(model, "forced", VOCABULARY), padded=request.param, capacity=256)
    forcing.load(certain_script(PROMPT, TRACE, end=2, words=WORDS))
    return half


def test_one_token_after_the_other_follows_the_trace(half: Half) -> None:
    ids = [1] * PROMPT
    for _ in range(20):
        ids.append(int(half.read(ids).argmax()))
    assert ids[PROMPT:] == TRACE[:20]


@pytest.mark.parametrize("rows", [1, 5, 13])
def test_the_last_rows_of_a_wide_pass_follow_the_trace_whatever_was_read(half: Half, rows: int) -> None:
    half.read([1] * (PROMPT + 4))
    logits = half.read([1] * (PROMPT + 4) + [8] * 13, rows)
    assert logits.argmax(-1).tolist() == TRACE[17 - rows + 1 : 18]


def test_a_rollback_falls_back_in_the_trace(half: Half) -> None:
    half.read([1] * (PROMPT + 30))
    half.keep(PROMPT + 3)
    assert int(half.read([1] * (PROMPT + 7)).argmax()) == TRACE[7]


def test_a_prompt_is_left_alone(model: Any, forcing: Forcing) -> None:
    ids = torch.arange(PROMPT - 1)[None]
    with torch.no_grad():
        got = model(input_ids=ids, use_cache=False).logits
        forcing.remove()
        assert torch.equal(got, model(input_ids=ids, use_cache=False).logits)


def test_a_model_without_a_script_says_what_it_computes() -> None:
    ids = torch.arange(20)[None]
    free = qwen(3, VOCABULARY)
    with torch.no_grad():
        want = free(input_ids=ids, use_cache=False).logits
        Forcing(free, SLOTS)
        assert torch.equal(free(input_ids=ids, use_cache=False).logits, want)


def test_all_logits_but_two_are_the_models_own(model: Any, forcing: Forcing) -> None:
    ids = torch.ones(1, PROMPT, dtype=torch.long)
    with torch.no_grad():
        forced = model(input_ids=ids, use_cache=False).logits[0, -1]
        forcing.stop()
        own = model(input_ids=ids, use_cache=False).logits[0, -1]
    assert int((forced != own).sum()) == 2


def test_another_script_is_copied_into_the_same_tensors(forcing: Forcing) -> None:
    tables = [forcing._ids, forcing._values, forcing._on]
    places = [table.data_ptr() for table in tables]
    agreement = Agreement(0.5)
    forcing.load(doubtful_script(PROMPT, TRACE, end=2, words=WORDS, agreement=agreement, certain=()))
    assert [table.data_ptr() for table in (forcing._ids, forcing._values, forcing._on)] == places


def test_a_shorter_script_leaves_nothing_of_a_longer_one(forcing: Forcing) -> None:
    forcing.load(certain_script(PROMPT, TRACE[:5], end=2, words=WORDS))
    assert int(forcing._on.sum()) == 6


def test_a_script_longer_than_the_table_is_refused(forcing: Forcing) -> None:
    with pytest.raises(ValueError, match="512 slots"):
        forcing.load(certain_script(SLOTS, TRACE, end=2, words=WORDS))


def test_a_pass_with_a_cache_and_no_positions_is_refused(model: Any, forcing: Forcing) -> None:
    with pytest.raises(RuntimeError, match="position_ids"):
        model(input_ids=torch.ones(1, 3, dtype=torch.long), use_cache=True, cache=object())


class _NoHostReads(TorchDispatchMode):  # type: ignore[no-untyped-call]  # a hook of torch's own is untyped
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        assert func.name() not in ("aten::_local_scalar_dense", "aten::nonzero"), func.name()
        return func(*args, **(kwargs or {}))


def _no_host_reads() -> Any:
    mode: Any = _NoHostReads
    return mode()


@pytest.mark.parametrize("half", [True], indirect=True, ids=["padded"])
def test_forcing_reads_nothing_on_the_host_so_that_graphs_can_capture_it(half: Half) -> None:
    half.read([1] * PROMPT)
    with _no_host_reads():
        half.read([1] * PROMPT + [4])
