"""Reads the very first text, until it shows whether the model thinks: it writes the open tag, or anything else."""

from __future__ import annotations

from relaygen_runtime.policy.reader import Tally
from relaygen_runtime.policy.verdict import Ending, Verdict
from relaygen_runtime.vocabulary import Piece

__all__ = ["OpeningReader"]


class OpeningReader:
    """Reader of a generation whose prompt neither opened nor closed the thinking.

    Attributes:
        tally: Its tokens.
        text: What was read; all of it is held back.
        thinks: The open tag is complete; text may follow it.

    Args:
        open_tag: The tag that opens the thinking; white space may stand before it.
    """

    __slots__ = ("_open_tag", "tally", "text", "thinks")

    def __init__(self, open_tag: str) -> None:
        self.tally = Tally()
        self.text = ""
        self.thinks = False
        self._open_tag = open_tag

    @property
    def hold(self) -> int:
        """Nothing is handed on that could be shown."""
        return 0

    @property
    def tag_end(self) -> int:
        """How many characters the white space and the open tag take."""
        return len(self.text) - len(self.text.lstrip()) + len(self._open_tag)

    def fork(self) -> OpeningReader:
        """A reader that stands at the same place."""
        copy = OpeningReader(self._open_tag)
        copy.tally = self.tally.fork()
        copy.text = self.text
        copy.thinks = self.thinks
        return copy

    def push(self, piece: Piece) -> Verdict | None:
        """Read a piece."""
        if not piece.text:
            return self.tally.count_blank(piece)
        self.tally.count(piece)
        self.text += piece.text
        visible = self.text.lstrip()
        self.thinks = visible.startswith(self._open_tag)
        if self.thinks or not self._open_tag.startswith(visible):
            return Verdict(Ending.DECIDED)
        return Verdict(Ending.LIMIT) if self.tally.full else None
