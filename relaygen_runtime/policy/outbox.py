"""Outputs on their way out: the end of the text may have to wait, be hidden, or turn out to be a tag."""

from __future__ import annotations

from dataclasses import replace

from relaygen_runtime.policy.steps import Output, Text

__all__ = ["Outbox"]


class Outbox:
    """Outputs in order, not yet handed out."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[Output] = []

    def put(self, output: Output) -> None:
        """Append an output."""
        self._waiting.append(output)

    def hide(self, characters: int) -> None:
        """Take back the last characters of the text."""
        self._split(characters)
        for at in range(len(self._waiting) - 1, -1, -1):
            if characters <= 0:
                break
            output = self._waiting[at]
            if isinstance(output, Text):
                characters -= len(output.text)
                del self._waiting[at]

    def mark(self, characters: int) -> None:
        """Make markup of the last characters of the text."""
        self._split(characters)
        for at in range(len(self._waiting) - 1, -1, -1):
            if characters <= 0:
                break
            output = self._waiting[at]
            if isinstance(output, Text):
                characters -= len(output.text)
                self._waiting[at] = replace(output, markup=True)

    def take(self, hold: int) -> tuple[Output, ...]:
        """Hand out everything up to the last `hold` characters; those and what came after them wait."""
        if not hold:
            out = tuple(self._waiting)
            self._waiting.clear()
            return out
        at = self._split(hold)
        out = tuple(self._waiting[:at])
        del self._waiting[:at]
        return out

    def _split(self, characters: int) -> int:
        """Let an output begin with the last `characters` characters of the text; returns its place."""
        at = len(self._waiting)
        while characters > 0 and at > 0:
            at -= 1
            output = self._waiting[at]
            if isinstance(output, Text):
                characters -= len(output.text)
                if characters < 0:
                    text = output.text
                    halves = replace(output, text=text[:-characters]), replace(output, text=text[-characters:])
                    self._waiting[at : at + 1] = halves
                    return at + 1
        return at
