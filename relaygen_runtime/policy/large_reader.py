"""Reads a large segment of the thinking: it ends at a switch cue, at the closing tag, at a limit, or in a loop."""

from __future__ import annotations

import sys
from typing import Final

from relaygen_runtime.cues.matcher import CueMatcher, automaton
from relaygen_runtime.policy.reader import QUARTERS, Tally
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.stream import Stream
from relaygen_runtime.policy.verdict import Ending, Verdict
from relaygen_runtime.vocabulary import Piece

__all__ = ["LOOP_CHARACTERS", "LargeReader"]

LOOP_CHARACTERS: Final = 600
"""A repetition must fill so much text before it counts as a loop."""


class LargeReader:
    """Reader of one large segment of the thinking.

    Attributes:
        stream: The thinking so far.
        tally: Its tokens.
        cues_until: From so many quarters of a token on no cue fires, because the small model has no room left.
        starved: A cue was passed over for that reason.
        last: The last character read, or an empty string.

    Args:
        rules: The rules.
        stream: The thinking before it.
    """

    __slots__ = ("_guard", "_least", "_matcher", "cues_until", "last", "starved", "stream", "tally")

    def __init__(self, rules: Rules, stream: Stream) -> None:
        self.stream = stream
        self.tally = Tally()
        self.cues_until = sys.maxsize
        self.starved = False
        self.last = ""
        self._guard = rules.loop_guard
        self._least = rules.min_large_tokens * QUARTERS
        self._matcher: CueMatcher | None = None
        if rules.cues:
            self._matcher = CueMatcher(automaton(rules.cues), whole_words=rules.match == "word")

    @property
    def hold(self) -> int:
        """Characters that may be the beginning of the closing tag."""
        return self.stream.hold

    def fork(self) -> LargeReader:
        """A reader that stands at the same place."""
        copy = object.__new__(LargeReader)
        copy.stream = self.stream.fork()
        copy.tally = self.tally.fork()
        copy.cues_until = self.cues_until
        copy.starved = self.starved
        copy.last = self.last
        copy._guard = self._guard
        copy._least = self._least
        copy._matcher = self._matcher and self._matcher.fork()
        return copy

    def push(self, piece: Piece) -> Verdict | None:
        """Read a piece."""
        text = piece.text
        if not text:
            return self.tally.count_blank(piece)
        self.tally.count(piece)
        return self.read(text)

    def read(self, text: str) -> Verdict | None:
        """Read text whose tokens are counted already."""
        stream = self.stream
        history = stream.history
        cues = self._matcher.push(text, history.tail) if self._matcher is not None else None
        end = stream.read(text)
        self.last = text[-1]
        if end >= 0:
            return stream.close(text, end)
        history.add(text)
        if self.tally.full:
            return Verdict(Ending.LIMIT, keep=len(text))
        if cues is not None and self.tally.quarters > self._least:
            shields = stream.shields
            for offset, cue in cues:
                if not (stream.around.shielded if shields is None else shields[offset - 1]):
                    if self.tally.quarters < self.cues_until:
                        return Verdict(Ending.CUE, keep=len(text), cue=cue)
                    self.starved = True
        if history.due and self._guard and history.looping(LOOP_CHARACTERS, sys.maxsize):
            return Verdict(Ending.LOOP, keep=len(text))
        return None
