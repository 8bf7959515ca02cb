"""Looks ahead of a run without moving it: would these pieces be cut, and where?"""

from __future__ import annotations

from relaygen_runtime.policy.reader import Reader
from relaygen_runtime.policy.verdict import Ending
from relaygen_runtime.vocabulary import Piece

__all__ = ["Probe"]


class Probe:
    """A copy of a run's reader that drafts are tried on.

    Attributes:
        kept: How many of the pieces pushed would be kept, once a cut was met.

    Args:
        reader: The reader to copy; it is left as it is.
    """

    __slots__ = ("_count", "_reader", "kept")

    def __init__(self, reader: Reader) -> None:
        self._reader: Reader | None = reader.fork()
        self._count = 0
        self.kept: int | None = None

    def push(self, piece: Piece) -> bool:
        """Try the next piece; True: the policy would cut after it, or had before."""
        if self._reader is None:
            return self.kept is not None
        self._count += 1
        verdict = self._reader.push(piece)
        if verdict is None:
            return False
        self._reader = None
        if verdict.ending is Ending.DECIDED:
            # Whether it thinks was open until here; what comes then, another reader would have to say.
            return False
        self.kept = max(0, self._count - verdict.drop)
        return True
