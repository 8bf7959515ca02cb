"""The last stretch of the text, and whether it has begun to go round in circles.

A repetition loop is exact: the end of the text is one passage of at most `_LONGEST` characters, written at least
`_REPEATS` times over and filling at least so many characters as the caller asks for. That lies far beyond what honest
text holds (rules of equals signs, rows of zeros). It is looked for once every `_EVERY` characters, by string searches
in a window of fixed size, so that the cost per character is constant. Refuses to judge what is nearly a repetition.
"""

from __future__ import annotations

from typing import Final

__all__ = ["History"]

_REPEATS: Final = 4
_LONGEST: Final = 200
_EVERY: Final = 64
_WINDOW: Final = 1_024


class History:
    """Recent text of one phase, whoever wrote it.

    Attributes:
        due: The loop is worth looking for; `looping` resets it.
    """

    __slots__ = ("_fresh", "_parts", "_text", "due")

    def __init__(self) -> None:
        self._text = ""
        self._parts: list[str] = []
        self._fresh = 0
        self.due = False

    def fork(self) -> History:
        """One that holds the same text."""
        copy = History()
        copy._text = self._text
        copy._parts = self._parts.copy()
        copy._fresh = self._fresh
        copy.due = self.due
        return copy

    def add(self, text: str) -> None:
        """Append text."""
        self._parts.append(text)
        self._fresh += len(text)
        if self._fresh >= _EVERY:
            self._fresh = 0
            self._settle()
            self.due = True

    def tail(self, characters: int) -> str:
        """The last characters, fewer where the text is shorter."""
        if self._parts:
            self._settle()
        return self._text[-characters:] if characters else ""

    def looping(self, least: int, within: int) -> bool:
        """Whether the text's end repeats itself.

        Args:
            least: Fewest characters that the repetition must fill.
            within: How many of the last characters may be looked at.
        """
        self.due = False
        longest = min(_LONGEST, least // 3)
        window = self.tail(min(within, _WINDOW))
        if len(window) < least:
            return False
        # The last `longest` characters stand once more, one period earlier; of a repetition the nearest such place is
        # its shortest period, because the probe is at least one period long.
        probe = window[-longest:]
        at = window.rfind(probe, 0, len(window) - 1)
        period = len(window) - longest - at
        needed = max(_REPEATS * period, least)
        if at < 0 or period > longest or len(window) < needed:
            return False
        end = window[-needed:]
        return end[period:] == end[:-period]

    def _settle(self) -> None:
        self._text = (self._text + "".join(self._parts))[-_WINDOW:]
        self._parts.clear()
