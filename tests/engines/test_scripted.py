"""The scripted engine keeps the engine's contract, so that what is proved on it holds elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from relaygen_runtime import (
    ConfigurationError,
    ContextOverflowError,
    Engine,
    EngineError,
    MessagesError,
    Phase,
    Role,
    ScriptedEngine,
    Session,
)
from relaygen_runtime.engines.base import GenerationRequest, Run
from relaygen_runtime.engines.scripted import EOS, split_words
from relaygen_runtime.vocabulary import Stop

ASKED = GenerationRequest(messages=[{"role": "user", "content": "?"}])


def run(session: Session, author: Role = Role.LARGE, max_tokens: int = 100) -> tuple[str, Stop | None]:
    """Let a model write until it stops by itself."""
    text, stop = "", None
    for chunk in session.write(Run(author, Phase.THINKING, max_tokens)):
        text += "".join(piece.text for piece in chunk.pieces)
        stop = chunk.stop
    return text, stop


def write(session: Session, author: Role, tokens: int) -> list[str]:
    """Let a model write so many tokens, then stop reading."""
    pieces: list[str] = []
    chunks = session.write(Run(author, Phase.THINKING, 100))
    for chunk in chunks:
        pieces += [piece.text for piece in chunk.pieces]
        if len(pieces) >= tokens:
            break
    return pieces


def test_it_is_an_engine_and_its_sessions_are_sessions() -> None:
    engine = ScriptedEngine(["a"])

    assert isinstance(engine, Engine)
    assert isinstance(engine.open(ASKED), Session)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("So, x = 12.", ["So", ",", " x", " =", " ", "1", "2", "."]),
        ("</think>\n\nHi", ["</think>", "\n\n", "Hi"]),
        (f"a{EOS}", ["a", EOS]),
        ("因此,ok", ["因此", ",", "ok"]),
        ("", []),
    ],
)
def test_words_are_split_as_a_tokenizer_might(text: str, words: list[str]) -> None:
    assert split_words(text) == words
    assert "".join(words) == text


def test_each_run_begins_the_authors_next_text() -> None:
    session = ScriptedEngine(["one", "three"], ["two"]).open(ASKED)

    authors = (Role.LARGE, Role.SMALL, Role.LARGE)
    assert [run(session, author) for author in authors] == [(text, Stop.EOS) for text in ("one", "two", "three")]


def test_a_model_without_a_text_left_ends_at_once() -> None:
    assert run(ScriptedEngine(["one"]).open(ASKED), Role.SMALL) == ("", Stop.EOS)


def test_a_run_ends_at_its_limit_and_says_so() -> None:
    assert run(ScriptedEngine(["a b c d"]).open(ASKED), max_tokens=2) == ("a b", Stop.MAX_TOKENS)


def test_the_end_of_a_sequence_can_stand_inside_a_text() -> None:
    assert run(ScriptedEngine([f"a b{EOS}c"]).open(ASKED)) == ("a b", Stop.EOS)


def test_what_a_cut_leaves_of_a_text_is_thrown_away() -> None:
    session = ScriptedEngine(["one two three", "four"], ["and"]).open(ASKED)

    assert write(session, Role.LARGE, 2) == ["one", " two"]
    assert write(session, Role.SMALL, 1) == ["and"]
    assert run(session) == ("four", Stop.EOS)


def test_a_run_that_is_taken_back_lets_the_other_go_on_with_its_text() -> None:
    session = ScriptedEngine(["one two three"], [" and", " or"]).open(ASKED)

    write(session, Role.LARGE, 2)
    write(session, Role.SMALL, 1)
    session.rollback(1)

    assert run(session) == (" three", Stop.EOS)
    assert run(session, Role.SMALL) == (" and", Stop.EOS)


def test_tokens_rolled_back_come_again_when_the_model_goes_on_with_its_text() -> None:
    session = ScriptedEngine(["one two three"], [" and"]).open(ASKED)

    write(session, Role.LARGE, 2)
    session.rollback(1)
    write(session, Role.SMALL, 1)
    session.rollback(1)

    assert run(session) == (" two three", Stop.EOS)


def test_rolling_back_nothing_does_nothing() -> None:
    session = ScriptedEngine(trace="one two").open(ASKED)

    write(session, Role.LARGE, 1)
    session.rollback(0)

    assert run(session) == (" two", Stop.EOS)


def test_a_trace_is_followed_by_both_models() -> None:
    session = ScriptedEngine(trace="one two three four").open(ASKED)

    assert write(session, Role.LARGE, 2) == ["one", " two"]
    assert write(session, Role.SMALL, 1) == [" three"]
    session.rollback(1)
    assert run(session) == (" three four", Stop.EOS)


def test_an_injected_tag_is_stepped_over_where_the_trace_has_it() -> None:
    session = ScriptedEngine(trace="one</think>two").open(ASKED)

    write(session, Role.LARGE, 1)
    assert [piece.text for piece in session.inject("</think>")] == ["</think>"]

    assert run(session, Role.SMALL) == ("two", Stop.EOS)


def test_injected_text_that_the_trace_has_not_is_only_added() -> None:
    session = ScriptedEngine(trace="one two").open(ASKED)

    write(session, Role.LARGE, 1)
    session.inject("!")

    assert run(session) == (" two", Stop.EOS)


@pytest.mark.parametrize(("group", "sizes"), [(1, [1, 1, 1, 1, 1, 0]), (2, [2, 2, 1, 0]), (9, [5, 0])])
def test_tokens_arrive_in_groups(group: int, sizes: Sequence[int]) -> None:
    session = ScriptedEngine(["a b c d e"], group=group).open(ASKED)

    assert [len(chunk.pieces) for chunk in session.write(Run(Role.LARGE, Phase.ANSWER, 100))] == sizes


def test_counts_are_those_since_the_last_look() -> None:
    session = ScriptedEngine(["a b c"]).open(ASKED)

    write(session, Role.LARGE, 2)

    assert session.take_stats().generated_tokens == 2
    assert session.take_stats().generated_tokens == 0


def test_the_prompt_is_shown_and_counted() -> None:
    session = ScriptedEngine(["a"], prompt="Hi there").open(ASKED)

    assert (session.prompt_text, session.prompt_tokens) == ("Hi there", 2)


def test_a_failure_comes_where_the_script_wants_it() -> None:
    def fail(author: Role, written: int) -> None:
        if author is Role.SMALL and written == 1:
            raise EngineError("gone")

    session = ScriptedEngine(["a b"], ["c d"], fail=fail).open(ASKED)

    assert run(session) == ("a b", Stop.EOS)
    with pytest.raises(EngineError, match="gone"):
        run(session, Role.SMALL)


def test_a_closed_session_writes_no_more_and_is_counted_once() -> None:
    engine = ScriptedEngine(["a b"])
    session = engine.open(ASKED)

    session.close()
    session.close()

    assert engine.closed_sessions == 1
    with pytest.raises(EngineError, match="closed"):
        run(session)


def test_an_engine_has_measured_nothing_and_has_nothing_to_free() -> None:
    engine = ScriptedEngine(["a"], large_context=8, small_context=4)

    engine.close()

    assert engine.large_alone_s_per_token() is None
    assert (engine.capabilities.large_context, engine.capabilities.small_context) == (8, 4)
    assert not engine.capabilities.speculation


def test_a_request_without_messages_is_refused() -> None:
    with pytest.raises(MessagesError):
        ScriptedEngine(["a"]).open(GenerationRequest(messages=[]))


def test_a_prompt_that_fills_the_context_is_refused() -> None:
    with pytest.raises(ContextOverflowError, match="2 tokens"):
        ScriptedEngine(["a"], prompt="Hi there", large_context=2).open(ASKED)


def test_a_script_is_either_turns_or_a_trace() -> None:
    with pytest.raises(ConfigurationError, match="script"):
        ScriptedEngine()
    with pytest.raises(ConfigurationError, match="script"):
        ScriptedEngine(["a"], trace="b")
    with pytest.raises(ConfigurationError, match="group"):
        ScriptedEngine(["a"], group=0)
