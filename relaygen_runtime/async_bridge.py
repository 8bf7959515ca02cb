"""Runs a blocking event stream in a thread of its own and hands its events to an event loop.

Owns the thread and its end: when the consumer stops (break, cancellation, `aclose`), the generation is told at once and
the thread is awaited, so that nothing is left behind. Refuses to run far ahead of a consumer that does not read.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Generic, TypeVar

__all__ = ["stream_in_thread"]

T = TypeVar("T")
_UNREAD = 64


class _Pump(Generic[T]):
    """The thread's side: produces events until the source ends or the consumer is gone."""

    def __init__(self, open_stream: Callable[[threading.Event], Iterator[T]], loop: asyncio.AbstractEventLoop) -> None:
        self._open_stream = open_stream
        self._loop = loop
        self.queue: asyncio.Queue[tuple[T | None, BaseException | None]] = asyncio.Queue()
        self.cancelled = threading.Event()
        self.room = threading.Semaphore(_UNREAD)
        self.done = asyncio.Event()

    def run(self) -> None:
        error: BaseException | None = None
        try:
            stream = self._open_stream(self.cancelled)
            try:
                self._forward(stream)
            finally:
                close = getattr(stream, "close", None)
                if close is not None:
                    close()
        except BaseException as caught:  # noqa: BLE001  (re-raised in the consumer's task, whatever it is)
            error = caught
        self._tell(self.queue.put_nowait, (None, error))
        self._tell(self.done.set)

    def _forward(self, stream: Iterator[T]) -> None:
        for event in stream:
            self.room.acquire()
            if self.cancelled.is_set():
                return
            self._tell(self.queue.put_nowait, (event, None))

    def _tell(self, function: Callable[..., object], *args: object) -> None:
        # A loop that was closed under us has no consumer left to tell.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *args)


async def stream_in_thread(open_stream: Callable[[threading.Event], Iterator[T]]) -> AsyncGenerator[T, None]:
    """Iterate a blocking stream from async code.

    Args:
        open_stream: Given an event that is set when the consumer is gone, returns the stream. It runs in the
        thread, in a copy of
            the caller's context.

    Yields:
        What the stream yields, in order. What it raises is raised here.
    """
    pump: _Pump[T] = _Pump(open_stream, asyncio.get_running_loop())
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(pump.run,), name="relaygen-stream", daemon=True)
    thread.start()
    try:
        while True:
            event, error = await pump.queue.get()
            if error is not None:
                raise error
            if event is None:
                return
            pump.room.release()
            yield event
    finally:
        pump.cancelled.set()
        pump.room.release()
        await pump.done.wait()
        thread.join()  # it has nothing left to do but to end
