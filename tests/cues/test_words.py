"""What is inside a word."""

from __future__ import annotations

import pytest

from relaygen_runtime.cues.words import is_word_character, joins_word


@pytest.mark.parametrize("character", ["a", "Z", "5", "é", "ß", "д", "א", "ع", "가", "्", "ִ"])
def test_letters_digits_and_the_marks_on_them_make_words(character: str) -> None:
    assert is_word_character(character)


@pytest.mark.parametrize(
    "character", ["", " ", ",", "*", "\n", "，", "。", "“", "—", "😀", "是", "の", "カ", "ไ", "ກ", "က", "ᄀ"[:0]]
)
def test_signs_spaces_and_scripts_without_spaces_make_none(character: str) -> None:
    assert not is_word_character(character)


@pytest.mark.parametrize(
    ("left", "right", "joined"), [("w", "h", True), ("w", "是", False), (",", "x", False), ("5", "x", True)]
)
def test_two_neighbours_join_if_both_belong_to_words(left: str, right: str, joined: bool) -> None:
    assert joins_word(left, right) is joined
