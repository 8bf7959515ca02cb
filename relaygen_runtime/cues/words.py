"""What counts as the inside of a word, for scripts with and without spaces between words.

Owns one question about one or two characters. It refuses to segment text: Chinese, Japanese, Thai and their kin write
no spaces, so there every place between two characters may be a word's end, and no character here joins another.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

__all__ = ["is_word_character", "joins_word"]

# Ranges (first, last) of scripts written without spaces between words. Hangul is not among them: Korean has spaces.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x30FF),  # CJK radicals, punctuation, Hiragana, Katakana
    (0x3100, 0x312F),  # Bopomofo
    (0x31A0, 0x31FF),  # Bopomofo and Katakana extensions
    (0x3400, 0x4DBF),  # CJK extension A
    (0x4E00, 0x9FFF),  # CJK ideographs
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0xFF66, 0xFF9D),  # half-width Katakana
    (0x20000, 0x323AF),  # CJK extensions B and later
)
_STARTS = tuple(first for first, _ in _UNSPACED)


def is_word_character(character: str) -> bool:
    """Whether the character belongs to a word of a script that puts spaces between words.

    Args:
        character: One character, or an empty string (the text's edge), which is none.
    """
    if character.isascii():
        return character.isalnum()
    # Vowel signs and accents written as characters of their own continue the word they stand in.
    if not character.isalnum() and not unicodedata.category(character).startswith("M"):
        return False
    code = ord(character)
    at = bisect_right(_STARTS, code) - 1
    return at < 0 or code > _UNSPACED[at][1]


def joins_word(left: str, right: str) -> bool:
    """Whether a switch between these two neighbouring characters would stand inside a word."""
    return is_word_character(left) and is_word_character(right)
