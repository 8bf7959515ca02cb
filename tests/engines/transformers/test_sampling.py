"""Settings, filters, penalties and noise; with and without speculation, one distribution."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from relaygen_runtime.engines.base import Sampling
from relaygen_runtime.engines.transformers.noise import Noise, Purpose
from relaygen_runtime.engines.transformers.sampling import Penalties, Settings, distribution, resolve
from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.vocabulary import Role
from tests.engines.transformers.pairs import alike, engine, ids, qwen, request, tokenizer, write
from tests.speculative.statistics import chi_square_p

ZOO: dict[str, Any] = {"temperature": 1.0, "top_p": 0.9, "top_k": 12, "min_p": 0.02}


def test_what_the_caller_leaves_open_comes_from_the_generation_config() -> None:
    config = SimpleNamespace(do_sample=True, temperature=0.6, top_p=0.95, top_k=20, repetition_penalty=1.1)
    settings = resolve(Sampling(top_k=5, seed=3), config)
    assert settings == Settings(0.6, 0.95, 5, 0.0, 0.0, 1.1, 3)


def test_a_model_that_does_not_sample_is_greedy_unless_asked() -> None:
    assert resolve(Sampling(), SimpleNamespace(do_sample=False, temperature=0.6)).greedy
    assert resolve(Sampling(temperature=0.5), SimpleNamespace(do_sample=False)).temperature == 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -1},
        {"temperature": float("nan")},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"top_k": -1},
        {"min_p": 1.0},
        {"repetition_penalty": 0.0},
        {"presence_penalty": float("inf")},
    ],
)
def test_values_out_of_range_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        resolve(Sampling(**wrong), SimpleNamespace())


@pytest.mark.parametrize(
    "settings",
    [
        Settings(temperature=0.7),
        Settings(temperature=1.3, top_k=5),
        Settings(temperature=1.0, top_p=0.8),
        Settings(temperature=0.6, top_p=0.95, top_k=20),
        Settings(temperature=1.0, min_p=0.1),
        Settings(temperature=0.9, top_p=0.7, top_k=50, min_p=0.05),
        Settings(temperature=1.0, top_k=1000),
        Settings(temperature=1.0, top_p=1e-6),
    ],
)
def test_filters_agree_with_transformers(settings: Settings) -> None:
    torch.manual_seed(0)
    logits = torch.randn(4, 200) * 3
    steps: list[Any] = [TemperatureLogitsWarper(settings.temperature)]
    if settings.top_k:
        steps.append(TopKLogitsWarper(settings.top_k))
    if settings.top_p < 1:
        steps.append(TopPLogitsWarper(settings.top_p))
    if settings.min_p:
        steps.append(MinPLogitsWarper(settings.min_p))
    filtered: Any = LogitsProcessorList(steps)
    expected = filtered(torch.zeros(4, 0, dtype=torch.long), logits.clone()).softmax(-1)
    torch.testing.assert_close(distribution(logits, settings), expected)


def test_the_repetition_penalty_agrees_with_transformers() -> None:
    torch.manual_seed(0)
    logits = torch.randn(1, 50)
    penalties = Penalties(Settings(repetition_penalty=1.3), 50, [3, 4, 4])
    for token in (7, 7, 9):
        penalties.add(token)
    penalties.remove(9)
    penalise: Any = RepetitionPenaltyLogitsProcessor(1.3)
    expected = penalise(torch.tensor([[3, 4, 4, 7, 7]]), logits.clone())
    torch.testing.assert_close(penalties.apply(logits), expected)


def test_the_presence_penalty_counts_what_was_written_once_and_not_the_prompt() -> None:
    penalties = Penalties(Settings(presence_penalty=0.5), 6, [1])
    for token in (2, 2, 3, 99):
        penalties.add(token)
    penalties.remove(3)
    penalties.remove(99)
    assert penalties.apply(torch.zeros(1, 6)).tolist() == [[0, 0, -0.5, 0, 0, 0]]


def test_each_row_of_a_draft_is_penalised_for_what_stands_before_it() -> None:
    penalties = Penalties(Settings(presence_penalty=1.0), 5, [])
    penalties.add(0)
    rows = penalties.apply(torch.zeros(3, 5), [1, 2])
    assert rows.tolist() == [[-1, 0, 0, 0, 0], [-1, -1, 0, 0, 0], [-1, -1, -1, 0, 0]]


@pytest.mark.parametrize("penalty", [{"presence_penalty": 1.5}, {"repetition_penalty": 1.4}])
def test_penalties_along_a_draft_change_no_greedy_token(penalty: dict[str, float]) -> None:
    large = qwen(1, 384)
    pair = engine(large, alike(large, 3, 0.1))
    texts = []
    for speculation in (False, True):
        session = pair.open(request(speculation=speculation, sampling={"temperature": 0.0, **penalty}))
        texts.append(ids([*write(session, Role.LARGE, 40), *write(session, Role.SMALL, 9), *write(session, tokens=9)]))
        session.close()
    assert texts[0] == texts[1]
    session = pair.open(request())
    assert ids(write(session, Role.LARGE, 40)) != texts[0][:40], "the penalty does something here"


def test_penalties_see_what_was_taken_back_no_more() -> None:
    pair = engine(speculation=False)
    sampling = {"temperature": 0.0, "presence_penalty": 2.0}
    session = pair.open(request(sampling=sampling))
    first = ids(write(session, tokens=12))
    session.rollback(8)
    assert ids(write(session, tokens=8)) == first[4:]


def test_noise_is_the_same_whoever_asks_first() -> None:
    one, other = Noise(5, torch.device("cpu")), Noise(5, torch.device("cpu"))
    late = one.at(Purpose.LARGE, 3000, 2).tolist()
    other.at(Purpose.DRAFT, 0)
    other.at(Purpose.LARGE, 10, 30)
    assert other.at(Purpose.LARGE, 3000, 2).tolist() == late
    assert one.at(Purpose.LARGE, 10).tolist() != one.at(Purpose.SMALL, 10).tolist()
    assert Noise(None, torch.device("cpu")).at(Purpose.TEST, 0) != one.at(Purpose.TEST, 0)


@pytest.mark.parametrize("speculation", [False, True])
def test_a_seed_repeats_the_text_and_another_does_not(speculation: bool) -> None:
    pair = engine()

    def text(seed: int) -> list[int]:
        session = pair.open(request(speculation=speculation, sampling={**ZOO, "seed": seed}))
        written = ids([*write(session, tokens=20), *write(session, Role.SMALL, 5)])
        session.close()
        return written

    assert text(1) == text(1)
    assert text(1) != text(2)


def test_a_seed_repeats_the_text_when_work_was_thrown_away() -> None:
    pair = engine(speculation=False)
    texts = []
    for waste in (0, 3):
        session = pair.open(request(sampling={**ZOO, "seed": 9}))
        written = write(session, tokens=10 + waste)
        session.rollback(waste)
        texts.append(ids([*written[:10], *write(session, tokens=10)]))
        session.close()
    assert texts[0] == texts[1]


@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_speculation_samples_from_the_large_models_distribution(noise: float) -> None:
    """The first two tokens against the exact distribution of the large model: the pair's whole path, both rules."""
    tok = tokenizer()
    large = qwen(4, len(tok), layers=1)
    pair = engine(large, alike(large, 5, noise), tok=tok, draft_max=3)
    settings = {"temperature": 0.8, "top_k": 5}
    network = pair._halves[Role.LARGE].network
    counts: Counter[tuple[int, ...]] = Counter()
    rounds = 1500
    for seed in range(rounds):
        session = pair.open(request("Go", sampling={**settings, "seed": seed}))
        counts[tuple(ids(write(session, tokens=3))[:2])] += 1
        prompt = tok(session.prompt_text, add_special_tokens=False)["input_ids"]
        session.close()
    exact = resolve(Sampling(**settings), SimpleNamespace())  # type: ignore[arg-type]
    first = distribution(network.fresh_logits(torch.tensor([prompt]))[-1:], exact)[0].detach()
    pairs, expected = [], []
    for a in first.nonzero()[:, 0].tolist():
        second = distribution(network.fresh_logits(torch.tensor([[*prompt, a]]))[-1:], exact)[0].detach()
        for b in second.nonzero()[:, 0].tolist():
            pairs.append((a, b))
            expected.append(float(first[a] * second[b]))
    assert set(counts) <= set(pairs)
    assert chi_square_p(torch.tensor([float(counts[p]) for p in pairs]), torch.tensor(expected)) > 1e-3


