"""Runs one call and hands on its events: deadline, new beginnings, and who is told.

Owns what both paths have in common around `Relay.stream` and `Relay.astream`. A call begins anew only while nothing has
been handed on, so nothing is ever told twice. Refuses: making messages (`relaygen_integrations.langchain.chunks`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing, closing, contextmanager

from relaygen_integrations.deadline import astream_within, stream_within
from relaygen_integrations.langchain.call import Call
from relaygen_integrations.langchain.errors import RelayTimeoutError, as_langchain_errors
from relaygen_integrations.langchain.layers import Layer
from relaygen_integrations.langchain.observers import Audience
from relaygen_runtime import EngineError, RelayEvent, TextDelta

__all__ = ["aevents_of", "events_of"]


def events_of(call: Call, audience: Audience) -> Generator[RelayEvent, None, None]:
    """The events of a call.

    Raises:
        RelayGenError: In the class that is LangChain's too; a `RelayTimeoutError` or `RelayEngineError` holds the
            text written until then.
    """
    attempt = _Attempt(call, audience)
    with attempt.guarded():
        while True:
            try:
                with closing(stream_within(call.relay, call.timeout, call.messages, call.options)) as events:
                    for event in events:
                        attempt.note(event)
                        if not isinstance(event, TextDelta):
                            audience.hear(event)
                        yield event
                return
            except EngineError:
                attempt.begin_anew_or_raise()


async def aevents_of(call: Call, audience: Audience) -> AsyncGenerator[RelayEvent, None]:
    """`events_of` for async code; cancelling it frees the pair."""
    attempt = _Attempt(call, audience)
    with attempt.guarded():
        while True:
            try:
                within = astream_within(call.relay, call.timeout, call.messages, call.options)
                async with aclosing(Layer(within, deep=True)) as events:
                    async for event in events:
                        attempt.note(event)
                        if not isinstance(event, TextDelta):
                            await audience.ahear(event)
                        yield event
                return
            except EngineError:
                attempt.begin_anew_or_raise()


class _Attempt:
    """What has been handed on so far, and what becomes of an error."""

    def __init__(self, call: Call, audience: Audience) -> None:
        self._timeout = call.timeout
        self._left = call.max_retries
        self._audience = audience
        self._begun = False
        self._written: list[str] = []

    def note(self, event: RelayEvent) -> None:
        """An event is about to be handed on."""
        self._begun = True
        if isinstance(event, TextDelta):
            self._written.append(event.text)

    def begin_anew_or_raise(self) -> None:
        """Called where an error is handled: return to begin anew, or raise it."""
        if self._begun or not self._left:
            raise  # noqa: PLE0704  (the error that is being handled)
        self._left -= 1

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Errors inside leave as LangChain's kind, and the observers hear of them."""
        try:
            with as_langchain_errors():
                yield
        except BaseException as error:
            self._audience.fail(error)
            if isinstance(error, TimeoutError) and self._timeout is not None:
                raise RelayTimeoutError(str(error), partial="".join(self._written)) from error
            raise
