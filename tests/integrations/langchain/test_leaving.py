"""Leaving a stream, cancelling, several event loops: the pair is free at once, and nothing is left behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from relaygen_integrations.langchain import ChatRelayGen, RelayTimeoutError
from relaygen_runtime import Relay, Role, ScriptedEngine
from tests.integrations.langchain.chats import ANSWER, aadded, chat

QUESTION = "What is 37 * 24 + 118?"


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "relaygen-stream"]


def endless(fail: Callable[[Role, int], None] | None = None, **fields: object) -> tuple[ChatRelayGen, ScriptedEngine]:
    return chat(["word " * 100_000], ["word "], script={"fail": fail}, max_tokens=90_000, loop_guard=False, **fields)


def test_case_26_three_event_loops_in_one_process_and_a_call_without_one_between(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=60)
    answers = [asyncio.run(llm.ainvoke(QUESTION)).text for _ in range(2)]
    answers.append(llm.invoke(QUESTION).text)
    answers.append(asyncio.run(llm.ainvoke(QUESTION)).text)

    assert len(set(answers)) == 1
    assert threads() == []


def test_leaving_a_stream_frees_the_pair_at_once(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=4000)
    for _ in llm.stream(QUESTION):
        break

    assert llm.invoke("What is 3 + 4?", max_tokens=60).text


async def test_leaving_an_async_stream_frees_the_pair_as_soon_as_it_is_closed(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=4000)
    stream = llm.astream(QUESTION)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]  # it is a generator

    assert threads() == []


async def test_breaking_out_of_an_async_stream_lets_the_next_call_begin(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=4000)
    async for _ in llm.astream(QUESTION):
        break

    assert (await llm.ainvoke("What is 3 + 4?", max_tokens=60)).text
    assert threads() == []


@pytest.mark.parametrize("way", ["held", "returned", "never begun", "raised"])
def test_a_loop_that_ends_while_a_stream_is_open_closes_it_without_a_word(
    way: str, caplog: pytest.LogCaptureFixture
) -> None:
    llm, engine = endless()

    async def leave() -> object:
        stream = llm.astream("?")
        if way == "never begun":
            return stream
        async for _ in stream:
            break
        if way == "raised":
            raise LookupError
        return stream if way == "returned" else None

    with pytest.raises(LookupError) if way == "raised" else nullcontext():
        asyncio.run(leave())

    assert engine.closed_sessions == (way != "never begun")
    assert [record.getMessage() for record in caplog.records] == []
    assert threads() == []


@pytest.mark.parametrize("way", ["ainvoke", "astream"])
async def test_a_cancelled_task_ends_its_generation(way: str) -> None:
    begun = threading.Event()
    llm, engine = endless(lambda *_: begun.set())

    async def read() -> None:
        if way == "ainvoke":
            await llm.ainvoke("?")
        async for _ in llm.astream("?"):
            pass

    task = asyncio.create_task(read())
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert engine.closed_sessions == 1
    assert threads() == []


async def test_eight_calls_at_once_give_what_they_give_one_by_one(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=80)
    questions = [f"What is {n} + {n + 3}?" for n in range(8)]
    together = await asyncio.gather(*(llm.ainvoke(question) for question in questions))

    assert [message.text for message in together] == [llm.invoke(question).text for question in questions]


@pytest.mark.parametrize("way", ["invoke", "stream", "ainvoke", "astream"])
async def test_a_call_that_takes_longer_than_its_timeout_is_ended_and_says_what_was_written(way: str) -> None:
    llm, engine = endless(timeout=0.05)

    async def call() -> None:
        if way == "invoke":
            llm.invoke("?")
        elif way == "stream":
            list(llm.stream("?"))
        elif way == "ainvoke":
            await llm.ainvoke("?")
        else:
            await aadded(llm.astream("?"))

    with pytest.raises(RelayTimeoutError, match=r"longer than its timeout of 0.05 s") as caught:
        await call()

    assert set(caught.value.partial.split()) <= {"word", "wo"}
    assert engine.closed_sessions == 1
    assert threads() == []


async def test_waiting_for_another_call_counts_for_the_timeout(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=4000)
    holding = llm.stream(QUESTION)
    next(iter(holding))

    with pytest.raises(RelayTimeoutError):
        await asyncio.to_thread(llm.invoke, "?", timeout=0.05)
    with pytest.raises(RelayTimeoutError):
        await llm.ainvoke("?", timeout=0.05)
    holding.close()  # type: ignore[attr-defined]  # it is a generator

    assert llm.invoke("What is 3 + 4?", max_tokens=60, timeout=3600).text


async def test_a_timeout_that_is_not_reached_changes_nothing() -> None:
    assert chat(timeout=3600)[0].invoke("?").content == ANSWER
    assert (await chat(timeout=3600)[0].ainvoke("?")).content == ANSWER
