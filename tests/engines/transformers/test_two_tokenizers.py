"""Models whose tokenizers differ relay through text; models that only look different do not."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import torch

from relaygen_runtime.engines.transformers.same_tokenizer import same_tokenizer
from relaygen_runtime.vocabulary import Role
from tests.engines.transformers.pairs import alike, engine, ids, qwen, request, run, tokenizer, write

OTHER = "completely different words make completely different merges, numbers 123 456"


def different_pair(**options: Any) -> Any:
    tok, small_tok = tokenizer(), tokenizer(352, extra=OTHER * 5)
    return engine(qwen(1, len(tok)), qwen(2, len(small_tok)), tok=tok, small_tok=small_tok, **options)


def test_equal_copies_are_the_same_tokenizer() -> None:
    one = tokenizer()
    assert same_tokenizer(one, one)
    assert same_tokenizer(one, tokenizer())


@pytest.mark.parametrize("change", ["merges", "added", "pre_tokenizer"])
def test_a_difference_anywhere_that_matters_is_seen(change: str) -> None:
    other = tokenizer(extra=OTHER * 5) if change == "merges" else tokenizer()
    if change == "added":
        other.add_tokens(["<tool_call>"])
    if change == "pre_tokenizer":
        from tokenizers import pre_tokenizers  # noqa: PLC0415  (only here)

        other.backend_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    assert not same_tokenizer(tokenizer(), other)


def test_tokenizers_without_a_rust_core_are_not_trusted_to_be_equal() -> None:
    class Slow:
        def __init__(self) -> None:
            self.added_tokens_decoder: dict[int, Any] = {}

        def get_vocab(self) -> dict[str, int]:
            return {"a": 0}

    assert not same_tokenizer(Slow(), Slow())


def test_padding_of_the_embedding_makes_no_difference() -> None:
    tok = tokenizer()
    large = qwen(1, 512)
    pair = engine(large, qwen(2, 448), tok=tok, small_tok=tokenizer())
    assert pair.capabilities.one_tokenizer
    assert pair.capabilities.speculation
    session = pair.open(request())
    assert max(ids(write(session, tokens=60))) < len(tok)


def test_it_is_said_once_and_nothing_is_drafted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        pair = different_pair()
    assert [record.message for record in caplog.records] == list(pair.notes)
    assert "tokenizers differ" in pair.notes[0]
    assert not pair.capabilities.one_tokenizer
    assert not pair.capabilities.speculation
    session = pair.open(request(speculation=True))
    write(session, tokens=9)
    assert session.take_stats().drafted_tokens == 0


def test_the_other_models_writing_is_read_as_text() -> None:
    pair = different_pair()
    session: Any = pair.open(request())
    texts = "".join(piece.text for piece in write(session, Role.LARGE, 12))
    small_tok = pair._tokenizers[Role.SMALL]
    prompt = small_tok(session.prompt_text, add_special_tokens=False)["input_ids"]
    sequence = prompt + small_tok(texts, add_special_tokens=False)["input_ids"]
    network = pair._halves[Role.SMALL].network
    with torch.inference_mode():
        expected = int(network.fresh_logits(torch.tensor([sequence]))[-1].argmax())
    assert ids(write(session, Role.SMALL, 1)) == [expected]


def test_rollbacks_and_turns_leave_both_tracks_in_line() -> None:
    pair = different_pair()
    session: Any = pair.open(request())
    for turn in range(6):
        write(session, list(Role)[turn % 2], 7)
        session.rollback(turn % 4)
        if turn == 3:
            session.inject("</think>")
    text = "".join(piece.text for piece in session._generation.pieces)
    for role in Role:
        session._generation.prepare(role)
        track, tok = session._generation.tracks[role], pair._tokenizers[role]
        assert tok.decode(track.ids, clean_up_tokenization_spaces=False).replace("\ufffd", "") == (
            session.prompt_text + text
        )


def test_text_that_was_read_in_one_go_is_read_anew_after_a_rollback_into_it() -> None:
    pair = different_pair()
    session: Any = pair.open(request())
    write(session, Role.LARGE, 8)
    write(session, Role.SMALL, 1)
    session.rollback(1)
    session.rollback(4)
    small = session._generation.tracks[Role.SMALL]
    assert len(small.ids) == len(pair._tokenizers[Role.SMALL](session.prompt_text)["input_ids"])
    next(session.write(run(Role.SMALL, 2)))


def test_a_recurrent_small_model_works_without_drafts(caplog: pytest.LogCaptureFixture) -> None:
    from transformers import MambaConfig, MambaForCausalLM  # noqa: PLC0415  (only here)

    tok = tokenizer()
    torch.manual_seed(0)
    build: Any = MambaForCausalLM
    small = build(MambaConfig(vocab_size=len(tok), hidden_size=32, num_hidden_layers=1, state_size=8)).eval()
    large = qwen(1, len(tok))
    with caplog.at_level(logging.WARNING):
        pair = engine(large, small, tok=tok)
    assert "cannot roll back" in caplog.text
    assert not pair.capabilities.speculation
    session = pair.open(request())
    for turn in range(4):
        write(session, list(Role)[turn % 2], 5)
        session.rollback(turn % 3)
    assert engine(large, alike(large, 1, 0.1)).capabilities.speculation
