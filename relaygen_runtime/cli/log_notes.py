"""What the package logs while the command runs, as notes on stderr in the command's own voice.

Owns the handler, for as long as a command runs. Refuses other packages' logs: they are theirs to configure.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from relaygen_runtime.cli.terminal import Terminal

__all__ = ["log_notes"]


class _Notes(logging.Handler):
    """Writes records as notes."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self._terminal = terminal

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        self._terminal.note(record.getMessage())


@contextmanager
def log_notes(terminal: Terminal, *, debug: bool) -> Iterator[None]:
    """Show warnings of this package (with `debug`, everything) until the block ends."""
    logger = logging.getLogger("relaygen_runtime")
    handler, level = _Notes(terminal), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if debug else logging.WARNING)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
