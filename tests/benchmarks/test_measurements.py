"""Handoffs, bare passes, graphs and bytes are measured on what they say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from benchmarks.forced.bandwidth import copy_bandwidth
from benchmarks.forced.graph_check import GraphCheck, check_graphs, compare, padded_pair
from benchmarks.forced.handoffs import LENGTHS, TooShortError, measure_handoffs, refuse_short
from benchmarks.forced.memory import memory_use
from benchmarks.forced.pair import ForcedPair
from benchmarks.forced.pass_times import measure_passes
from benchmarks.forced.shapes import SCALES, Shape, build_model, cache_bytes, step_weight_bytes, weight_bytes
from benchmarks.forced.tokenizer import trace_tokenizer
from relaygen_runtime.engines.transformers.slot_half import WIDTHS
from relaygen_runtime.vocabulary import Role
from tests.benchmarks.toys import toy_pair

META = torch.device("meta")


@pytest.fixture(scope="module")
def pair() -> Iterator[ForcedPair]:
    with toy_pair() as made:
        yield made


def test_a_handoff_is_one_pass_that_reads_what_the_other_wrote(pair: ForcedPair) -> None:
    found = measure_handoffs(pair.relay, pair.scenarios)
    for role in Role:
        assert found[role].passes == 1
        assert found[role].read_tokens == LENGTHS[role.other]
        assert found[role].first_token_s > 0
        assert found[role].ratio.n >= 1


def test_traces_too_short_for_a_handoff_are_refused() -> None:
    with toy_pair(tokens=80) as short, pytest.raises(TooShortError, match="has 80, a handoff needs 116"):
        refuse_short(short.scenarios)


def test_passes_of_every_width_are_timed_at_the_length_asked_for(pair: ForcedPair) -> None:
    pair.release()
    times = measure_passes(pair.models[Role.LARGE], 100)
    assert list(times.seconds) == list(WIDTHS)
    assert all(seconds > 0 for seconds in times.seconds.values())
    assert times.step_bytes(100) - times.step_bytes(0) == 100 * cache_bytes(pair.models[Role.LARGE])


def test_a_copy_moves_some_gigabytes_a_second() -> None:
    assert copy_bandwidth(torch.device("cpu")) > 1e8


def test_a_cpu_has_no_graphs_to_check_and_no_gpu_memory(pair: ForcedPair) -> None:
    assert check_graphs(pair.models) is None
    memory = memory_use(pair.models, torch.device("cpu"))
    assert memory.weights == sum(map(weight_bytes, pair.models.values()))
    assert memory.peak_allocated is None


def test_the_graph_check_compares_every_width_and_passes_where_both_sides_are_the_same(pair: ForcedPair) -> None:
    pair.release()
    pairs = [made for model in pair.models.values() if (made := padded_pair(model)) is not None]
    check = compare(pairs)
    assert check.passed
    assert check.passes == check.identical == 48
    assert check.same_choice == 1


def test_the_graph_check_notices_a_side_that_differs(pair: ForcedPair) -> None:
    pair.release()
    one, other = (padded_pair(model) for model in pair.models.values())
    assert one is not None
    assert other is not None
    assert not compare([(one[0], other[1])]).passed


def test_the_graph_check_notices_buffers_that_moved() -> None:
    assert not GraphCheck(passes=1, identical=1, same_choice=1.0, worst=0.0, buffers_moved=1).passed


def shaped(shape: Shape) -> tuple[int, int, int]:
    model = build_model(shape, trace_tokenizer(["a b c"]), device=META, dtype=torch.bfloat16, seed=0)
    assert all(parameter.device == META for parameter in model.parameters())
    return weight_bytes(model), step_weight_bytes(model), cache_bytes(model)


def test_the_large_shape_is_a_qwen3_32bs() -> None:
    whole, step, token = shaped(SCALES["full"].large)
    assert whole == pytest.approx(65.5e9, rel=1e-3)
    # One row of the embedding is read, not all of them; the head is.
    assert whole - step == 151_936 * 5120 * 2
    assert token == 262_144


def test_the_small_shape_is_a_qwen3_1_7bs() -> None:
    whole, step, token = shaped(SCALES["full"].small)
    assert whole == step == pytest.approx(3.44e9, rel=1e-3)
    assert token == 114_688
