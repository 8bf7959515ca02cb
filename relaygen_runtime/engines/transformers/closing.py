"""How a constrained answer can be brought to its end: tokens that complete it, as few as a quick search finds.

Owns the search. What follows an unfinished JSON text is mostly plain: a string is closed by its quote, a container by
its bracket, what is forced is written out, and where a value is due the cheapest one is. Where that does not tell (a
pattern, a choice), tokens are tried that became possible only just now, or were not tried yet, so that no repetition
holds the search for ever. Knows no model: what it writes is valid, not likely.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from relaygen_runtime.engines.transformers.token_rows import new_row, tokens_in

if TYPE_CHECKING:
    from xgrammar import GrammarMatcher

__all__ = ["Closer"]

_BRACKETS: Final = re.compile(rb"[}\]]+")
_QUOTED: Final = re.compile(rb'"[}\]]*')
_SCALARS: Final = (b"0", b"1", b"null", b"true", b"false", b'""', b"[]", b"{}")
_MARKS: Final = (b',"', b",", b":", b'"', b"[", b"{")
_WORDS: Final = (b"n", b"t", b"f")
_DIGITS: Final = b"0123456789"
_MOST_TRIED: Final = 24
_BRANCHES: Final = 24
_STUCK: Final = 32
_EFFORT: Final = 3_000
_GUESSES: Final = 16


class Closer:
    """Finds ends for one tokenizer's matchers, each of which it leaves as it was.

    Args:
        spellings: The bytes of each token.
        encode: From text to ids, without special tokens around it.
        banned: Tokens that are not to be written.
    """

    def __init__(
        self, spellings: Sequence[bytes], encode: Callable[[str], list[int]], banned: Collection[int] = ()
    ) -> None:
        self._spellings = spellings
        self._encode = encode
        self._lengths = np.array([len(spelling) for spelling in spellings])
        self._unwanted = np.array([not spelling.strip() for spelling in spellings])
        self._unwanted[list(banned)] = True
        known = {spelling: token for token, spelling in reversed(list(enumerate(spellings)))}
        self._brace, self._bracket = ([known[mark]] if mark in known else [] for mark in (b"}", b"]"))
        self._quote, self._after_quote = (
            [known[mark] for mark in marks if mark in known] for marks in ((b'"',), (b",", b":"))
        )
        self._scalars = [known[text] for text in _SCALARS if text in known]
        self._words = [known[text] for text in _WORDS if text in known]
        self._marks = [known[text] for text in _MARKS if text in known]
        self._openers = self._marks[-2:]
        # Single bytes first, and of these what is no letter or digit: a pattern turns on its punctuation.
        self._telling = np.array([2 * (len(text) > 1) + text.isalnum() for text in spellings])
        self._brackets, self._quoted = (
            sorted((known[text] for text in known if form.fullmatch(text)), key=lambda token: -self._lengths[token])[
                -_MOST_TRIED:
            ]
            for form in (_BRACKETS, _QUOTED)
        )
        self._forced: dict[str, list[int]] = {}

    def fits(self, matcher: GrammarMatcher, tokens: Sequence[int]) -> bool:
        """Whether these very tokens complete what the matcher has accepted."""
        accepted = _accept(matcher, tokens)
        complete = accepted == len(tokens) and matcher.is_completed()
        matcher.rollback(accepted)
        return complete

    def quick(self, matcher: GrammarMatcher, most: int, luck: Random | None = None) -> list[int] | None:
        """Tokens that complete what the matcher has accepted; None where no more than `most` were found.

        Args:
            matcher: The matcher.
            most: The most tokens.
            luck: Guess where nothing is forced.
        """
        path: list[int] = []
        before: npt.NDArray[np.bool_] | None = None
        while not matcher.is_completed():
            following = self._inevitable(matcher) or ([] if luck else self._plain(matcher, path))
            if not following:
                allowed = self._allowed(matcher)
                following = self._untried(allowed, before, path) if luck is None else self._any(allowed, luck)
                before = allowed
            path += following
            _accept(matcher, following)
            if not following or len(path) > most:
                break
        found = matcher.is_completed() and len(path) <= most
        matcher.rollback(len(path))
        return path if found else None

    def shortest(self, matcher: GrammarMatcher, most: int, effort: int = _EFFORT) -> list[int] | None:
        """As `quick`, with other tokens tried at every step: slower, and often shorter.

        Args:
            matcher: The matcher.
            most: The most tokens.
            effort: After so many tokens tried, what was found is good enough.
        """
        best = self.quick(matcher, most)
        luck = Random(0)
        for _ in range(_GUESSES if best is None else 0):
            best = best or self.quick(matcher, most, luck)
        path: list[int] = []
        while (best is None or len(path) < len(best)) and effort > 0:
            for token in self._branches(matcher):
                if not matcher.accept_token(token):  # a mask may allow what the grammar then refuses
                    continue
                limit = (most if best is None else len(best) - 1) - len(path) - 1
                rest = self.quick(matcher, limit)
                matcher.rollback(1)
                effort -= 1 + (limit if rest is None else len(rest))
                if rest is not None:
                    best = [*path, token, *rest]
            if best is None or len(path) == len(best):
                break
            matcher.accept_token(best[len(path)])
            path.append(best[len(path)])
        matcher.rollback(len(path))
        return best

    def _inevitable(self, matcher: GrammarMatcher) -> list[int]:
        """What must come next, or the quote that ends a string."""
        forced = _forced_text(matcher)
        if forced:
            return self._spelled(matcher, forced)
        if not self._quote or not matcher.accept_token(self._quote[0]):
            return []
        # Behind a string stands what JSON wants there; behind the quote that begins one, anything or nothing of it.
        brace, bracket = _first(matcher, self._brace), _first(matcher, self._bracket)
        ends = matcher.is_completed() or bool(brace or bracket or _first(matcher, self._after_quote))
        matcher.rollback(1)
        return _first(matcher, self._quoted) if ends and not (brace and bracket) else []

    def _plain(self, matcher: GrammarMatcher, path: Sequence[int]) -> list[int]:
        """What JSON asks for next, where that is plain."""
        if len(path) >= _STUCK and len(set(path[-_STUCK:])) == 1:
            return []
        brace, bracket = _first(matcher, self._brace), _first(matcher, self._bracket)
        if brace and bracket:  # the inside of a string that can't end yet
            return []
        if brace or bracket:
            return _first(matcher, self._brackets)
        last = path[-1] if path else None
        if last not in self._scalars and (scalar := _first(matcher, self._scalars)):
            return scalar
        if last not in self._words and _first(matcher, self._openers) and (word := _first(matcher, self._words)):
            return word  # null, true or false, where a container could stand too
        return _first(matcher, [mark for mark in self._marks if mark != last])

    def _spelled(self, matcher: GrammarMatcher, text: str) -> list[int]:
        """The forced text in tokens, as far as the matcher takes them."""
        tokens = self._forced.get(text)
        if tokens is None:
            tokens = self._forced[text] = self._encode(text)
        accepted = _accept(matcher, tokens)
        matcher.rollback(accepted)
        return tokens[:accepted]

    def _allowed(self, matcher: GrammarMatcher) -> npt.NDArray[np.bool_]:
        width = len(self._spellings)
        row = new_row(width)
        if not matcher.fill_next_token_bitmask(row):
            row.fill(-1)
        allowed = tokens_in(row, width)[0]
        wanted: npt.NDArray[np.bool_] = allowed & ~self._unwanted
        return wanted if wanted.any() else allowed

    def _untried(
        self, allowed: npt.NDArray[np.bool_], before: npt.NDArray[np.bool_] | None, path: Sequence[int]
    ) -> list[int]:
        """The longest of the tokens that became possible just now, or the most telling that was not written yet."""
        unused = allowed.copy()
        unused[list(path)] = False
        fresh = unused if before is None else unused & ~before
        if fresh.any():
            return [int(np.where(fresh, self._lengths, -1).argmax())]
        choice = unused if unused.any() else allowed
        return [int(np.where(choice, self._telling, 4).argmin())] if choice.any() else []

    def _any(self, allowed: npt.NDArray[np.bool_], luck: Random) -> list[int]:
        """One of the tokens, by luck; of single bytes, where there are any."""
        single = allowed & (self._lengths == 1)
        tokens = np.flatnonzero(single if single.any() else allowed).tolist()
        return [luck.choice(tokens)] if tokens else []

    def _branches(self, matcher: GrammarMatcher) -> Iterator[int]:
        """Tokens worth trying next: of each first byte the longest and the shortest, all digits counting as one."""
        anything = _first(matcher, self._brace) and _first(matcher, self._bracket)
        if matcher.is_completed() or anything or _forced_text(matcher):
            return
        allowed = np.flatnonzero(self._allowed(matcher))
        ordered = allowed[np.argsort(self._lengths[allowed], kind="stable")]
        chosen: dict[int, None] = {}
        for order in (ordered, ordered[::-1]):
            seen: set[bytes] = set()
            for token in order.tolist():
                first = self._spellings[token][:1]
                first = b"0" if first in _DIGITS else first
                if first not in seen and len(seen) < _BRANCHES:
                    seen.add(first)
                    chosen[token] = None
        yield from chosen


def _accept(matcher: GrammarMatcher, tokens: Sequence[int]) -> int:
    """Let a matcher accept tokens; return how many it did."""
    for number, token in enumerate(tokens):
        if not matcher.accept_token(token):
            return number
    return len(tokens)


def _first(matcher: GrammarMatcher, tokens: Sequence[int]) -> list[int]:
    """The first of the tokens that could come next, in a list; an empty one where none could."""
    for token in tokens:
        if matcher.accept_token(token):
            matcher.rollback(1)
            return [token]
    return []


def _forced_text(matcher: GrammarMatcher) -> str:
    try:
        return matcher.find_jump_forward_string()
    except UnicodeDecodeError:  # it begins inside a character
        return ""
