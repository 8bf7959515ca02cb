"""The tokenizer of forced models cuts text as Qwen's does, roughly."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.forced.texts import made_up_traces
from benchmarks.forced.tokenizer import plain_words, trace_tokenizer

TEXT = made_up_traces(1)[0].text


@pytest.fixture(scope="module")
def tok() -> Any:
    return trace_tokenizer([TEXT])


def tokens(tok: Any, text: str) -> list[str]:
    return [tok.decode([i]) for i in tok(text, add_special_tokens=False)["input_ids"]]


def test_every_digit_is_a_token(tok: Any) -> None:
    assert tokens(tok, "120") == ["1", "2", "0"]


def test_a_known_word_comes_with_its_leading_space(tok: Any) -> None:
    assert tokens(tok, " there are") == [" there", " are"]


@pytest.mark.parametrize("tag", ["<think>", "</think>"])
def test_a_think_tag_is_one_token_and_not_special(tok: Any, tag: str) -> None:
    ids = tok(tag, add_special_tokens=False)["input_ids"]
    assert len(ids) == 1
    assert tok.decode(ids, skip_special_tokens=True) == tag


def test_text_comes_back_byte_for_byte(tok: Any) -> None:
    text = TEXT + " naïve 数学 🙂\n"
    assert tok.decode(tok(text, add_special_tokens=False)["input_ids"]) == text


def test_rows_without_meaning_fill_it_up_and_change_no_token(tok: Any) -> None:
    padded = trace_tokenizer([TEXT], 5000)
    assert len(padded) == 5000
    assert tokens(padded, TEXT) == tokens(tok, TEXT)


def test_plain_words_are_words_and_no_cues(tok: Any) -> None:
    words = {tok.decode([i]) for i in plain_words(tok, ["Now,", "now"])}
    assert " there" in words
    assert " now" not in words
    assert all(word[0] == " " and word[1:].isalpha() and word[1:].islower() for word in words)
