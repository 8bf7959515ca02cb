"""Runs, handoffs, rollbacks, injections: the sequence is the truth, caches follow, nothing is read twice."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import pytest
import torch

from relaygen_runtime.engines.base import Chunk, Session
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.errors import CancelledWaitError, ContextOverflowError, EngineError
from relaygen_runtime.vocabulary import Role, Stop
from tests.engines.transformers.pairs import engine, ids, pieces, qwen, request, run, tokenizer, write


def replay(pair: TransformersEngine, before: list[int], author: Role, tokens: int) -> list[int]:
    """What a model writes after a sequence, by fresh passes over all of it: slow and certain."""
    network = pair._halves[author].network
    sequence = list(before)
    for _ in range(tokens):
        with torch.inference_mode():
            sequence.append(int(network.fresh_logits(torch.tensor([sequence]))[-1].argmax()))
    return sequence[len(before) :]


def prompt_ids(session: Session) -> list[int]:
    return list(tokenizer()(session.prompt_text, add_special_tokens=False)["input_ids"])


@pytest.mark.parametrize("speculation", [False, True])
def test_handoffs_both_ways_continue_the_same_sequence(speculation: bool) -> None:
    pair = engine(qwen(1, 384), qwen(2, 384), speculation=speculation)
    session = pair.open(request())
    sequence = prompt_ids(session)
    rng = random.Random(3)
    for turn in range(12):
        author = Role.LARGE if turn % 2 == 0 else Role.SMALL
        tokens = rng.randint(1, 9)
        written = ids(write(session, author, tokens))
        assert written == replay(pair, sequence, author, tokens)
        # The last pieces are a look-ahead, or overshot a cue by any number up to all of them.
        drop = rng.randint(0, tokens)
        session.rollback(drop)
        sequence += written[: tokens - drop]


@pytest.mark.parametrize("offset", range(6))
def test_a_cue_overshot_by_any_number_of_tokens(offset: int) -> None:
    pair = engine(qwen(1, 384), draft_max=6)
    session = pair.open(request())
    chunks = session.write(run(tokens=60))
    written = list(next(chunks).pieces)
    while len(written) < 6:
        written += next(chunks).pieces
    chunks.close()  # type: ignore[attr-defined]
    session.rollback(offset)
    kept = ids(written)[: len(written) - offset]
    assert ids(write(session, Role.SMALL, 4)) == replay(pair, prompt_ids(session) + kept, Role.SMALL, 4)


def test_a_handoff_is_one_pass_of_the_model_that_takes_over() -> None:
    pair = engine()
    session = pair.open(request())
    write(session, Role.LARGE, 10)
    write(session, Role.SMALL, 12)
    session.rollback(1)
    session.take_stats()
    chunks = session.write(run(Role.LARGE, 30))
    chunk = next(chunks)
    stats = session.take_stats()
    assert stats.forward_passes == 1, "eleven tokens of the small model and a draft, in one pass"
    assert stats.drafted_tokens > 0
    assert len(chunk.pieces) >= 1
    assert stats.prefilled_tokens == 11


def test_the_look_ahead_token_is_the_first_draft_and_costs_nothing() -> None:
    pair = engine(draft_max=1)
    session = pair.open(request())
    write(session, Role.LARGE, 5)
    small = pair._halves[Role.SMALL]
    look_ahead = ids(write(session, Role.SMALL, 5))[-1]
    session.rollback(1)
    passes = small.passes
    drafted: list[int] = []

    def listen(coming: Any) -> None:
        drafted.extend(ids(list(coming)))

    next(session.write(run(Role.LARGE, 5, would_cut=listen)))
    assert drafted == [look_ahead]
    assert small.passes == passes


def test_with_speculation_the_small_model_is_already_in_step() -> None:
    pair = engine(draft_max=4)
    session = pair.open(request())
    write(session, Role.LARGE, 30)
    session.take_stats()
    next(session.write(run(Role.SMALL, 5)))
    assert session.take_stats().prefilled_tokens <= 2


def test_the_next_turn_reads_only_what_is_new() -> None:
    pair = engine()
    first = pair.open(request("Add 12 and 30. " * 20))
    written = write(first, tokens=10)
    assert first.take_stats().cached_tokens == 0
    first.close()
    text = first.prompt_text + "".join(piece.text for piece in written)
    assert text
    second = pair.open(request("Add 12 and 30. " * 20 + "Then stop."))
    write(second, tokens=1)
    stats = second.take_stats()
    assert first.prompt_tokens is not None
    assert stats.cached_tokens > 0.9 * first.prompt_tokens
    assert second.prompt_tokens is not None
    assert stats.cached_tokens + stats.prefilled_tokens >= second.prompt_tokens


def test_a_pair_that_forgot_reads_its_prompt_anew() -> None:
    pair = engine()
    session = pair.open(request())
    expected = ids(write(session, tokens=6))
    session.close()
    pair.forget()
    session = pair.open(request())
    assert ids(write(session, tokens=6)) == expected
    assert session.take_stats().cached_tokens == 0


def test_closing_the_iterator_early_leaves_what_was_yielded() -> None:
    pair = engine(speculation=False)
    session = pair.open(request())
    chunks = session.write(run(tokens=50))
    got = [next(chunks) for _ in range(5)]
    chunks.close()  # type: ignore[attr-defined]
    first = ids([piece for chunk in got for piece in chunk.pieces])
    rest = ids(write(session, tokens=5))
    assert first + rest == replay(pair, prompt_ids(session), Role.LARGE, 10)


def test_injected_text_is_read_by_both() -> None:
    pair = engine()
    session = pair.open(request())
    write(session, tokens=3)
    injected = session.inject("</think>")
    assert [piece.text for piece in injected] == ["</think>"]
    before = prompt_ids(session) + [p.token_id for p in pair_pieces(session)]
    assert ids(write(session, Role.SMALL, 4)) == replay(pair, before, Role.SMALL, 4)


def pair_pieces(session: Any) -> list[Any]:
    return list(session._generation.pieces)


def test_a_full_context_stops_the_run() -> None:
    pair = engine(max_context=64)
    session = pair.open(request())
    assert session.prompt_tokens is not None
    written, stop = pieces(session.write(run(tokens=500)))
    assert stop is Stop.CONTEXT
    assert session.prompt_tokens + len(written) == 64
    assert pieces(session.write(run(Role.SMALL, 5))) == ([], Stop.CONTEXT)


def test_a_small_context_ends_drafting_not_the_run() -> None:
    pair = engine(qwen(1, 384), qwen(2, 384, context=40))
    session = pair.open(request())
    written, stop = pieces(session.write(run(tokens=60)))
    assert (len(written), stop) == (60, Stop.MAX_TOKENS)


def test_a_prompt_longer_than_the_context_is_refused() -> None:
    with pytest.raises(ContextOverflowError, match="the context 32"):
        engine(max_context=32).open(request("word " * 60))


def test_stats_are_taken_once() -> None:
    session = engine().open(request())
    write(session, tokens=9)
    assert session.take_stats().generated_tokens >= 9
    assert session.take_stats().generated_tokens == 0


def test_a_failing_model_is_an_engine_error_and_the_pieces_stay() -> None:
    pair = engine(speculation=False)
    session = pair.open(request())
    chunks = session.write(run(tokens=20))
    next(chunks)
    half = pair._halves[Role.LARGE]

    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("out of memory")

    half._forward = fail  # type: ignore[method-assign]
    with pytest.raises(EngineError, match="out of memory"):
        next(chunks)
    assert len(pair_pieces(session)) == 1


def test_eight_threads_on_one_pair_equal_eight_in_a_row() -> None:
    pair = engine()
    questions = [f"Add {n} and {3 * n}." for n in range(8)]

    def answer(question: str) -> list[int]:
        session = pair.open(request(question))
        try:
            return ids(
                [*write(session, Role.LARGE, 12), *write(session, Role.SMALL, 8), *write(session, Role.LARGE, 9)]
            )
        finally:
            session.close()

    expected = [answer(question) for question in questions]
    got: dict[int, list[int]] = {}
    threads = [threading.Thread(target=lambda n=n: got.__setitem__(n, answer(questions[n]))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [got[n] for n in range(8)] == expected


def test_waiters_are_served_in_order_and_may_give_up() -> None:
    pair = engine()
    holder = pair.open(request())
    gave_up = threading.Event()
    served: list[int] = []
    errors: list[BaseException] = []

    def wait(number: int, cancelled: threading.Event | None) -> None:
        try:
            session = pair.open(request(), cancelled=cancelled)
        except CancelledWaitError as error:
            errors.append(error)
        else:
            served.append(number)
            session.close()

    threads = []
    for number, cancelled in ((0, None), (1, gave_up), (2, None), (3, None)):
        threads.append(threading.Thread(target=wait, args=(number, cancelled)))
        threads[-1].start()
        while len(pair._turnstile._queue) < number + 2:
            time.sleep(0.001)
    gave_up.set()
    while not errors:
        time.sleep(0.001)
    holder.close()
    for thread in threads:
        thread.join()
    assert served == [0, 2, 3]


def test_closing_from_another_thread_ends_the_run_within_a_token() -> None:
    pair = engine(speculation=False)
    session = pair.open(request())
    seen: list[Chunk] = []
    started = threading.Event()
    errors: list[str] = []

    def consume() -> None:
        try:
            for chunk in session.write(run(tokens=1900)):
                seen.append(chunk)
                started.set()
        except EngineError as error:
            errors.append(str(error))

    thread = threading.Thread(target=consume)
    thread.start()
    started.wait()
    session.close()
    count = len(seen)
    thread.join(5)
    assert not thread.is_alive()
    assert len(seen) <= count + 1
    assert errors == ["the session is closed"]
    session.close()
    write(pair.open(request()), tokens=2)


def test_a_dropped_session_frees_the_pair() -> None:
    pair = engine()
    session = pair.open(request())
    write(session, tokens=2)
    del session
    write(pair.open(request(), cancelled=threading.Event()), tokens=2)


def test_a_closed_engine_says_so() -> None:
    pair = engine()
    pair.close()
    pair.close()
    with pytest.raises(EngineError, match="closed"):
        pair.open(request())
    with pytest.raises(EngineError, match="closed"):
        pair.warmup()
    assert pair.large_alone_s_per_token() is None


def test_a_session_of_a_closed_engine_says_so() -> None:
    pair = engine()
    session = pair.open(request())
    chunks = session.write(run(tokens=50))
    next(chunks)
    pair.close()
    with pytest.raises(EngineError, match="engine is closed"):
        next(chunks)
    assert pair.capabilities.large_context == 2048
    session.close()


def test_closing_interrupts_a_long_prompt_between_its_passes() -> None:
    pair = engine(speculation=False)
    session: Any = pair.open(request("word " * 300))
    half = pair._halves[Role.LARGE]
    forward = half._forward

    def close_then_forward(*arguments: Any) -> Any:
        session._closed.set()  # as close() does first, from another thread
        return forward(*arguments)

    half._forward = close_then_forward  # type: ignore[method-assign,assignment]
    with pytest.raises(EngineError, match="session is closed"):
        next(session.write(run()))
    assert half.passes == 1


def test_whoever_waited_while_the_engine_closed_is_told() -> None:
    pair = engine()
    holder = pair.open(request())
    errors: list[str] = []

    def wait() -> None:
        try:
            pair.open(request())
        except EngineError as error:
            errors.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    while len(pair._turnstile._queue) < 2:
        time.sleep(0.001)
    pair.close()
    holder.close()
    thread.join()
    assert len(errors) == 1


def test_the_speed_of_the_large_model_is_measured_once_or_seen() -> None:
    pair = engine()
    session = pair.open(request())
    write(session, tokens=10)
    made_up = pair.large_alone_s_per_token()
    assert made_up is not None
    assert made_up > 0
    assert pair.large_alone_s_per_token() == made_up
    assert ids(write(session, tokens=6)) == replay(
        pair, prompt_ids(session) + [p.token_id for p in pair_pieces(session)][:10], Role.LARGE, 6
    )
    session.close()
    session = pair.open(request(speculation=False))
    write(session, tokens=20)
    assert pair.large_alone_s_per_token() != made_up


def test_the_speed_is_measured_on_an_idle_pair_too() -> None:
    pair = engine(max_context=64)
    pair.warmup()
    seconds = pair.large_alone_s_per_token()
    assert seconds is not None
    assert 0 < seconds < 1
