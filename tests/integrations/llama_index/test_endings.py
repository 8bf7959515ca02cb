"""A consumer that stops early frees the pair at once, whoever listens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable

import pytest
from llama_index.core.callbacks import CallbackManager, LlamaDebugHandler
from llama_index.core.llms import ChatMessage

from tests.integrations.llama_index.scripts import QUESTION, Playlist, on, saying, thought

TEXT = thought("one two three four five six seven.", "It is eight.")


def listened_to() -> CallbackManager:
    """A handler that keeps what it is told, the exception that ends a stream among it."""
    return CallbackManager([LlamaDebugHandler(print_trace_on_end=False)])


@pytest.mark.parametrize("callbacks", [lambda: None, listened_to], ids=["nobody listens", "somebody listens"])
class TestEarlyEnd:
    def test_leaving_a_loop(self, callbacks: Callable[[], CallbackManager | None]) -> None:
        llm, engine = saying(TEXT, options={"callback_manager": callbacks()})
        for _ in llm.stream_chat(QUESTION):
            break

        assert engine.closed_sessions == 1

    def test_closing_a_completion(self, callbacks: Callable[[], CallbackManager | None]) -> None:
        llm, engine = saying(TEXT, options={"callback_manager": callbacks()})
        stream = llm.stream_complete("?")
        next(stream)
        stream.close()

        assert engine.closed_sessions == 1

    async def test_closing_an_async_chat(self, callbacks: Callable[[], CallbackManager | None]) -> None:
        llm, engine = saying(TEXT, options={"callback_manager": callbacks()})
        stream: AsyncGenerator[object, None] = await llm.astream_chat(QUESTION)
        await anext(stream)
        await stream.aclose()

        assert engine.closed_sessions == 1

    async def test_closing_an_async_completion(self, callbacks: Callable[[], CallbackManager | None]) -> None:
        llm, engine = saying(TEXT, options={"callback_manager": callbacks()})
        stream: AsyncGenerator[object, None] = await llm.astream_complete("?")
        await anext(stream)
        await stream.aclose()

        assert engine.closed_sessions == 1


async def test_leaving_an_async_loop_frees_the_pair_without_a_close() -> None:
    llm, engine = saying(TEXT)
    async for _ in await llm.astream_chat(QUESTION):
        break

    while engine.closed_sessions == 0:  # the loop closes what it dropped
        await asyncio.sleep(0.01)
    assert engine.closed_sessions == 1


async def test_cancelling_a_chat_frees_the_pair() -> None:
    reached = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(*_: object) -> None:
        loop.call_soon_threadsafe(reached.set)

    engine = Playlist(["word " * 100_000], fail=slow)
    task = asyncio.create_task(on(engine).achat(QUESTION))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert engine.closed_sessions == 1


def dawdling() -> Callable[..., object]:
    """Takes longer than any timeout before each token."""
    return lambda *_: threading.Event().wait(0.05)


async def test_a_call_that_takes_longer_than_its_timeout_ends_and_frees_the_pair() -> None:
    engine = Playlist(["word " * 1_000], fail=dawdling())
    llm = on(engine, timeout=0.2)

    with pytest.raises(TimeoutError, match=r"timeout of 0\.2 s"):
        llm.chat(QUESTION)
    with pytest.raises(TimeoutError):
        await llm.achat(QUESTION)
    with pytest.raises(TimeoutError, match=r"timeout of 0\.1 s"):
        llm.complete("?", timeout=0.1)

    assert engine.closed_sessions == len(engine.requests) == 3


def test_a_stream_that_is_never_read_holds_nothing() -> None:
    llm, engine = saying(TEXT)
    llm.stream_chat([ChatMessage("?")]).close()

    assert engine.closed_sessions == 0
    assert engine.requests == []


def test_a_stream_read_to_its_end_is_reported_once() -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    llm, _ = saying(TEXT, options={"callback_manager": CallbackManager([handler])})
    list(llm.stream_chat(QUESTION))
    llm.complete("?")

    assert len(handler.get_llm_inputs_outputs()) == 2
