"""How many tokens may still be written: in all, in the thinking, by one small segment, in each model's context.

Owns the sums over segments that are over. The segment being written is counted by its reader and passed in. It knows no
state and no text.
"""

from __future__ import annotations

import sys
from typing import Final

from relaygen_runtime.policy.reader import QUARTERS
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.vocabulary import Role, SwitchReason

__all__ = ["Budget"]

_SMALL_MARGIN: Final = 16
"""With less room than this the small model is not asked: a sentence would not fit."""


class Budget:
    """Tokens spent and left.

    Attributes:
        spent: Tokens of all segments that are over.
        thought: Those of them that belong to the thinking.
        small_full: The small model's context is full, whatever `Rules.small_room` says.

    Args:
        rules: The limits.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.spent = 0
        self.thought = 0
        self.small_full = False

    def book(self, tokens: int, *, thinking: bool) -> None:
        """Add a segment that is over (negative: take one back)."""
        self.spent += tokens
        if thinking:
            self.thought += tokens

    def left(self, current: int = 0) -> int:
        """Tokens left in all, less those of the segment being written."""
        return self._rules.max_tokens - self.spent - current

    def thinking_left(self, current: int = 0) -> int:
        """Tokens left for thinking."""
        return self._rules.max_thinking_tokens - self.thought - current

    def room(self, author: Role, current: int = 0) -> int:
        """Tokens that still fit the author's context."""
        room = self._rules.large_room if author is Role.LARGE else self._rules.small_room
        if author is Role.SMALL and self.small_full:
            return 0
        return sys.maxsize if room is None else room - self.spent - current

    @property
    def small_fits(self) -> bool:
        """The small model has room for a sentence."""
        return self.room(Role.SMALL) > _SMALL_MARGIN

    @property
    def cues_until(self) -> int:
        """At so many quarters of a token, written by the large model from here on, the small model is full."""
        room = self.room(Role.SMALL)
        return sys.maxsize if room == sys.maxsize else QUARTERS * (room - _SMALL_MARGIN)

    def allowance(self, author: Role, current: int, *, thinking: bool) -> int:
        """The most tokens that the author's next run may take; at least 1."""
        most = min(self.left(current), self.room(author, current))
        if thinking:
            most = min(most, self.thinking_left(current))
            if author is Role.SMALL:
                most = min(most, self._rules.max_small_tokens - current)
        return max(1, most)

    def exhausted(self, author: Role, current: int, *, thinking: bool) -> SwitchReason | None:
        """Which of the limits is reached; the first that leaves no choice."""
        if self.left(current) <= 0:
            return SwitchReason.MAX_TOKENS
        if thinking and self.thinking_left(current) <= 0:
            return SwitchReason.THINKING_BUDGET
        if thinking and author is Role.SMALL and current >= self._rules.max_small_tokens:
            return SwitchReason.MAX_SMALL_TOKENS
        if self.room(author, current) <= 0:
            return SwitchReason.CONTEXT
        return None
