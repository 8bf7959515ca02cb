"""The asynchronous path: the same answers, and nothing left behind when the consumer goes."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from relaygen_runtime import EngineError, MessagesError, Relay, RelayResult, Role, TextDelta
from relaygen_runtime.async_bridge import stream_in_thread
from relaygen_runtime.result import ResultBuilder
from tests.relay.scripts import scripted

LARGE = ["First multiply both of the numbers. So,", " Then add them. Therefore,", " All is known now.\n</think>\n\n"]
SMALL = [" it is 12. And", " it is 13. And", "The answer is 13."]


def stream_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "relaygen-stream"]


def facts(result: RelayResult) -> object:
    entries = [(e.role, e.phase, e.reason, e.cue, e.tokens, e.text) for e in result.ledger.entries]
    return result.answer, result.thinking, result.text, result.finish_reason, result.notes, entries


def slow(role: Role, pause_s: float = 0.02) -> Callable[[Role, int], None]:
    def wait(author: Role, written: int) -> None:
        if author is role:
            time.sleep(pause_s)

    return wait


async def test_all_four_ways_agree() -> None:
    relay, _ = scripted(LARGE, SMALL)

    streamed = ResultBuilder()
    async for event in relay.astream("?"):
        streamed.add(event)
    ways = [relay.generate("?"), ResultBuilder.fold(relay.stream("?")), await relay.agenerate("?"), streamed.result()]

    assert [facts(way) for way in ways] == [facts(ways[0])] * 4
    assert stream_threads() == []


def test_three_event_loops_one_after_another_and_a_call_between_them() -> None:
    relay, _ = scripted(LARGE, SMALL)
    expected = facts(relay.generate("?"))

    for _ in range(3):
        assert facts(asyncio.run(relay.agenerate("?"))) == expected
    assert facts(relay.generate("?")) == expected


@pytest.mark.parametrize("role", [Role.LARGE, Role.SMALL])
async def test_a_cancelled_task_ends_the_generation_within_a_moment(role: Role) -> None:
    relay, engine = scripted(["word " * 5000, *LARGE], [" so it goes on"] * 3, fail=slow(Role.LARGE))
    if role is Role.SMALL:
        relay, engine = scripted(LARGE, [" word" * 5000], fail=slow(Role.SMALL), options={"max_small_tokens": 5000})
    task = asyncio.create_task(relay.agenerate("?", loop_guard=False))
    await asyncio.sleep(0.2)

    began = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert time.perf_counter() - began < 1.0
    assert engine.runs[-1].author is role
    assert engine.closed_sessions == 1
    assert stream_threads() == []


async def test_breaking_out_and_closing_ends_the_generation() -> None:
    relay, engine = scripted(["word " * 5000], [], fail=slow(Role.LARGE, 0.001))
    stream = relay.astream("?", loop_guard=False)

    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()

    assert engine.closed_sessions == 1
    assert stream_threads() == []


async def test_a_consumer_that_stops_reading_stops_the_engine_too() -> None:
    relay, engine = scripted([" ".join(f"w{i}" for i in range(3000))], [])
    written: list[int] = []
    engine.fail = lambda author, count: written.append(count)
    stream = relay.astream("?")

    await anext(aiter(stream))
    await asyncio.sleep(0.2)
    before = len(written)
    await asyncio.sleep(0.1)

    assert len(written) == before < 1000
    await stream.aclose()


async def test_an_engine_error_reaches_the_awaiting_task() -> None:
    def fail(author: Role, written: int) -> None:
        if written == 3:
            raise EngineError("gone")

    relay, _ = scripted(LARGE, SMALL, fail=fail, options={"mode": "large"})

    with pytest.raises(EngineError, match="gone") as caught:
        await relay.agenerate("?")
    assert caught.value.partial


async def test_bad_input_raises_in_async_code_too() -> None:
    relay, _ = scripted(LARGE, SMALL)

    with pytest.raises(MessagesError):
        await relay.agenerate([])


async def test_many_generations_at_once_on_one_relay_do_not_mix() -> None:
    relay, _ = scripted(LARGE, SMALL)
    expected = facts(relay.generate("?"))

    results = await asyncio.gather(*(relay.agenerate("?") for _ in range(8)))

    assert [facts(result) for result in results] == [expected] * 8


async def test_a_relay_is_an_async_context_manager_too() -> None:
    relay, _ = scripted(LARGE, SMALL)

    async with relay as same:
        assert isinstance(same, Relay)


async def test_the_thread_runs_in_the_callers_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("seen")

    def open_stream(cancelled: threading.Event) -> Iterator[str]:
        yield variable.get()

    assert [item async for item in stream_in_thread(open_stream)] == ["seen"]


async def test_an_error_on_opening_is_raised_to_the_consumer() -> None:
    def open_stream(cancelled: threading.Event) -> Iterator[str]:
        raise ValueError("at once")

    with pytest.raises(ValueError, match="at once"):
        _ = [item async for item in stream_in_thread(open_stream)]
    assert stream_threads() == []


async def test_any_iterator_will_do_even_one_without_close() -> None:
    assert [item async for item in stream_in_thread(lambda cancelled: iter([1, 2, 3]))] == [1, 2, 3]
