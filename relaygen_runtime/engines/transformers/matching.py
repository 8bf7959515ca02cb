"""One tokenizer's place in a grammar, in step with the pieces of a generation.

Owns a matcher and how many pieces it has accepted: the own model's as tokens, the other's as text. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relaygen_runtime.engines.transformers.grammar import Grammar
from relaygen_runtime.engines.transformers.token_rows import Row, new_row

if TYPE_CHECKING:
    from xgrammar import GrammarMatcher

__all__ = ["Matching"]


class Matching:
    """A place in a grammar.

    Attributes:
        grammar: The grammar.
        matcher: Its matcher; whoever moves it moves it back.

    Args:
        grammar: The grammar.
        pieces: How many pieces stand before what the grammar holds.
    """

    def __init__(self, grammar: Grammar, pieces: int) -> None:
        self.grammar = grammar
        self.matcher: GrammarMatcher = grammar.matcher()
        # How many pieces were covered after each of the matcher's steps.
        self._marks = [pieces]
        self._row: tuple[Row | None] | None = None

    @property
    def covered(self) -> int:
        """How many pieces are accepted, those before the grammar included."""
        return self._marks[-1]

    def accept(self, token_id: int) -> bool:
        """Accept one piece as a token of this tokenizer; False: the grammar does not take it, and nothing changed."""
        if not self.matcher.accept_token(token_id):
            return False
        self._marks.append(self.covered + 1)
        self._row = None
        return True

    def cover(self, texts: Sequence[str]) -> bool:
        """Accept as text what was written since, given the texts of all pieces so far.

        Bytes of an unfinished character have no text, and stay to be covered with what completes it.
        """
        text = "".join(texts[self.covered :])
        if not text:
            return True
        if not self.matcher.accept_string(text):
            return False
        self._marks.append(len(texts))
        self._row = None
        return True

    def truncate(self, pieces: int) -> None:
        """Forget everything after the first `pieces` pieces; text that was covered in one go, as a whole."""
        steps = 0
        while len(self._marks) > 1 and self._marks[-1] > pieces:
            self._marks.pop()
            steps += 1
        if steps:
            self.matcher.rollback(steps)
            self._row = None

    def row(self) -> Row | None:
        """The tokens that may come next; None: all of them. Not to be changed."""
        if self._row is None:
            row = new_row(self.grammar.width)
            # Where all may come, special tokens may too: that is free text, as without a grammar.
            self._row = (row & ~self.grammar.banned if self.matcher.fill_next_token_bitmask(row) else None,)
        return self._row[0]

    @property
    def over(self) -> bool:
        """Nothing may come but the end."""
        if not self.matcher.is_completed():
            return False
        row = self.row()
        return row is not None and not (row & ~self.grammar.ends).any()
