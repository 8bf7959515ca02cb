"""What a ledger comes to in LangChain's terms: usage, response metadata, finished segments. Plain JSON data.

Owns the names and shapes. `UsageMetadata` holds counts only, since LangChain adds usages up and cannot add floats;
money and seconds stand in the response metadata and with each segment. Both are lists of records without an ``index``,
which is what survives the adding of messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from langchain_core.messages.ai import OutputTokenDetails, UsageMetadata

from relaygen_runtime import Capabilities, FinishReason, Ledger, Phase, RelayFinished, SegmentFinished
from relaygen_runtime.event_json import event_as_json

__all__ = ["PROVIDER", "response_metadata", "segment_record", "usage_of"]

PROVIDER = "relaygen"
"""What LangChain and LangSmith know this provider by."""

_OPENAI_REASONS = {FinishReason.STOP_STRING: "stop"}


def usage_of(ledger: Ledger) -> UsageMetadata | None:
    """The prompt counted once and every delivered token once; None where the prompt's length is unknown."""
    if ledger.prompt_tokens is None:
        return None
    return UsageMetadata(
        input_tokens=ledger.prompt_tokens,
        output_tokens=ledger.tokens,
        total_tokens=ledger.prompt_tokens + ledger.tokens,
        output_token_details=OutputTokenDetails(reasoning=ledger.tokens_in(Phase.THINKING)),
    )


def response_metadata(
    finished: RelayFinished,
    *,
    model_name: str,
    capabilities: Capabilities,
    calls_tools: bool,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """What the last chunk says of the whole answer.

    Args:
        finished: The end of the generation.
        model_name: The pair's name, or that of the model that wrote alone.
        capabilities: The pair's.
        calls_tools: The answer calls a tool, which is then why it ended.
        notes: What is out of the ordinary beyond the generation's own notes.
    """
    reason = _OPENAI_REASONS.get(finished.finish_reason, str(finished.finish_reason))
    summary = {
        "finish_reason": str(finished.finish_reason),
        "degraded": finished.degraded,
        "notes": [*finished.notes, *notes],
        **finished.ledger.summary(),
    }
    return {
        "model_name": model_name,
        "model_provider": PROVIDER,
        "finish_reason": "tool_calls" if calls_tools and reason == "stop" else reason,
        "models": {"large": capabilities.large_model, "small": capabilities.small_model},
        "relay": [summary],
    }


def segment_record(event: SegmentFinished) -> dict[str, Any]:
    """A finished segment without its text; its number is ``segment``, since LangChain merges records by ``index``."""
    record = event_as_json(event)
    for name in ("schema", "event"):
        del record[name]
    record = {"segment": record.pop("index"), **record}
    return {name: str(value) if isinstance(value, StrEnum) else value for name, value in record.items()}
