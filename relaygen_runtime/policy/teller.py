"""Tells what happens: numbers the segments, opens each with its first text, and keeps tags apart from text for readers.

What may still change waits in the outbox. It decides nothing; the course of the generation calls it.
"""

from __future__ import annotations

from relaygen_runtime.policy.outbox import Outbox
from relaygen_runtime.policy.steps import Closed, Opened, Output, Text, ThinkingEnded
from relaygen_runtime.vocabulary import Phase, Role, SwitchReason

__all__ = ["Teller"]


class Teller:
    """Turns text and endings into outputs.

    Attributes:
        segment: Number of the segment that is open, or that opens with the next text.
        is_open: A segment is open.
        author: Who writes; None: the text is injected.
        phase: The phase of the next text.

    Args:
        close_tag: The tag that ends the thinking.
    """

    __slots__ = ("_close_tag", "_leading", "_outbox", "_put", "author", "is_open", "phase", "segment")

    def __init__(self, close_tag: str) -> None:
        self.segment = 0
        self.is_open = False
        self.author: Role | None = Role.LARGE
        self.phase = Phase.THINKING
        self._close_tag = close_tag
        self._outbox = Outbox()
        self._put = self._outbox.put
        # Nothing visible was written in this phase yet: white space is not for a reader.
        self._leading = True

    def say(self, text: str) -> None:
        """Tell text."""
        if not text:
            return
        if self._leading:
            body = text.lstrip()
            self.say_markup(text[: len(text) - len(body)])
            if not body:
                return
            self._leading = False
            text = body
        if not self.is_open:
            self._open()
        self._put(Text(self.segment, self.author, self.phase, text))

    def say_markup(self, text: str) -> None:
        """Tell text that is not for a reader."""
        if text:
            if not self.is_open:
                self._open()
            self._put(Text(self.segment, self.author, self.phase, text, markup=True))

    def _open(self) -> None:
        self.is_open = True
        self._put(Opened(self.segment, self.author, self.phase))

    def close_tag_complete(self) -> None:
        """The text told last ends with the closing tag; what follows is the answer's."""
        self._outbox.mark(len(self._close_tag))
        self.begin_answer()

    def close_tag_begun(self, characters: int) -> None:
        """The last characters told are the beginning of a closing tag, the rest of which is injected."""
        self._outbox.mark(characters)

    def begin_answer(self) -> None:
        """What follows is the answer's."""
        self.phase = Phase.ANSWER
        self._leading = True

    def close(self, reason: SwitchReason, tokens: int, cue: str | None = None) -> None:
        """The segment is over; one that never opened is not mentioned."""
        if self.is_open:
            self._put(Closed(self.segment, reason, tokens, cue))
            self.is_open = False
            self.segment += 1

    def inject(self, text: str, tokens: int) -> None:
        """Tell the injected closing tag, a segment of its own."""
        self.author = None
        self.say_markup(text)
        self.close(SwitchReason.INJECTED, tokens)
        self.begin_answer()

    def thinking_ended(self, *, forced: bool, tokens: int) -> None:
        """The thinking is over."""
        self._put(ThinkingEnded(forced, tokens))

    def hide(self, characters: int) -> None:
        """The last characters told, which are still waiting, are not to be told."""
        if characters:
            self._outbox.hide(characters)

    def take(self, hold: int) -> tuple[Output, ...]:
        """Hand out what is certain: all but the last `hold` characters and what comes after them."""
        return self._outbox.take(hold)