def test_a_look_ahead_that_was_taken_back_does_not_bias_what_the_large_writes() -> None:
    """A sentence ends *because* its look-ahead token is of some kind; as a draft it would make that kind too likely."""
    tok = tokenizer()
    large = qwen(4, len(tok), layers=1)
    pair = engine(large, alike(large, 5, 0.3), tok=tok, draft_max=2)
    settings = {"temperature": 1.0, "top_k": 4}
    network = pair._halves[Role.LARGE].network
    counts: Counter[int] = Counter()
    kind: int | None = None
    for seed in range(2500):
        session = pair.open(request("Go", sampling={**settings, "seed": seed}))
        look_ahead = ids(write(session, Role.SMALL, 1))[0]
        kind = look_ahead if kind is None else kind
        session.rollback(1)
        if look_ahead == kind:  # only then did "the sentence end"
            counts[ids(write(session, tokens=2))[0]] += 1
        prompt = tok(session.prompt_text, add_special_tokens=False)["input_ids"]
        session.close()
    exact = resolve(Sampling(**settings), SimpleNamespace())  # type: ignore[arg-type]
    expected = distribution(network.fresh_logits(torch.tensor([prompt]))[-1:], exact)[0].detach()
    observed = torch.zeros_like(expected)
    for token, count in counts.items():
        observed[token] = count
    assert sum(counts.values()) > 200
    assert chi_square_p(observed, expected) > 1e-3
