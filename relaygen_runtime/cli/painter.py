"""Paints a stream of events for a person: who wrote what, where it switched, thinking apart from the answer.

With colours, the author is the colour, thinking is dim and a switch cue stands out; without, ``[L]``, ``[S]``
and ``<<cue>>`` say the same. Owns the looks. Holds back as many characters as the longest cue has, because a
cue is known only once it stands there. Control characters of model output never reach the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from relaygen_runtime.events import RelayEvent, SegmentFinished, SegmentStarted, TextDelta, ThinkingFinished
from relaygen_runtime.ledger import LedgerEntry
from relaygen_runtime.vocabulary import Phase, Role

__all__ = ["CONTROL", "ROLE_STYLES", "Painter"]

ROLE_STYLES: dict[Role | None, str] = {Role.LARGE: "cyan", Role.SMALL: "yellow", None: "magenta"}
"""The colour of each author; None is text that no model wrote."""
_MARKS: dict[Role | None, str] = {Role.LARGE: "[L]", Role.SMALL: "[S]", None: "[+]"}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal would obey rather than show."""


class Painter:
    """A consumer of events that writes to a terminal or a file.

    Args:
        console: Where it writes.
        cues: The profile's cues.
        plain: Marks instead of colours.
    """

    def __init__(self, console: Console, cues: Sequence[str], *, plain: bool) -> None:
        self._console = console
        self._plain = plain
        self._hold = max((len(cue) for cue in cues), default=0)
        self._held = ""
        self._author: Role | None = None
        self._phase: Phase | None = None
        self._mark_due = False
        self._last = "\n"

    def show(self, event: RelayEvent) -> None:
        """Paint one event."""
        if isinstance(event, SegmentStarted):
            self._author = event.role
            self._mark_due = True
        elif isinstance(event, TextDelta):
            self._text(event)
        elif isinstance(event, SegmentFinished):
            self._finish(event.entry)
        elif isinstance(event, ThinkingFinished) and event.forced:
            self._note("thinking closed by force")

    def end(self) -> None:
        """Write what is held back, and end the last line."""
        self._release(len(self._held))
        if self._last != "\n":
            self._write("\n", "")

    def _text(self, event: TextDelta) -> None:
        if event.markup:
            return
        if event.phase is not self._phase:
            self._begin(event.phase)
        self._held += CONTROL.sub("\N{REPLACEMENT CHARACTER}", event.text)
        hold = self._hold if event.phase is Phase.THINKING and event.role is Role.LARGE else 0
        self._release(len(self._held) - hold)

    def _begin(self, phase: Phase) -> None:
        self.end()
        self._phase = phase
        self._mark_due = True
        self._write(f"--- {phase} ---\n", "bold")

    def _finish(self, entry: LedgerEntry) -> None:
        place = self._held.rfind(entry.cue) if entry.cue else -1
        if entry.cue and place >= 0:
            self._release(place)
            self._paint(f"<<{entry.cue}>>" if self._plain else entry.cue, "bold reverse")
            self._held = self._held[len(entry.cue) :]
        self._release(len(self._held))

    def _release(self, count: int) -> None:
        if count <= 0:
            return
        text, self._held = self._held[:count], self._held[count:]
        self._paint(text, "dim" if self._phase is Phase.THINKING else "bold")

    def _paint(self, text: str, style: str) -> None:
        if self._mark_due and self._plain and (body := text.lstrip()):
            self._mark_due = False
            lead = text[: len(text) - len(body)]
            gap = "" if lead or self._last.isspace() else " "
            text = f"{lead}{gap}{_MARKS[self._author]} {body}"
        self._write(text, f"{style} {ROLE_STYLES[self._author]}")

    def _note(self, text: str) -> None:
        self.end()
        self._write(f"({text})\n", "italic")

    def _write(self, text: str, style: str) -> None:
        self._console.print(Text(text, style=style), end="")
        self._console.file.flush()
        self._last = text[-1]
