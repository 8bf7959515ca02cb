"""The two streams of the command: results on stdout, everything else on stderr.

Owns the decision whether to use colour (never without a terminal, never under ``NO_COLOR`` or ``TERM=dumb``),
and how errors and notes look. Refuses to write model text to stderr or progress to stdout.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Self, TextIO

from rich.console import Console

__all__ = ["Terminal"]

_FILE_WIDTH = 200


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where the command writes.

    Attributes:
        out: Results.
        err: Progress, notes and errors.
        plain: No colour on stdout: what colours would say is written as marks.
    """

    out: Console
    err: Console
    plain: bool

    @classmethod
    def of(cls, *, no_color: bool) -> Self:
        """The process's own streams, as they are now."""
        out = _console(sys.stdout, no_color)
        return cls(out=out, err=_console(sys.stderr, no_color), plain=out.color_system is None)

    @property
    def interactive(self) -> bool:
        """A person types on standard input."""
        return sys.stdin is not None and sys.stdin.isatty()

    def say(self, text: str) -> None:
        """One line of information."""
        self.err.print(f"relaygen: {text}")

    def error(self, text: str) -> None:
        """One line that says what went wrong."""
        self.err.print(f"relaygen: error: {text}")

    def note(self, text: str) -> None:
        """One line about something out of the ordinary."""
        self.err.print(f"relaygen: note: {text}")

    def write_line(self, text: str) -> None:
        """One line of data on stdout, exactly as it is, at once."""
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def reset(self) -> None:
        """Leave no colour behind after an interruption, and end the line that was being written."""
        if self.out.is_terminal:
            sys.stdout.write("\n" if self.plain else "\x1b[0m\n")
            sys.stdout.flush()


def _console(stream: TextIO, no_color: bool) -> Console:
    uncoloured = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb" or not stream.isatty()
    return Console(
        file=stream,
        color_system=None if uncoloured else "auto",
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=True,
        # A file has no width: tables keep their words there.
        width=None if stream.isatty() else _FILE_WIDTH,
    )
