"""What every engine promises, on every engine: add yours to `ENGINES`, and the promises are tested on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from relaygen_runtime import Engine, EngineError, MessagesError, Phase, Role, ScriptedEngine, Session
from relaygen_runtime.engines.base import Chunk, GenerationRequest, Run, RunStats, Sampling
from relaygen_runtime.vocabulary import Piece, Stop
from tests.engines.transformers import pairs

WORDS = " ".join(f"word{number}" for number in range(40))
ENGINES: dict[str, Callable[[], Engine]] = {
    "scripted turns": lambda: ScriptedEngine([WORDS] * 9, [WORDS] * 9, prompt="<think>\n"),
    "scripted trace, in groups": lambda: ScriptedEngine(trace=WORDS * 9, prompt="<think>\n", group=3),
    "in-process, drafting": lambda: pairs.engine(speculation=True),
    "in-process, not drafting": lambda: pairs.engine(speculation=False),
    "in-process, two tokenizers": lambda: pairs.engine(
        small=pairs.qwen(5, 400), small_tok=pairs.tokenizer(400, extra="another text with other merges " * 9)
    ),
}
CONTINUOUS = [name for name in ENGINES if name != "scripted turns"]
"""Those that write what follows from the sequence; a script's turns are texts of their own, each begun once."""
ASKED = GenerationRequest([{"role": "user", "content": "?"}], sampling=Sampling(temperature=0.0))


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    made = ENGINES[request.param]()
    yield made
    made.close()


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    opened = engine.open(ASKED)
    yield opened
    opened.close()


def write(session: Session, author: Role, tokens: int) -> tuple[list[Piece], list[Chunk]]:
    chunks = list(session.write(Run(author, Phase.THINKING, tokens)))
    return [piece for chunk in chunks for piece in chunk.pieces], chunks


def text(written: list[Piece]) -> str:
    return "".join(piece.text for piece in written)


def test_it_is_an_engine_and_says_who_writes(engine: Engine) -> None:
    assert isinstance(engine, Engine)
    assert engine.capabilities.large_model
    assert engine.capabilities.small_model


def test_a_session_knows_its_prompt(session: Session) -> None:
    assert isinstance(session, Session)
    assert session.prompt_text
    assert session.prompt_tokens


def test_a_request_without_messages_is_refused_and_takes_no_turn(engine: Engine) -> None:
    with pytest.raises(MessagesError):
        engine.open(GenerationRequest([]))

    engine.open(ASKED).close()


@pytest.mark.parametrize("author", list(Role))
@pytest.mark.parametrize("tokens", [1, 2, 7])
def test_a_run_ends_at_its_tokens_and_only_its_last_chunk_says_so(session: Session, author: Role, tokens: int) -> None:
    written, chunks = write(session, author, tokens)

    assert sum(piece.tokens for piece in written) == tokens
    assert [chunk.stop for chunk in chunks] == [None] * (len(chunks) - 1) + [Stop.MAX_TOKENS]


@pytest.mark.parametrize("engine", CONTINUOUS, indirect=True)
def test_what_is_rolled_back_is_written_again(session: Session) -> None:
    write(session, Role.LARGE, 4)
    first, _ = write(session, Role.LARGE, 6)
    session.rollback(4)

    again, _ = write(session, Role.LARGE, 4)

    assert text(again) == text(first[2:])


@pytest.mark.parametrize("engine", CONTINUOUS, indirect=True)
def test_a_run_may_be_left_at_any_chunk_and_its_pieces_stay(engine: Engine) -> None:
    whole = engine.open(ASKED)
    expected, _ = write(whole, Role.LARGE, 16)
    whole.close()
    session = engine.open(ASKED)
    chunks = session.write(Run(Role.LARGE, Phase.THINKING, 12))
    left = list(next(chunks).pieces)
    close = getattr(chunks, "close", None)
    if close is not None:
        close()
    session.rollback(0)

    rest, _ = write(session, Role.LARGE, 16 - len(left))
    session.close()

    assert left
    assert text(left + rest) == text(expected)


def test_injected_text_comes_back_as_pieces(session: Session) -> None:
    write(session, Role.LARGE, 3)

    assert text(list(session.inject("\n</think>\n\n"))) == "\n</think>\n\n"
    assert write(session, Role.SMALL, 2)[0]


def test_counts_are_reset_by_looking(session: Session) -> None:
    write(session, Role.LARGE, 5)

    assert session.take_stats().generated_tokens >= 5
    assert session.take_stats() == RunStats()


def test_a_draft_is_accepted_at_most_whole(session: Session) -> None:
    write(session, Role.LARGE, 12)

    stats = session.take_stats()
    assert 0 <= stats.accepted_tokens <= stats.drafted_tokens


def test_a_closed_session_writes_no_more_and_frees_the_models(engine: Engine) -> None:
    session = engine.open(ASKED)
    session.close()
    session.close()

    with pytest.raises(EngineError):
        write(session, Role.LARGE, 1)
    assert write(engine.open(ASKED), Role.LARGE, 1)[0]


def test_sessions_after_each_other_do_not_mix(engine: Engine) -> None:
    told = []
    for _ in range(2):
        session = engine.open(ASKED)
        told.append([text(write(session, author, 5)[0]) for author in (Role.LARGE, Role.SMALL, Role.LARGE)])
        session.close()

    assert told[0] == told[1]


def test_an_engine_may_be_closed_twice(engine: Engine) -> None:
    engine.close()
    engine.close()
