"""Reads the answer: it ends at a stop string, at a limit, or in a loop. Think tags and cues mean nothing here.

One reader serves the whole answer, so that a stop string is seen even where two segments meet. Where a grammar holds
the answer, no stop string is looked for: what the grammar allows is not to be cut.
"""

from __future__ import annotations

import sys

from relaygen_runtime.cues.matcher import Automaton, automaton
from relaygen_runtime.policy.calls import Calls
from relaygen_runtime.policy.history import History
from relaygen_runtime.policy.large_reader import LOOP_CHARACTERS
from relaygen_runtime.policy.reader import Tally
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.verdict import Ending, Verdict
from relaygen_runtime.vocabulary import Piece

__all__ = ["AnswerReader"]


class AnswerReader:
    """Reader of the answer.

    Attributes:
        tally: Tokens of the segment being read; set anew for each.
        guarded: A loop is looked for.
    """

    __slots__ = (
        "_begins",
        "_calls",
        "_constrained",
        "_history",
        "_length",
        "_stops",
        "_stops_at",
        "guarded",
        "tally",
    )

    def __init__(self, rules: Rules) -> None:
        self.tally = Tally()
        # Characters read, and how many of them came before the first visible one (-1: there is none).
        self._length = 0
        self._begins = -1
        self.guarded = rules.loop_guard
        self._history = History()
        self._constrained = rules.constrained
        self._calls = Calls(rules.tool_tags) if rules.tool_tags is not None else None
        self._stops: Automaton | None = automaton(rules.stop) if rules.stop and not rules.constrained else None
        self._stops_at = 0

    @property
    def visible(self) -> bool:
        """The answer holds more than white space."""
        return self._begins >= 0

    @property
    def held(self) -> bool:
        """A grammar holds the answer here: it can't end at any place."""
        return self._constrained or (self._calls is not None and self._calls.inside)

    @property
    def hold(self) -> int:
        """Characters that may be the beginning of a stop string."""
        return self._stops.depth[self._stops_at] if self._stops is not None else 0

    def fork(self) -> AnswerReader:
        """A reader that stands at the same place."""
        copy = object.__new__(AnswerReader)
        copy.tally = self.tally.fork()
        copy._length = self._length
        copy._begins = self._begins
        copy.guarded = self.guarded
        copy._history = self._history.fork()
        copy._constrained = self._constrained
        copy._calls = self._calls and self._calls.fork()
        copy._stops = self._stops
        copy._stops_at = self._stops_at
        return copy

    def push(self, piece: Piece) -> Verdict | None:
        """Read a piece."""
        text = piece.text
        if not text:
            return self.tally.count_blank(piece)
        self.tally.count(piece)
        verdict = self.read(text)
        if verdict is None and self.tally.full:
            return Verdict(Ending.LIMIT, keep=len(text))
        return verdict

    def read(self, text: str) -> Verdict | None:
        """Read text whose tokens are counted already."""
        if self._begins < 0 and not text.isspace():
            self._begins = self._length + len(text) - len(text.lstrip())
        begin = self._find_stop(text)
        if begin is not None:
            if self._begins >= self._length + begin:
                self._begins = -1
            return Verdict(Ending.STOP_STRING, keep=max(begin, 0), hidden=max(-begin, 0))
        self._length += len(text)
        self._history.add(text)
        if self._history.due and self.guarded and self._history.looping(LOOP_CHARACTERS, sys.maxsize):
            return Verdict(Ending.LOOP, keep=len(text))
        return None

    def _find_stop(self, text: str) -> int | None:
        """Where in the text the first stop string begins; negative: in what was read before."""
        parts = [(text, False)] if self._calls is None else self._calls.split(text)
        if self._stops is None:
            return None
        before = 0
        for part, inside in parts:
            if inside:
                self._stops_at = 0
            else:
                self._stops_at, end, stop = self._stops.find(self._stops_at, part)
                if end >= 0:
                    return before + end - len(stop)
            before += len(part)
        return None
