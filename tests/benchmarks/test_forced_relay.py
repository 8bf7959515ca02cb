"""Every arm of a forced pair writes the trace and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.forced.forcing import Forcing
from benchmarks.forced.pair import ForcedPair, forced_pair
from benchmarks.forced.relay import TraceNotFollowedError
from benchmarks.forced.settings import Settings
from benchmarks.forced.texts import made_up_traces, real_traces, traces_file
from relaygen_runtime.engines.base import GenerationRequest, Run, Sampling
from relaygen_runtime.evaluation.bench import ARMS
from relaygen_runtime.ledger import Ledger
from relaygen_runtime.vocabulary import Phase, Role, Stop
from tests.benchmarks.toys import TOKENS, toy_pair

needs_traces = pytest.mark.skipif(
    not os.environ.get("RELAYGEN_TRACES"), reason="RELAYGEN_TRACES does not name the folder of the real traces"
)


@pytest.fixture(scope="module")
def pair() -> Iterator[ForcedPair]:
    with toy_pair() as made:
        yield made


def written(pair: ForcedPair, **options: Any) -> Ledger:
    return pair.relay.generate(pair.scenarios[0].prompt, **options).ledger


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("temperature", [0.0, 0.6])
def test_the_text_of_every_arm_is_the_traces(pair: ForcedPair, arm: str, temperature: float) -> None:
    scenario = pair.scenarios[0]
    result = pair.relay.generate(scenario.prompt, **ARMS[arm], temperature=temperature, top_p=0.95, seed=1)
    assert result.text == scenario.text
    assert result.ledger.tokens == len(scenario.ids) == TOKENS


@pytest.mark.parametrize("speculation", [False, True])
def test_a_relay_switches_where_the_dry_run_says(pair: ForcedPair, speculation: bool) -> None:
    ledger, dry = written(pair, speculation=speculation), pair.scenarios[0].authors.ledger
    assert [(e.role, e.tokens, e.reason) for e in ledger.entries] == [(e.role, e.tokens, e.reason) for e in dry.entries]
    assert ledger.tokens_by(Role.SMALL) > 0


def test_a_whole_trace_ends_with_its_answer() -> None:
    with toy_pair(tokens=2000) as pair:
        scenario = pair.scenarios[0]
        result = pair.relay.generate(scenario.prompt)
        assert result.text == made_up_traces(1, 20)[0].text
        assert result.answer.startswith("Adding up all steps")
        assert result.finish_reason == "stop"


def test_a_history_stands_before_the_question() -> None:
    with toy_pair(2, tokens=60, history=700) as pair:
        assert all(600 < scenario.prompt_tokens < 800 for scenario in pair.scenarios)
        for scenario in pair.scenarios:
            assert pair.relay.generate(scenario.prompt).text == scenario.text


@pytest.mark.parametrize("options", [{"mode": "large"}, {}], ids=["speculation", "relay + speculation"])
def test_more_agreement_means_more_accepted_drafts(pair: ForcedPair, options: dict[str, str]) -> None:
    acceptance = []
    for rate in (0.3, 0.6, 0.9, 1.0):
        pair.relay.agreement = replace(pair.relay.agreement, rate=rate)
        acceptance.append(written(pair, speculation=True, **options).acceptance or 0)
    assert acceptance == sorted(acceptance)
    assert acceptance[0] < 0.6 < acceptance[2] < acceptance[3] == 1


def test_drafts_end_where_the_small_model_is_unsure(pair: ForcedPair) -> None:
    drafted = []
    for unsure in (0.0, 0.5):
        pair.relay.agreement = replace(pair.relay.agreement, rate=1.0, unsure_when_right=unsure)
        drafted.append(written(pair, mode="large", speculation=True))
    passes = [len(ledger.entries) and ledger.drafted_tokens for ledger in drafted]
    assert passes[1] is not None
    assert passes[0] is not None
    # Shorter drafts: more tokens are the large model's own.
    assert passes[1] < passes[0]


@pytest.mark.parametrize("speculation", [False, True], ids=["plain", "drafted"])
def test_positions_hold_through_handoffs_and_drafts(pair: ForcedPair, speculation: bool) -> None:
    scenario = pair.scenarios[0]
    pair.relay.follow(scenario, doubtful=speculation)
    request = GenerationRequest(
        [{"role": "user", "content": scenario.prompt}], sampling=Sampling(temperature=0.0), speculation=speculation
    )
    ids: list[int | None] = []
    certain = scenario.authors.small
    with closing(pair.relay.engine.open(request)) as session:
        while len(ids) < 60:
            # Hand over wherever the small model never errs.
            author = Role.SMALL if len(ids) in certain else Role.LARGE
            for chunk in session.write(Run(author, Phase.THINKING, 1 if author is Role.SMALL else 3)):
                ids += [piece.token_id for piece in chunk.pieces]
    assert ids == list(scenario.ids[: len(ids)])


def test_the_traces_end_is_the_end_of_the_turn() -> None:
    with toy_pair(tokens=2000) as pair:
        scenario = pair.scenarios[0]
        pair.relay.follow(scenario, doubtful=False)
        request = GenerationRequest([{"role": "user", "content": scenario.prompt}], speculation=False)
        with closing(pair.relay.engine.open(request)) as session:
            *_, last = session.write(Run(Role.LARGE, Phase.ANSWER, 5000))
        assert last.stop is Stop.EOS


def test_text_that_is_not_the_traces_is_an_error(pair: ForcedPair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forcing, "load", lambda forcing, script: forcing.stop())
    with pytest.raises(TraceNotFollowedError, match="the trace has"):
        written(pair, mode="large", speculation=False)


@needs_traces
def test_every_arm_follows_a_real_trace() -> None:
    file = traces_file()
    assert file is not None
    traces = real_traces(file)
    with forced_pair(Settings(tokens=400), traces[:1]) as pair:
        scenario = pair.scenarios[0]
        assert scenario.whole_tokens == pytest.approx(scenario.declared_tokens or 0, rel=0.15)
        assert traces[0].text.startswith(scenario.text)
        for options in ARMS.values():
            assert pair.relay.generate(scenario.prompt, **options).text == scenario.text
