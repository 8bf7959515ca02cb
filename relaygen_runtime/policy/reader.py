"""What the readers of all runs have in common: counting tokens, and pieces that complete no character yet.

A reader reads one segment's pieces and says when the run must end. It knows no other segment and tells nobody.
"""

from __future__ import annotations

from typing import Final, Protocol

from relaygen_runtime.policy.verdict import Ending, Verdict
from relaygen_runtime.vocabulary import Piece

__all__ = ["QUARTERS", "Reader", "Tally"]

QUARTERS: Final = 4
"""Tokens are counted in quarters: where only text is known, a character counts as a quarter of a token."""


class Reader(Protocol):
    """A reader of one segment."""

    tally: Tally

    @property
    def hold(self) -> int:
        """How many of the last characters read must not be shown yet."""
        ...

    def fork(self) -> Reader:
        """A reader that stands at the same place."""
        ...

    def push(self, piece: Piece) -> Verdict | None:
        """Read a piece; a verdict ends the run."""
        ...


class Tally:
    """Tokens of one segment.

    Attributes:
        quarters: What was counted, in quarters of a token.
        limit: At so many quarters the run ends.
        estimated: Some of the text came without its number of tokens.
    """

    __slots__ = ("_blank", "_blank_quarters", "estimated", "limit", "quarters")

    def __init__(self, quarters: int = 0) -> None:
        self.quarters = quarters
        self.limit = 0
        self.estimated = False
        self._blank = 0
        self._blank_quarters = 0

    def fork(self) -> Tally:
        """One that stands at the same count."""
        copy = Tally(self.quarters)
        copy.limit = self.limit
        copy.estimated = self.estimated
        copy._blank = self._blank
        copy._blank_quarters = self._blank_quarters
        return copy

    @property
    def tokens(self) -> int:
        """Whole tokens, begun ones included."""
        return -(-self.quarters // QUARTERS)

    @property
    def full(self) -> bool:
        """The limit is reached."""
        return self.quarters >= self.limit

    def count(self, piece: Piece) -> None:
        """Count a piece that completes text."""
        if piece.tokens:
            self.quarters += piece.tokens * QUARTERS
        else:
            self.quarters += len(piece.text)
            self.estimated = True
        if self._blank:
            self._blank = self._blank_quarters = 0

    def uncount(self, piece: Piece) -> None:
        """Take back what `count` counted last."""
        self.quarters -= piece.tokens * QUARTERS or len(piece.text)

    def count_blank(self, piece: Piece) -> Verdict | None:
        """Count a piece that completes no character; the run never ends between the bytes of one."""
        self.quarters += piece.tokens * QUARTERS
        self._blank += 1
        self._blank_quarters += piece.tokens * QUARTERS
        return Verdict(Ending.LIMIT, drop=self._blank) if self.full else None

    def drop_blank(self) -> int:
        """Take the incomplete character at the end off the count; returns its number of pieces."""
        dropped, self._blank = self._blank, 0
        self.quarters -= self._blank_quarters
        self._blank_quarters = 0
        return dropped
