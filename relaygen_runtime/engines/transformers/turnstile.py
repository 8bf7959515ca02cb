"""One generation at a time, first come first served.

Owns the queue in front of a pair of models. `threading.Lock` would do, but it wakes whom it likes.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass, field

from relaygen_runtime.errors import CancelledWaitError

__all__ = ["Turnstile"]

_POLL_S = 0.05
_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Ticket:
    """A place in the line, and the thread that took it."""

    thread: int = field(default_factory=threading.get_ident)


class Turnstile:
    """A fair lock whose waiters can give up, and which any thread may open again."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[_Ticket] = deque()

    def enter(self, cancelled: threading.Event | None = None) -> object:
        """Wait for one's turn.

        Args:
            cancelled: Set by another thread to give up.

        Returns:
            A ticket for `leave`.

        Raises:
            CancelledWaitError: `cancelled` was set first.
        """
        ticket = _Ticket()
        with self._changed:
            if any(ahead.thread == ticket.thread for ahead in self._queue):
                # Another thread may be reading that stream on, so this is no error; if none is, it is a deadlock.
                _log.warning(
                    "this thread waits for a generation that it began itself: a pair serves one at a time; "
                    "finish or close the earlier stream first"
                )
            self._queue.append(ticket)
            try:
                while self._queue[0] is not ticket:
                    if cancelled is not None and cancelled.is_set():
                        raise CancelledWaitError("the caller gave up while another generation held the models")
                    self._changed.wait(None if cancelled is None else _POLL_S)
            except BaseException:
                # Given up, or Ctrl-C while waiting: a ticket that nobody holds would block the line for ever.
                self._queue.remove(ticket)
                self._changed.notify_all()
                raise
        return ticket

    def leave(self, ticket: object) -> None:
        """End one's turn, or leave the queue; harmless when repeated."""
        with self._changed:
            if isinstance(ticket, _Ticket) and ticket in self._queue:
                self._queue.remove(ticket)
                self._changed.notify_all()
