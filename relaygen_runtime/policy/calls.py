"""Where the tool calls stand in an answer that is otherwise free.

Owns one question: is this character between a call's tags? It reads no call (`relaygen_runtime.answer` does).
"""

from __future__ import annotations

from relaygen_runtime.cues.matcher import Automaton, automaton

__all__ = ["Calls"]


class Calls:
    """A place in an answer.

    Attributes:
        inside: The next character is a call's.

    Args:
        tags: What opens and what closes a call.
    """

    __slots__ = ("_at", "_tags", "inside")

    def __init__(self, tags: tuple[str, str]) -> None:
        self.inside = False
        self._tags: tuple[Automaton, Automaton] = automaton((tags[0],)), automaton((tags[1],))
        self._at = 0

    def fork(self) -> Calls:
        """One that stands at the same place."""
        copy: Calls = object.__new__(Calls)
        copy.inside = self.inside
        copy._tags = self._tags
        copy._at = self._at
        return copy

    def split(self, text: str) -> list[tuple[str, bool]]:
        """Read text; return its parts in order, each with whether it stands inside a call.

        An opening tag still counts as outside, a closing tag as inside.
        """
        parts: list[tuple[str, bool]] = []
        while text:
            self._at, end, _ = self._tags[self.inside].find(self._at, text)
            if end < 0:
                parts.append((text, self.inside))
                return parts
            parts.append((text[:end], self.inside))
            self.inside = not self.inside
            self._at = 0
            text = text[end:]
        return parts
