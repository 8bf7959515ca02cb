"""Greedy text is the large model's own, whoever drafts, and `model.generate` agrees."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from relaygen_runtime.vocabulary import Piece, Role, Stop
from tests.engines.transformers.pairs import alike, engine, ids, pieces, qwen, request, run, tokenizer, write


def generate(model: Any, prompt: list[int], tokens: int) -> list[int]:
    out = model.generate(
        torch.tensor([prompt]), max_new_tokens=tokens, do_sample=False, attention_mask=torch.ones(1, len(prompt))
    )
    return list(out[0, len(prompt) :].tolist())


@pytest.fixture(params=[1, 7, 11])
def large(request: pytest.FixtureRequest) -> Any:
    return qwen(request.param, len(tokenizer()))


def test_the_large_alone_writes_what_generate_writes(large: Any) -> None:
    pair = engine(large, speculation=False)
    with_session = pair.open(request())
    prompt = tokenizer()(with_session.prompt_text, add_special_tokens=False)["input_ids"]
    written = ids(write(with_session, tokens=60))
    assert written == generate(large, prompt, 60)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("draft_max", [1, 4, 24])
def test_drafts_change_no_token(large: Any, noise: float, draft_max: int) -> None:
    pair = engine(large, alike(large, 3, noise), draft_max=draft_max, ends=True)
    results = []
    for speculation in (False, True):
        session = pair.open(request(speculation=speculation))
        results.append(pieces(session.write(run(tokens=80))))
        session.close()
    assert results[0] == results[1]


def test_a_twin_draft_is_accepted_whole() -> None:
    large = qwen(1, len(tokenizer()))
    session = engine(large, alike(large, 3, 0.0)).open(request())
    write(session, tokens=60)
    stats = session.take_stats()
    assert stats.accepted_tokens == stats.drafted_tokens > 0
    assert stats.forward_passes <= 11


def test_a_draft_ends_where_the_small_model_is_unsure() -> None:
    session = engine(draft_confidence=1.0, draft_max=9).open(request())
    write(session, tokens=30)
    stats = session.take_stats()
    assert stats.drafted_tokens <= stats.forward_passes


def test_a_draft_ends_where_the_policy_would_cut() -> None:
    large = qwen(1, len(tokenizer()))
    session = engine(large, alike(large, 3, 0.0), draft_max=9).open(request())

    def would_cut(coming: list[Piece]) -> int | None:
        return 3 if len(coming) >= 4 else None

    first = next(iter(session.write(run(tokens=30, would_cut=would_cut))))
    assert len(first.pieces) == 4, "three drafts and the large model's own token"
    assert session.take_stats().drafted_tokens == 3


def test_max_tokens_is_kept_to_the_token() -> None:
    for tokens in (1, 2, 7):
        session = engine().open(request())
        written, stop = pieces(session.write(run(tokens=tokens)))
        session.close()
        assert (len(written), stop) == (tokens, Stop.MAX_TOKENS)


@pytest.mark.parametrize("speculation", [False, True])
@pytest.mark.parametrize("author", list(Role))
def test_eos_is_told_and_never_a_piece(speculation: bool, author: Role) -> None:
    large = qwen(1, len(tokenizer()))
    probe = engine(large, alike(large, 3, 0.0), speculation=False, ends=True)
    session = probe.open(request())
    written = ids(write(session, tokens=20))
    session.close()
    large.generation_config.eos_token_id = [written[12]]
    first = written.index(written[12])
    pair = engine(large, alike(large, 3, 0.0), speculation=speculation, ends=True)
    session = pair.open(request())
    got, stop = pieces(session.write(run(author, tokens=40)))
    assert (ids(got), stop) == (written[:first], Stop.EOS)
    again, stop = pieces(session.write(run(author, tokens=40)))
    assert (again, stop) == ([], Stop.EOS), "the sequence ends before the token, so it comes again"
