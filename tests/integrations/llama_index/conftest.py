"""The embedded pair as LlamaIndex uses it, and a machine without a network."""

from __future__ import annotations

import asyncio
import inspect
import socket
from collections.abc import Iterator

import pytest

from relaygen_integrations.llama_index import RelayGenLLM
from relaygen_runtime import Relay


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever would download a tokenizer or a word list fails instead."""

    def refuse(_: socket.socket, address: object) -> None:
        raise AssertionError(f"a test reaches out for {address!r}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(autouse=True)
def a_loop_of_its_own(request: pytest.FixtureRequest) -> Iterator[None]:
    """LlamaIndex's synchronous code runs coroutines on the thread's event loop and leaves the one it makes unclosed."""
    if inspect.iscoroutinefunction(request.function):
        yield
        return
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def demo_llm(demo_relay: Relay) -> RelayGenLLM:
    """An LLM on the embedded pair, by name; the registry shares its models with the whole session."""
    assert demo_relay
    return RelayGenLLM.demo(temperature=0, max_tokens=600)
