"""The thinking so far, as far as scanners care: code and mathematics, the closing tag, the last stretch of text.

One stream runs through all segments of the thinking, whoever writes them, so that a formula or a tag that one model
begins and the other ends is seen whole. It decides nothing.
"""

from __future__ import annotations

from relaygen_runtime.cues.matcher import Automaton, automaton
from relaygen_runtime.policy.history import History
from relaygen_runtime.policy.surroundings import SPECIAL, Surroundings

__all__ = ["Stream"]


class Stream:
    """What is known of the text up to here.

    Attributes:
        around: Whether here is code or mathematics.
        history: The last stretch of text.
        shields: For each character of the text read last, whether it is shielded; None: all are as `around` says.

    Args:
        close_tag: The tag that ends the thinking.
    """

    __slots__ = ("_close", "_special", "_tag", "around", "history", "shields")

    def __init__(self, close_tag: str) -> None:
        self._close: Automaton = automaton((close_tag,))
        self._special = SPECIAL | self._close.first_characters
        self._tag = 0
        self.around = Surroundings()
        self.history = History()
        self.shields: list[bool] | None = None

    def fork(self) -> Stream:
        """One that stands at the same place."""
        copy = object.__new__(Stream)
        copy._close = self._close
        copy._special = self._special
        copy._tag = self._tag
        copy.around = self.around.fork()
        copy.history = self.history.fork()
        copy.shields = self.shields
        return copy

    @property
    def hold(self) -> int:
        """How many of the last characters may be the beginning of the closing tag."""
        return self._close.depth[self._tag]

    def read(self, text: str) -> int:
        """Read text, without adding it to the history (its reader still looks behind it).

        Returns:
            How many characters were read when the closing tag was complete; -1 if it was not.
        """
        if not self._tag and self.around.calm and self._special.isdisjoint(text):
            self.shields = None
            return -1
        self._tag, end, _ = self._close.find(self._tag, text)
        self.shields = self.around.push(text)
        return end
