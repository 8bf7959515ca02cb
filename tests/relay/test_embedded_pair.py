"""The relay on real models in this process: what scripted ones cannot show."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from relaygen_runtime import MessagesError, Phase, Relay, RelayResult, Role, ScriptedEngine, TextDelta, load_profile
from relaygen_runtime.result import ResultBuilder

QUESTIONS = [
    f"What is {a} * {b} + {c}?" for a, b, c in zip(range(21, 29), range(48, 40, -1), range(311, 319), strict=True)
]
LIMITS = {"max_tokens": 160}


def facts(result: RelayResult) -> object:
    return result.text, [(e.role, e.phase, e.reason, e.cue, e.tokens, e.text) for e in result.ledger.entries]


def test_both_models_write_and_every_token_is_accounted_for(demo_relay: Relay) -> None:
    result = demo_relay.generate(QUESTIONS[0], **LIMITS)
    ledger = result.ledger

    assert ledger.tokens_by(Role.LARGE) > 0
    assert ledger.tokens_by(Role.SMALL) > 0
    assert ledger.tokens == ledger.tokens_in(Phase.THINKING) + ledger.tokens_in(Phase.ANSWER) <= 160
    assert "".join(entry.text for entry in ledger.entries) == result.text
    assert ledger.prompt_tokens is not None
    assert ledger.prompt_tokens > 0


def test_eight_threads_get_what_eight_calls_one_after_another_get(demo_relay: Relay) -> None:
    alone = [facts(demo_relay.generate(question, **LIMITS)) for question in QUESTIONS]

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda question: facts(demo_relay.generate(question, **LIMITS)), QUESTIONS))

    assert together == alone


async def test_the_four_ways_agree(demo_relay: Relay) -> None:
    question = QUESTIONS[1]
    streamed = ResultBuilder()
    async for event in demo_relay.astream(question, **LIMITS):
        streamed.add(event)

    ways = [
        demo_relay.generate(question, **LIMITS),
        ResultBuilder.fold(demo_relay.stream(question, **LIMITS)),
        await demo_relay.agenerate(question, **LIMITS),
        streamed.result(),
    ]

    assert [facts(way) for way in ways] == [facts(ways[0])] * 4


def test_three_event_loops_in_one_process(demo_relay: Relay) -> None:
    expected = facts(demo_relay.generate(QUESTIONS[2], **LIMITS))

    assert [facts(asyncio.run(demo_relay.agenerate(QUESTIONS[2], **LIMITS))) for _ in range(3)] == [expected] * 3


async def test_a_cancelled_task_frees_the_pair_within_a_second(demo_relay: Relay) -> None:
    task = asyncio.create_task(demo_relay.agenerate(QUESTIONS[3], max_tokens=1500, mode="large", speculation=False))
    await asyncio.sleep(0.1)

    began = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert time.perf_counter() - began < 1.0
    assert [t for t in threading.enumerate() if t.name == "relaygen-stream"] == []
    assert (await demo_relay.agenerate(QUESTIONS[3], **LIMITS)).text


async def test_a_waiter_that_gives_up_leaves_the_line(demo_relay: Relay) -> None:
    holding = demo_relay.stream(QUESTIONS[4], **LIMITS)
    next(holding)
    waiting = asyncio.create_task(demo_relay.agenerate(QUESTIONS[5], **LIMITS))
    await asyncio.sleep(0.1)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    rest = list(holding)

    assert rest
    assert demo_relay.generate(QUESTIONS[5], **LIMITS).text


def test_breaking_out_of_a_stream_frees_the_pair(demo_relay: Relay) -> None:
    for event in (stream := demo_relay.stream(QUESTIONS[6], **LIMITS)):
        if isinstance(event, TextDelta) and event.role is Role.SMALL:
            break
    stream.close()

    assert demo_relay.generate(QUESTIONS[6], **LIMITS).text


def test_an_unknown_role_is_refused_and_the_pair_stays_usable(demo_relay: Relay) -> None:
    with pytest.raises(MessagesError):
        demo_relay.generate([{"content": "no role"}])

    assert demo_relay.generate(QUESTIONS[7], **LIMITS).text


def test_a_profile_may_be_an_object_or_a_path(demo_relay: Relay, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(load_profile("demo").model_dump_json(), encoding="utf-8")

    assert Relay(demo_relay.engine, file).profile == Relay(demo_relay.engine, load_profile("demo")).profile


async def test_a_pair_closes_with_its_block() -> None:
    with Relay(ScriptedEngine(["a"]), "demo") as relay:
        assert relay.profile.name == "demo"
    async with Relay(ScriptedEngine(["a"]), "demo") as same:
        assert (await same.agenerate("?")).text == "a"
