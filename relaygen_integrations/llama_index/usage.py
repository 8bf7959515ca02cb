"""What a generation took, in the shape in which LlamaIndex's counters and traces look for it.

Owns `ChatResponse.raw` of the last chunk: plain JSON data, usage in OpenAI's names, and under ``relay`` the segments
and totals. A count that nobody knows is left out, never 0.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from relaygen_runtime import FinishReason, Ledger, LedgerEntry, Phase, RelayFinished
from relaygen_runtime.event_json import event_as_json
from relaygen_runtime.events import SegmentFinished

__all__ = ["raw_response", "segment_of", "usage_of"]

_FINISH = {FinishReason.STOP: "stop", FinishReason.STOP_STRING: "stop", FinishReason.LENGTH: "length"}


def raw_response(finished: RelayFinished, model: str, *, called: bool) -> dict[str, Any]:
    """The raw response of a whole generation.

    Args:
        finished: The relay's last event.
        model: The model's name.
        called: Whether the answer calls tools.
    """
    reason = _FINISH.get(finished.finish_reason, str(finished.finish_reason))
    return {
        "model": model,
        "usage": usage_of(finished.ledger),
        "finish_reason": "tool_calls" if called and reason == "stop" else reason,
        "relay": {
            "segments": [segment_of(entry) for entry in finished.ledger.entries],
            "ledger": finished.ledger.summary(),
            "finish_reason": str(finished.finish_reason),
            "notes": list(finished.notes),
            "degraded": finished.degraded,
        },
    }


def usage_of(ledger: Ledger) -> dict[str, Any]:
    """Tokens of one call: the prompt once, and each delivered token once."""
    usage: dict[str, Any] = {
        "completion_tokens": ledger.tokens,
        "completion_tokens_details": {"reasoning_tokens": ledger.tokens_in(Phase.THINKING)},
    }
    if ledger.prompt_tokens is not None:
        usage["prompt_tokens"] = ledger.prompt_tokens
        usage["total_tokens"] = ledger.prompt_tokens + ledger.tokens
    return usage


def segment_of(entry: LedgerEntry) -> dict[str, Any]:
    """One line of the ledger, in the shape of docs/events.md, without its text."""
    told = event_as_json(SegmentFinished(entry))
    return {
        name: str(value) if isinstance(value, StrEnum) else value
        for name, value in told.items()
        if name not in ("schema", "event")
    }
