"""Events as plain JSON data: the schema that ``relaygen run --json`` prints and that other programs may rely on.

Owns names and shapes, documented in docs/events.md. A change that could break a reader raises `SCHEMA`; new
keys do not. Texts travel in ``text_delta`` alone, so that nothing is said twice.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from relaygen_runtime.events import RelayEvent, SegmentFinished, SegmentStarted, TextDelta, ThinkingFinished

__all__ = ["SCHEMA", "event_as_json"]

SCHEMA = 1
"""Version of the shapes below."""


def event_as_json(event: RelayEvent) -> dict[str, Any]:
    """One event as JSON data: ``schema``, ``event`` (its kind), and its fields.

    A ``relay_finished`` carries the ledger's totals; the entries came before it, each as a ``segment_finished``.
    """
    kind, fields = _shape(event)
    return {"schema": SCHEMA, "event": kind, **fields}


def _shape(event: RelayEvent) -> tuple[str, dict[str, Any]]:
    if isinstance(event, SegmentStarted):
        return "segment_started", dataclasses.asdict(event)
    if isinstance(event, TextDelta):
        return "text_delta", dataclasses.asdict(event)
    if isinstance(event, SegmentFinished):
        fields = dataclasses.asdict(event.entry)
        del fields["text"]
        return "segment_finished", fields
    if isinstance(event, ThinkingFinished):
        return "thinking_finished", dataclasses.asdict(event)
    return "relay_finished", {
        "finish_reason": event.finish_reason,
        "degraded": event.degraded,
        "notes": list(event.notes),
        "ledger": event.ledger.summary(),
    }
