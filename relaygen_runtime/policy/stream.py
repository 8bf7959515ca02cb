"""The thinking so far, as far as scanners care: code and mathematics, the closing tag, the last stretch of text.

One stream runs through all segments of the thinking, whoever writes them, so that a formula or a tag that one model
begins and the other ends is seen whole. It decides nothing.
"""

from __future__ import annotations

from typing import Final

from relaygen_runtime.cues.matcher import Automaton, automaton
from relaygen_runtime.policy.history import History
from relaygen_runtime.policy.surroundings import SPECIAL, Surroundings
from relaygen_runtime.policy.verdict import Ending, Verdict

__all__ = ["Stream"]

_BLANK: Final = 16
"""So much white space behind the closing tag stands, whatever holds the answer."""


class Stream:
    """What is known of the text up to here.

    Attributes:
        around: Whether here is code or mathematics.
        history: The last stretch of text.
        shields: For each character of the text read last, whether it is shielded; None: all are as `around` says.

    Args:
        close_tag: The tag that ends the thinking.
        strict: What follows the tag is held by a grammar, which must see it from its beginning.
    """

    __slots__ = ("_close", "_special", "_strict", "_tag", "around", "history", "shields")

    def __init__(self, close_tag: str, *, strict: bool = False) -> None:
        self._strict = strict
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
        copy._strict = self._strict
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

    def close(self, text: str, end: int) -> Verdict:
        """The verdict on text in which the closing tag is complete at `end`.

        An answer that begins in the tag's own token was written under no grammar: then the token is not kept, unless it
        goes on with nothing but a line's end or two.
        """
        rest = text[end:]
        stray = self._strict and bool(rest) and not (rest.isspace() and len(rest) <= _BLANK)
        return Verdict(Ending.CLOSE_TAG, keep=end, drop=int(stray))
