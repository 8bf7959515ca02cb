"""One generation at a time, first come first served.

Owns the queue in front of a pair of models. `threading.Lock` would do, but it wakes whom it likes.
"""

from __future__ import annotations

import threading
from collections import deque

from relaygen_runtime.errors import CancelledWaitError

__all__ = ["Turnstile"]

_POLL_S = 0.05


class Turnstile:
    """A fair lock whose waiters can give up, and which any thread may open again."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    def enter(self, cancelled: threading.Event | None = None) -> object:
        """Wait for one's turn.

        Args:
            cancelled: Set by another thread to give up.

        Returns:
            A ticket for `leave`.

        Raises:
            CancelledWaitError: `cancelled` was set first.
        """
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            while self._queue[0] is not ticket:
                if cancelled is not None and cancelled.is_set():
                    self._queue.remove(ticket)
                    raise CancelledWaitError("the caller gave up while another generation held the models")
                self._changed.wait(None if cancelled is None else _POLL_S)
        return ticket

    def leave(self, ticket: object) -> None:
        """End one's turn, or leave the queue; harmless when repeated."""
        with self._changed:
            if ticket in self._queue:
                self._queue.remove(ticket)
                self._changed.notify_all()
