"""A generation's segments as events of LlamaIndex's instrumentation.

Owns the three event classes and their dispatch. They name the span that was active when the call was made, because a
stream is read later and elsewhere. Off by default (`RelayGenLLM.relay_events`): some exporters warn of every event
that they do not know. Opens no spans, which would nest a second model call inside the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.span import active_span_id
from llama_index_instrumentation import get_dispatcher

from relaygen_integrations.llama_index.usage import segment_of
from relaygen_runtime import RelayEvent, RelayFinished, SegmentFinished, SegmentStarted

__all__ = ["Listener", "RelayFinish", "RelaySegmentEnd", "RelaySegmentStart", "dispatching_listener"]

Listener = Callable[[RelayEvent], None]
"""Is told every event of one generation, in order, before the chunk that comes of it."""

_dispatcher = get_dispatcher(__name__)


class RelaySegmentStart(BaseEvent):
    """A segment began.

    Attributes:
        index: Its number, from 0.
        role: Who writes it, `large` or `small`; None for injected text.
        model: The model's name; None for injected text.
        phase: `thinking` or `answer`.
    """

    index: int
    role: str | None
    model: str | None
    phase: str

    @classmethod
    def class_name(cls) -> str:
        """The event's name."""
        return "RelaySegmentStart"


class RelaySegmentEnd(BaseEvent):
    """A segment ended.

    Attributes:
        segment: Its line in the ledger, with its text.
    """

    segment: dict[str, Any]

    @classmethod
    def class_name(cls) -> str:
        """The event's name."""
        return "RelaySegmentEnd"


class RelayFinish(BaseEvent):
    """The generation is over.

    Attributes:
        ledger: The ledger's totals.
        finish_reason: Why it ended.
        notes: One sentence for each thing out of the ordinary.
        degraded: The small model failed and the large carried on alone.
    """

    ledger: dict[str, Any]
    finish_reason: str
    notes: list[str]
    degraded: bool

    @classmethod
    def class_name(cls) -> str:
        """The event's name."""
        return "RelayFinish"


def dispatching_listener() -> Listener:
    """A listener that tells LlamaIndex's dispatcher; to be made while the call's own span is the active one."""
    span_id = active_span_id.get()

    def listen(event: RelayEvent) -> None:
        told = _told(event, span_id)
        if told is not None:
            _dispatcher.event(told)

    return listen


def _told(event: RelayEvent, span_id: str | None) -> BaseEvent | None:
    if isinstance(event, SegmentStarted):
        return RelaySegmentStart(
            span_id=span_id,
            index=event.index,
            role=None if event.role is None else str(event.role),
            model=event.model,
            phase=str(event.phase),
        )
    if isinstance(event, SegmentFinished):
        return RelaySegmentEnd(span_id=span_id, segment={**segment_of(event.entry), "text": event.entry.text})
    if isinstance(event, RelayFinished):
        return RelayFinish(
            span_id=span_id,
            ledger=event.ledger.summary(),
            finish_reason=str(event.finish_reason),
            notes=list(event.notes),
            degraded=event.degraded,
        )
    return None
