"""Callbacks of a relay: a segment began, a segment ended, the relay is over.

Owns the handlers to inherit from and the names under which the same news travels as LangChain's custom events (so that
``astream_events`` shows it). The payloads are the JSON records of docs/events.md, plain data. Refuses: deciding who is
told (`relaygen_integrations.langchain.observers`).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler

__all__ = ["EVENT_NAMES", "AsyncRelayCallbackHandler", "RelayCallbackHandler"]

EVENT_NAMES = {
    "segment_started": "relay_segment_start",
    "segment_finished": "relay_segment_end",
    "relay_finished": "relay_finish",
}
"""From a record's ``event`` to the custom event's name."""


class RelayCallbackHandler(BaseCallbackHandler):
    """A callback handler that hears of segments; override what you need.

    Works wherever LangChain takes callbacks: the model's ``callbacks=``, or ``config={"callbacks": [...]}``. A handler
    that also implements ``on_custom_event`` calls ``super()`` there.
    """

    def on_relay_segment_start(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> Any:
        """A segment began.

        Args:
            segment: ``index``, ``role``, ``model``, ``phase``.
            run_id: The chat model's run.
            **kwargs: What later versions may add.
        """

    def on_relay_segment_end(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> Any:
        """A segment ended.

        Args:
            segment: Its line in the ledger: ``reason``, ``cue``, ``tokens``, ``seconds``, ...
            run_id: The chat model's run.
            **kwargs: What later versions may add.
        """

    def on_relay_finish(self, summary: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> Any:
        """The relay is over.

        Args:
            summary: ``finish_reason``, ``degraded``, ``notes``, and ``ledger``: the totals.
            run_id: The chat model's run.
            **kwargs: What later versions may add.
        """

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> Any:
        """Pass a relay's news on to the methods above."""
        if name == "relay_segment_start":
            return self.on_relay_segment_start(data, run_id=run_id)
        if name == "relay_segment_end":
            return self.on_relay_segment_end(data, run_id=run_id)
        if name == "relay_finish":
            return self.on_relay_finish(data, run_id=run_id)
        return super().on_custom_event(name, data, run_id=run_id, **kwargs)


class AsyncRelayCallbackHandler(AsyncCallbackHandler):
    """`RelayCallbackHandler` for async code: the same methods, awaited."""

    async def on_relay_segment_start(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        """A segment began; see `RelayCallbackHandler.on_relay_segment_start`."""

    async def on_relay_segment_end(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        """A segment ended; see `RelayCallbackHandler.on_relay_segment_end`."""

    async def on_relay_finish(self, summary: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        """The relay is over; see `RelayCallbackHandler.on_relay_finish`."""

    async def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Pass a relay's news on to the methods above."""
        if name == "relay_segment_start":
            await self.on_relay_segment_start(data, run_id=run_id)
        elif name == "relay_segment_end":
            await self.on_relay_segment_end(data, run_id=run_id)
        elif name == "relay_finish":
            await self.on_relay_finish(data, run_id=run_id)
        else:
            await super().on_custom_event(name, data, run_id=run_id, **kwargs)
