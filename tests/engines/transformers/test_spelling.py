"""Tokens become text one by one; no character is cut, no U+FFFD leaves, joined text is the tokenizer's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from relaygen_runtime.engines.transformers.spelling import ByteSpelling, Spelling, StreamSpelling, spelling_of
from relaygen_runtime.vocabulary import Role
from tests.engines.transformers.pairs import engine, qwen, request, tokenizer, write

TEXT = "Now, 数学 🙂 isn't עברית; é\u0301 <think>x</think>\n\n 👩‍👩‍👧 end"


def sentencepiece_like() -> Any:
    """Metaspace with byte fallback, as Llama 2 and Mistral have it."""
    bare = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))  # noqa: S106
    bare.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    bare.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=["<unk>", *[f"<0x{b:02X}>" for b in range(256)]], show_progress=False
    )
    bare.train_from_iterator(["Now, the sum is 42. So, we add numbers until nothing is left."] * 3, trainer)
    build: Any = PreTrainedTokenizerFast
    return build(tokenizer_object=bare, unk_token="<unk>")  # noqa: S106


def spell(spelling: Spelling, ids: list[int]) -> list[str]:
    state, texts = spelling.begin([]), []
    for end in range(1, len(ids) + 1):
        text, state = spelling.add(ids[:end], state)
        texts.append(text)
    return texts


def test_the_kind_of_tokenizer_is_seen() -> None:
    assert isinstance(spelling_of(tokenizer()), ByteSpelling)
    assert isinstance(spelling_of(sentencepiece_like()), StreamSpelling)


@pytest.mark.parametrize("make", [tokenizer, sentencepiece_like])
@pytest.mark.parametrize("text", [TEXT, "So, the sum is 42.", "🙂", "a  b\n c"])
def test_the_pieces_join_to_the_text(make: Any, text: str) -> None:
    tok = make()
    ids = tok(text, add_special_tokens=False)["input_ids"]
    assert "".join(spell(spelling_of(tok), ids)) == tok.decode(ids, clean_up_tokenization_spaces=False)


def test_a_character_belongs_to_the_token_that_completes_it() -> None:
    tok = tokenizer()
    ids = tok("🦉", add_special_tokens=False)["input_ids"]
    assert len(ids) > 1
    assert spell(spelling_of(tok), ids) == [""] * (len(ids) - 1) + ["🦉"]


def test_bytes_that_are_no_character_are_left_out() -> None:
    tok = tokenizer()
    spelling = ByteSpelling(tok)
    whole, broken = (tok(text, add_special_tokens=False)["input_ids"] for text in ("ab", "🦉"))
    assert "".join(spell(spelling, [*broken[:1], *whole, *broken[1:], *whole, *broken])) == "abab🦉"


@given(st.lists(st.integers(0, 383), max_size=40))
@settings(max_examples=60, deadline=None)
def test_no_replacement_character_ever_leaves(ids: list[int]) -> None:
    tok = TOKENIZER
    joined = "".join(spell(ByteSpelling(tok), ids))
    assert "\ufffd" not in joined
    decoded = tok.decode(ids, clean_up_tokenization_spaces=False)
    if "\ufffd" not in decoded:
        assert joined == decoded


TOKENIZER = tokenizer()


@given(st.lists(st.integers(0, 300), max_size=30))
@settings(max_examples=40, deadline=None)
def test_a_stream_never_shows_one_either(ids: list[int]) -> None:
    assert "\ufffd" not in "".join(spell(StreamSpelling(SENTENCEPIECE), ids))


SENTENCEPIECE = sentencepiece_like()


def test_a_padded_row_has_no_text() -> None:
    assert spell(ByteSpelling(tokenizer()), [5000]) == [""]


def test_a_switch_inside_a_character_cuts_nothing() -> None:
    """The large model stops after the first byte of an emoji; the small one completes it."""
    tok = tokenizer()
    owl = tok("🦉", add_special_tokens=False)["input_ids"]
    pair = engine(qwen(1, len(tok)), tok=tok)
    session: Any = pair.open(request())
    write(session, Role.LARGE, 2)
    generation = session._generation
    track = generation.tracks[Role.LARGE]
    texts = [generation.append(Role.LARGE if n == 0 else Role.SMALL, i, track).text for n, i in enumerate(owl)]
    assert texts == [""] * (len(owl) - 1) + ["🦉"]
    session.rollback(1)
    assert generation.append(Role.LARGE, owl[-1], track).text == "🦉"


def test_the_cost_of_a_token_does_not_grow() -> None:
    calls: list[int] = []

    class Counting:
        def decode(self, ids: list[int], **_: Any) -> str:
            calls.append(len(ids))
            return "x" * len(ids)

    spell(StreamSpelling(Counting()), list(range(300)))
    assert max(calls) <= 12
