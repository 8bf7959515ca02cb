"""Finding strings in text that arrives bit by bit, at a constant cost per character.

`Automaton` is the Aho-Corasick construction (Aho and Corasick, 1975) over characters, unrolled into one dictionary per
state; it is immutable and shared. `CueMatcher` is one reader's place in it, and knows the rule that no switch stands
inside a word. Neither rescans text, neither holds it: the few characters before a piece are asked for when a cue is
complete, which is rare. Where a cue may not fire (code, mathematics, the start of a segment) is the policy's business.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from relaygen_runtime.cues.words import joins_word

__all__ = ["Automaton", "CueMatcher", "automaton"]

_ROOT: Final = 0


class Automaton:
    """All places where any of some patterns ends.

    Attributes:
        patterns: The patterns, in the order given.
        moves: For each state the next state by character; a character that is absent leads to state 0.
        ends: For each state the patterns that end there, the longest first.
        depth: For each state how many of the last characters might be the beginning of a pattern.

    Args:
        patterns: Strings that are not empty; one that occurs twice counts once.
    """

    __slots__ = ("depth", "ends", "moves", "patterns")

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = tuple(dict.fromkeys(patterns))
        self.moves: list[dict[str, int]] = [{}]
        self.depth: list[int] = [0]
        own: list[tuple[str, ...]] = [()]
        for pattern in self.patterns:
            state = _ROOT
            for character in pattern:
                if character not in self.moves[state]:
                    self.moves[state][character] = len(self.moves)
                    self.depth.append(self.depth[state] + 1)
                    self.moves.append({})
                    own.append(())
                state = self.moves[state][character]
            own[state] = (pattern,)
        self.ends = self._unroll(own)

    def _unroll(self, own: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Fold the failure links into the moves, breadth first, so that reading needs no second look."""
        fallback = [_ROOT] * len(self.moves)
        queue = deque(self.moves[_ROOT].values())
        while queue:
            state = queue.popleft()
            back = fallback[state]
            own[state] += own[back]
            children = dict(self.moves[state])
            for character, child in children.items():
                fallback[child] = self.moves[back].get(character, _ROOT)
            self.moves[state] = {**self.moves[back], **children}
            queue.extend(children.values())
        return own

    @property
    def first_characters(self) -> frozenset[str]:
        """Characters that leave state 0."""
        return frozenset(self.moves[_ROOT])

    def find(self, state: int, text: str) -> tuple[int, int, str]:
        """Read text up to the first end of a pattern.

        Args:
            state: Where the reader stands; 0 at the beginning.
            text: What comes next.

        Returns:
            The new state, the number of characters read when a pattern was complete (-1: none was), and the longest
            pattern that ends there.
        """
        moves, ends = self.moves, self.ends
        for offset, character in enumerate(text, 1):
            state = moves[state].get(character, _ROOT)
            if ends[state]:
                return state, offset, ends[state][0]
        return state, -1, ""


@lru_cache(maxsize=64)
def automaton(patterns: tuple[str, ...]) -> Automaton:
    """The automaton of these patterns, built once."""
    return Automaton(patterns)


class CueMatcher:
    """One reader of one large segment.

    Args:
        cues: The automaton of the cues.
        whole_words: Refuse a cue whose edge stands inside a word.
    """

    __slots__ = ("_cues", "_state", "_whole_words")

    def __init__(self, cues: Automaton, *, whole_words: bool) -> None:
        self._cues = cues
        self._whole_words = whole_words
        self._state = _ROOT

    def fork(self) -> CueMatcher:
        """A reader that stands at the same place."""
        copy = CueMatcher(self._cues, whole_words=self._whole_words)
        copy._state = self._state
        return copy

    def push(self, text: str, behind: Callable[[int], str]) -> list[tuple[int, str]] | None:
        """Read one token's text.

        Args:
            text: The text.
            behind: Gives the last n characters before `text`.

        Returns:
            Offsets in the text at which a cue is complete, each with the longest cue that ends there, in order; None
            where there is none. A cue that the text goes on after is judged by the character that follows; one that the
            text ends with counts, and may have to be taken back.
        """
        state, found = self._state, None
        moves, ends = self._cues.moves, self._cues.ends
        for offset, character in enumerate(text, 1):
            state = moves[state].get(character, _ROOT)
            if ends[state]:
                cue = self._judge(ends[state], text, offset, behind)
                if cue:
                    if found is None:
                        found = []
                    found.append((offset, cue))
        self._state = state
        return found

    def _judge(self, cues: tuple[str, ...], text: str, offset: int, behind: Callable[[int], str]) -> str:
        """The longest of the cues that end at the offset whose edges are not inside a word; empty if none is."""
        if not self._whole_words:
            return cues[0]
        after = text[offset : offset + 1]
        for cue in cues:
            start = offset - len(cue)
            before = text[start - 1] if start > 0 else behind(1 - start)[: 1 - start]
            if start <= 0:
                before = before[:1] if len(before) == 1 - start else ""
            if not joins_word(before, cue[0]) and not joins_word(cue[-1], after):
                return cue
        return ""
