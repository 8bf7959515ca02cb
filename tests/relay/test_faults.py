"""What fails, and what is left: nothing lost, nothing twice, nothing running."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relaygen_runtime import (
    EngineError,
    MessagesError,
    RelayEvent,
    Role,
    SegmentFinished,
    SegmentStarted,
    TextDelta,
    UnknownOptionError,
)
from tests.relay.scripts import scripted

LARGE = ["First multiply both of the numbers. So,", " The rest is clear now.\n</think>\n\n", "The answer is 12."]


def failing(role: Role, after: int) -> Callable[[Role, int], None]:
    def fail(author: Role, written: int) -> None:
        if author is role and written >= after:
            raise EngineError(f"the {role} model is gone")

    return fail


@pytest.mark.parametrize("after", [0, 1, 2])
def test_the_small_model_fails_and_the_large_carries_on_alone(after: int) -> None:
    relay, engine = scripted(LARGE, [" it is 12. And", "never"], fail=failing(Role.SMALL, after))

    result = relay.generate("?")

    assert result.degraded
    assert result.answer == "The answer is 12."
    assert "".join(entry.text for entry in result.ledger.entries) == result.text
    assert result.text.startswith(LARGE[0])
    runs = [run.author for run in engine.runs]
    assert runs.count(Role.SMALL) == 1
    assert engine.closed_sessions == 1


def test_what_the_small_model_had_said_before_it_failed_stays_once() -> None:
    relay, _ = scripted(LARGE, [" it is twelve in all"], fail=failing(Role.SMALL, 3))

    events = list(relay.stream("?"))

    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text.count(" it is") == 1
    assert text.count("First multiply") == 1


def test_the_small_model_fails_in_the_answer_and_the_large_finishes_it() -> None:
    relay, _ = scripted(
        ["Short it is.\n</think>\n\n", " is twelve."], ["The answer never ends"], fail=failing(Role.SMALL, 2)
    )

    result = relay.generate("?")

    assert result.degraded
    assert result.answer == "The answer is twelve."


@pytest.mark.parametrize("after", [0, 3])
def test_the_large_model_fails_and_the_error_holds_the_text_so_far(after: int) -> None:
    relay, engine = scripted(LARGE, [" it is 12. And"], fail=failing(Role.LARGE, after))
    seen: list[RelayEvent] = []

    with pytest.raises(EngineError, match="the large model is gone") as caught:
        seen.extend(relay.stream("?"))

    assert caught.value.partial == "".join(event.text for event in seen if isinstance(event, TextDelta))
    assert engine.closed_sessions == 1


def test_one_model_alone_has_no_other_to_carry_on() -> None:
    relay, _ = scripted(LARGE, ["Hm."], fail=failing(Role.SMALL, 0), options={"mode": "small"})

    with pytest.raises(EngineError, match="small model is gone"):
        relay.generate("?")


@pytest.mark.parametrize("role", ["large", "small"])
def test_leaving_a_stream_closes_the_session_and_starts_no_further_segment(role: str) -> None:
    relay, engine = scripted(LARGE, [" it is 12. And", "Twelve."])
    stream = relay.stream("?")

    for event in stream:
        if isinstance(event, TextDelta) and event.role == role:
            break
    stream.close()

    assert engine.closed_sessions == 1
    asked = len(engine.runs)
    assert list(stream) == []
    assert len(engine.runs) == asked


def test_bad_input_raises_at_the_call_and_opens_nothing() -> None:
    relay, engine = scripted(LARGE, [])

    with pytest.raises(UnknownOptionError, match="temperature"):
        relay.stream("?", temprature=0.5)
    with pytest.raises(MessagesError, match="empty"):
        relay.stream([])
    with pytest.raises(MessagesError, match=r"messages\[1\]"):
        relay.stream([{"role": "user", "content": "?"}, "what"])  # type: ignore[list-item]  # that is the point

    assert engine.runs == []


def test_a_finished_generation_has_closed_its_session() -> None:
    relay, engine = scripted(LARGE, [" it is 12. And", "Twelve."])

    events = list(relay.stream("?"))

    assert engine.closed_sessions == 1
    started = [event for event in events if isinstance(event, SegmentStarted)]
    assert len(started) == len([event for event in events if isinstance(event, SegmentFinished)])


def test_the_kill_switch_lets_the_large_model_write_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELAYGEN_DISABLE", "1")
    relay, engine = scripted(["Multiply both of the numbers. So, it is 12.\n</think>\n\n", "Twelve."], ["never"])

    result = relay.generate("?")

    assert {run.author for run in engine.runs} == {Role.LARGE}
    assert result.ledger.tokens_by(Role.SMALL) == 0
    assert result.answer


def test_the_small_model_alone_writes_everything() -> None:
    relay, engine = scripted(["never"], ["Multiply both of the numbers. So, it is 12.\n</think>\n\n", "Twelve."])

    result = relay.generate("?", mode="small")

    assert {run.author for run in engine.runs} == {Role.SMALL}
    assert {entry.model for entry in result.ledger.entries} == {"scripted-small"}
    assert result.ledger.small_share == 1.0
