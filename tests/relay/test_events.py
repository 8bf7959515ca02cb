"""The event stream: its order, its texts, its agreement with the result."""

from __future__ import annotations

import re

from relaygen_runtime import (
    RelayEvent,
    RelayFinished,
    SegmentFinished,
    SegmentStarted,
    TextDelta,
    ThinkingFinished,
)
from relaygen_runtime.result import ResultBuilder
from tests.relay.scripts import scripted

LETTERS = {SegmentStarted: "S", TextDelta: "t", SegmentFinished: "E", ThinkingFinished: "H", RelayFinished: "F"}
LARGE = ["First multiply both of the numbers. So,", " Then add them. Therefore,", " All is known now.\n</think>\n\n"]
SMALL = [" it is 12. And", " it is 13. And", "The answer is 13."]


def told() -> list[RelayEvent]:
    return list(scripted(LARGE, SMALL)[0].stream("?"))


def test_the_order_is_segments_then_the_end_with_the_thinkings_end_between() -> None:
    order = "".join(LETTERS[type(event)] for event in told())

    assert re.fullmatch(r"(St*E)+H?(St*E)*F", order), order
    assert order.count("H") == 1


def test_the_thinkings_end_stands_between_the_last_thinking_and_the_first_answer() -> None:
    events = told()
    end = next(i for i, event in enumerate(events) if isinstance(event, ThinkingFinished))

    assert {e.phase for e in events[:end] if isinstance(e, SegmentStarted)} == {"thinking"}
    assert {e.phase for e in events[end:] if isinstance(e, SegmentStarted)} == {"answer"}


def test_joined_deltas_are_the_text_of_the_result_and_of_the_ledger() -> None:
    events = told()
    result = ResultBuilder.fold(events)
    deltas = [event for event in events if isinstance(event, TextDelta)]

    assert "".join(delta.text for delta in deltas) == result.text
    assert "".join(entry.text for entry in result.ledger.entries) == result.text


def test_each_delta_names_its_segment_author_and_phase() -> None:
    events = told()
    started = {event.index: event for event in events if isinstance(event, SegmentStarted)}

    for event in events:
        if isinstance(event, TextDelta):
            assert (event.role, event.phase) == (started[event.index].role, started[event.index].phase)


def test_segments_are_numbered_in_order_and_their_models_named() -> None:
    events = told()
    started = [event for event in events if isinstance(event, SegmentStarted)]

    assert [event.index for event in started] == list(range(len(started)))
    assert {(event.role, event.model) for event in started} == {
        ("large", "scripted-large"),
        ("small", "scripted-small"),
    }


def test_tags_and_the_white_space_beside_them_are_markup_and_nothing_else_is() -> None:
    deltas = [event for event in told() if isinstance(event, TextDelta)]

    marked = "".join(delta.text for delta in deltas if delta.markup)
    assert marked.strip() == "</think>"


def test_a_stream_says_what_generate_returns() -> None:
    relay, _ = scripted(LARGE, SMALL)
    streamed, returned = ResultBuilder.fold(relay.stream("?")), relay.generate("?")

    assert (streamed.answer, streamed.thinking, streamed.text) == (returned.answer, returned.thinking, returned.text)
    facts = [[(e.role, e.reason, e.tokens) for e in r.ledger.entries] for r in (streamed, returned)]
    assert facts[0] == facts[1]


def test_times_run_forward_and_the_whole_is_no_shorter_than_its_parts() -> None:
    ledger = scripted(LARGE, SMALL)[0].generate("?").ledger

    starts = [entry.started_s for entry in ledger.entries]
    assert starts == sorted(starts)
    assert sum(entry.seconds for entry in ledger.entries) <= ledger.seconds
    assert all(entry.first_token_s is None or 0 <= entry.first_token_s <= ledger.seconds for entry in ledger.entries)
