"""Segments as events of LlamaIndex's instrumentation: off unless asked for, and tied to the call's span."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatStartEvent, LLMCompletionStartEvent
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.span_handlers import SimpleSpanHandler

from relaygen_integrations.llama_index import RelayFinish, RelayGenLLM, RelaySegmentEnd, RelaySegmentStart
from tests.integrations.llama_index.scripts import QUESTION
from tests.relay.scripts import scripted

OURS = (RelaySegmentStart, RelaySegmentEnd, RelayFinish)


class Keeping(BaseEventHandler):
    """Keeps every event."""

    kept: list[Any] = []  # noqa: RUF012  (a pydantic field)

    @classmethod
    def class_name(cls) -> str:
        return "Keeping"

    def handle(self, event: BaseEvent, **_: Any) -> None:
        self.kept.append(event)


@pytest.fixture
def heard() -> Iterator[list[Any]]:
    handler, root = Keeping(kept=[]), get_dispatcher()
    root.add_event_handler(handler)
    yield handler.kept
    root.event_handlers.remove(handler)


@pytest.fixture
def spans() -> Iterator[SimpleSpanHandler]:
    handler, root = SimpleSpanHandler(), get_dispatcher()
    root.add_span_handler(handler)
    yield handler
    root.span_handlers.remove(handler)


def two_writers(**fields: Any) -> RelayGenLLM:
    relay, _ = scripted(["Two steps of it. So,", " done.\n</think>\n\n"], [" that is it. I", "Twelve."])
    return RelayGenLLM(relay=relay, **fields)


def ours(heard: list[Any]) -> list[Any]:
    return [event for event in heard if isinstance(event, OURS)]


def test_by_default_nobody_hears_of_segments(heard: list[Any]) -> None:
    two_writers().chat(QUESTION)

    assert ours(heard) == []
    assert heard


def test_every_segment_is_told_in_order(heard: list[Any]) -> None:
    two_writers(relay_events=True).chat(QUESTION)
    *segments, end = ours(heard)

    assert [type(event) for event in segments] == [RelaySegmentStart, RelaySegmentEnd] * (len(segments) // 2)
    assert [event.role for event in segments[::2]] == ["large", "small", "large", "small"]
    assert segments[1].segment["cue"] == "So,"
    assert segments[1].segment["text"] == "Two steps of it. So,"
    assert isinstance(end, RelayFinish)
    assert end.ledger["segments"] == 4
    assert end.class_name() == "RelayFinish"


async def test_events_name_the_span_of_their_call_wherever_the_stream_is_read(heard: list[Any]) -> None:
    llm = two_writers(relay_events=True)
    list(llm.stream_chat(QUESTION))
    [chunk async for chunk in await llm.astream_chat(QUESTION)]
    llm.complete("?")

    calls = [e.span_id for e in heard if isinstance(e, LLMChatStartEvent | LLMCompletionStartEvent)]
    assert len(set(calls)) == 3
    assert None not in calls
    assert list(dict.fromkeys(event.span_id for event in ours(heard))) == calls


async def test_a_call_is_one_span(spans: SimpleSpanHandler) -> None:
    llm = two_writers()
    llm.chat(QUESTION)
    llm.complete("?")
    list(llm.stream_complete("?"))
    await llm.acomplete("?")
    [chunk async for chunk in await llm.astream_chat(QUESTION)]

    names = [span.id_.partition("-")[0] for span in spans.completed_spans]
    assert names == [
        f"RelayGenLLM.{name}" for name in ("chat", "complete", "stream_complete", "acomplete", "astream_chat")
    ]


def test_a_chunk_is_reported_once(heard: list[Any]) -> None:
    chunks = list(two_writers().stream_chat(QUESTION))

    assert sum(type(event).__name__ == "LLMChatInProgressEvent" for event in heard) == len(chunks)
    assert sum(type(event).__name__ == "LLMChatEndEvent" for event in heard) == 1
