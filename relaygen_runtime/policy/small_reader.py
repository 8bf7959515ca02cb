"""Reads a small segment of the thinking: it ends with its sentence, at the closing tag, at a limit, or in a loop.

Its first character may show that the switch stood inside a word. Where a sentence seems to end, the reader keeps a mark
there and reads on; what it read beyond is dropped when the end is confirmed.
"""

from __future__ import annotations

import sys
from typing import Final

from relaygen_runtime.cues.words import joins_word
from relaygen_runtime.policy.large_reader import LOOP_CHARACTERS
from relaygen_runtime.policy.reader import Tally
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.sentence import TERMINATORS, SentenceEnds
from relaygen_runtime.policy.stream import Stream
from relaygen_runtime.policy.verdict import Ending, Verdict
from relaygen_runtime.vocabulary import Piece

__all__ = ["SmallReader"]

_LOOP_CHARACTERS: Final = 240
"""A loop inside one small segment is noticed sooner: handing back costs little."""


class SmallReader:
    """Reader of one small segment of the thinking.

    Attributes:
        stream: The thinking so far.
        tally: Its tokens.
        begun: Text was read that stands: the switch is not to be taken back.

    Args:
        rules: The rules.
        stream: The thinking before it.
        before: The character that its first one must not join to a word; empty where any may follow.
    """

    __slots__ = (
        "_before",
        "_beyond",
        "_characters",
        "_guard",
        "_mark",
        "_overhang",
        "_pieces",
        "_sentence",
        "begun",
        "stream",
        "tally",
    )

    def __init__(self, rules: Rules, stream: Stream, before: str) -> None:
        self.stream = stream
        self.tally = Tally()
        self.begun = False
        self._before = before
        self._guard = rules.loop_guard
        self._sentence = SentenceEnds()
        self._pieces = 0
        self._characters = 0
        # Where the sentence seems to end: the stream and the quarters counted there, then pieces and characters beyond.
        self._mark: tuple[Stream, int] | None = None
        self._beyond = 0
        self._overhang = 0

    @property
    def hold(self) -> int:
        """Characters beyond a likely sentence end, or of what may be the closing tag."""
        return max(self.stream.hold, self._overhang)

    def fork(self) -> SmallReader:
        """A reader that stands at the same place."""
        copy = object.__new__(SmallReader)
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.stream = self.stream.fork()
        copy.tally = self.tally.fork()
        copy._sentence = self._sentence.fork()
        return copy

    def push(self, piece: Piece) -> Verdict | None:
        """Read a piece."""
        text = piece.text
        self._pieces += 1
        if not text:
            self._beyond += 1
            return self.tally.count_blank(piece)
        if not self.begun:
            if joins_word(self._before, text[0]):
                return Verdict(Ending.TAKEN_BACK, drop=self._pieces)
            self.begun = True
        self.tally.count(piece)
        end = self.stream.read(text)
        ended = self._read_sentence(text if end < 0 else text[:end])
        if ended and not self._sentence.touched and self._mark is not None:
            self.stream, self.tally.quarters = self._mark
            return Verdict(Ending.SENTENCE, drop=self._beyond + 1, hidden=self._overhang)
        if end >= 0:
            return self.stream.close(text, end)
        self.stream.history.add(text)
        self._characters += len(text)
        if self.tally.full:
            return Verdict(Ending.LIMIT, keep=len(text))
        if ended:
            return Verdict(Ending.SENTENCE, keep=len(text))
        self._remember(text)
        if self._guard and self.stream.history.due and self._is_looping():
            return Verdict(Ending.LOOP, keep=len(text))
        return None

    def _read_sentence(self, text: str) -> bool:
        stream, sentence = self.stream, self._sentence
        if stream.shields is None and not sentence.pending and TERMINATORS.isdisjoint(text):
            sentence.skip(text)
            return False
        shields = stream.shields or [stream.around.shielded] * len(text)
        return sentence.push(text, shields, stream.around.in_code, self._behind)

    def _behind(self, characters: int) -> str:
        return self.stream.history.tail(min(characters, self._characters))

    def _remember(self, text: str) -> None:
        """Move the mark to here, keep it, or forget it."""
        if not self._sentence.pending:
            if self._mark is not None:
                self._mark = None
                self._overhang = 0
        elif self._sentence.touched:
            self._mark = self.stream.fork(), self.tally.quarters
            self._beyond = self._overhang = 0
        else:
            self._beyond += 1
            self._overhang += len(text)

    def _is_looping(self) -> bool:
        history = self.stream.history
        return history.looping(_LOOP_CHARACTERS, self._characters) or history.looping(LOOP_CHARACTERS, sys.maxsize)
