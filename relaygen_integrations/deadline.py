"""A time limit for one generation, waiting in line included.

Owns the clock and how the limit is kept on both paths: an asynchronous stream is cancelled, a synchronous one is left
at its next event, and gives up its place in the line before that. Both leave the models free. Refuses: knowing any
framework's error; it raises `TimeoutError`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing, closing
from typing import Any

from relaygen_runtime import CancelledWaitError, Capabilities, Engine, Relay, RelayEvent, RelayFinished, Session
from relaygen_runtime.engines.base import GenerationRequest

__all__ = ["astream_within", "stream_within"]


def stream_within(
    relay: Relay, seconds: float | None, messages: Any, options: Mapping[str, Any]
) -> Generator[RelayEvent, None, None]:
    """`Relay.stream`, for at most so long.

    Args:
        relay: The pair.
        seconds: From now to the last event; None: no limit.
        messages: As for `Relay.stream`.
        options: As for `Relay.stream`.

    Raises:
        TimeoutError: It took longer; the generation has been ended.
    """
    if seconds is None:
        yield from relay.stream(messages, **options)
        return
    end = _End(seconds)
    hurried = Relay(_HurriedEngine(relay.engine, end), relay.profile, prices=relay.prices, **relay._defaults)
    try:
        with closing(hurried.stream(messages, **options)) as events:
            for event in events:
                if end.is_set() and not isinstance(event, RelayFinished):
                    raise TimeoutError(_late(seconds))
                yield event
    except CancelledWaitError as error:
        raise TimeoutError(f"{_late(seconds)}; the models were busy with other calls") from error


async def astream_within(
    relay: Relay, seconds: float | None, messages: Any, options: Mapping[str, Any]
) -> AsyncGenerator[RelayEvent, None]:
    """`stream_within` for async code, by `Relay.astream`."""
    async with aclosing(relay.astream(messages, **options)) as events:
        if seconds is None:
            async for event in events:
                yield event
            return
        end = asyncio.get_running_loop().time() + seconds
        while True:
            try:
                async with asyncio.timeout_at(end):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise TimeoutError(_late(seconds)) from error
            yield event


def _late(seconds: float) -> str:
    return f"the call took longer than its timeout of {seconds:g} s and was ended"


class _End(threading.Event):
    """An event that time itself sets."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._end_s = time.monotonic() + seconds

    def is_set(self) -> bool:
        return time.monotonic() >= self._end_s


class _HurriedEngine:
    """An engine whose line is left when time is up."""

    def __init__(self, engine: Engine, end: _End) -> None:
        self._engine = engine
        self._end = end

    @property
    def capabilities(self) -> Capabilities:
        return self._engine.capabilities

    def open(self, request: GenerationRequest, *, cancelled: threading.Event | None = None) -> Session:
        return self._engine.open(request, cancelled=self._end if cancelled is None else cancelled)

    def large_alone_s_per_token(self) -> float | None:
        return self._engine.large_alone_s_per_token()

    def close(self) -> None:
        """The engine is not this one's to close."""


_: type[Engine] = _HurriedEngine
