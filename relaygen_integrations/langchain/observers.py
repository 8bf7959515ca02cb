"""Who hears of a generation's segments while it runs.

Owns the seam: an observer is told of every segment's start and end, of the relay's end and of an error, with the events
themselves and the chat model's run; tracing hangs itself in here. The callbacks are told in the same breath, as custom
events. Texts in between are nobody's business here: they are the chunks. Refuses: knowing any tracer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from langchain_core.callbacks.manager import ahandle_event, handle_event

from relaygen_integrations.langchain.callbacks import EVENT_NAMES
from relaygen_integrations.langchain.chat_run import ChatRun
from relaygen_runtime import RelayEvent, RelayFinished, SegmentFinished, SegmentStarted
from relaygen_runtime.event_json import event_as_json

__all__ = ["OBSERVERS", "Audience", "SegmentObserver"]


class SegmentObserver(Protocol):
    """Follows one generation. Called in the thread (or task) that runs it, so it must not block."""

    def segment_started(self, event: SegmentStarted) -> None:
        """A segment began."""
        ...

    def segment_finished(self, event: SegmentFinished) -> None:
        """A segment ended; its entry holds the text and what it took."""
        ...

    def finished(self, event: RelayFinished) -> None:
        """The relay is over; the last chunk has not been told yet."""
        ...

    def failed(self, error: BaseException) -> None:
        """The generation was ended by an error, or by a consumer that left."""
        ...


OBSERVERS: list[Callable[[ChatRun], SegmentObserver | None]] = []
"""Asked at the start of each generation that somebody listens to; None: not interested."""


class Audience:
    """Everybody who follows one generation.

    Args:
        run: The chat model's run; None: nobody listens.
    """

    def __init__(self, run: ChatRun | None) -> None:
        self._run = run
        asked: Sequence[SegmentObserver | None] = [] if run is None else [make(run) for make in OBSERVERS]
        self._observers = [observer for observer in asked if observer is not None]

    def hear(self, event: RelayEvent) -> None:
        """Tell everybody, in a thread of their own or not."""
        if self._run is not None and (call := self._news(event)):
            handle_event(list(self._run.handlers), *call[0], **call[1])

    async def ahear(self, event: RelayEvent) -> None:
        """`hear`, for async code."""
        if self._run is not None and (call := self._news(event)):
            await ahandle_event(list(self._run.handlers), *call[0], **call[1])

    def fail(self, error: BaseException) -> None:
        """Tell the observers that it ended early; LangChain tells the callbacks itself."""
        for observer in self._observers:
            observer.failed(error)

    def _news(self, event: RelayEvent) -> tuple[Sequence[Any], dict[str, Any]] | None:
        if self._run is None or not isinstance(event, SegmentStarted | SegmentFinished | RelayFinished):
            return None
        for observer in self._observers:
            if isinstance(event, SegmentStarted):
                observer.segment_started(event)
            elif isinstance(event, SegmentFinished):
                observer.segment_finished(event)
            else:
                observer.finished(event)
        record = event_as_json(event)
        data = {name: value for name, value in record.items() if name not in ("schema", "event")}
        about = {"run_id": self._run.run_id, "tags": list(self._run.tags), "metadata": self._run.metadata}
        return ("on_custom_event", "ignore_custom_event", EVENT_NAMES[record["event"]], data), about
