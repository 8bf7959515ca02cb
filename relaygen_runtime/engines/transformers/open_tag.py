"""An answer that may turn out to be thinking: the model may begin with the tag that opens it.

Owns the question whether it does. Asked only in a run whose prompt leaves it open.
"""

from __future__ import annotations

from relaygen_runtime.engines.transformers.grammar import Grammar
from relaygen_runtime.engines.transformers.matching import Matching
from relaygen_runtime.engines.transformers.token_rows import Row

__all__ = ["OpenTag"]


class OpenTag:
    """The beginning of a generation, as far as it may be an opening tag.

    Args:
        grammar: Of texts that begin with the tag.
        tag: The tag.
        pieces: How many pieces stand before.
    """

    def __init__(self, grammar: Grammar, tag: str, pieces: int) -> None:
        self._matching = Matching(grammar, pieces)
        self._tag = tag
        self._start = pieces
        self._texts: list[str] = []
        self._thinks_from: int | None = None

    @property
    def thinks(self) -> bool:
        """The tag is complete: what follows is thinking."""
        return self._thinks_from is not None

    def possible(self, pieces: int) -> bool:
        """So many pieces may still be the beginning of the tag."""
        return self._matching.covered == pieces

    def accept(self, token_id: int, text: str) -> bool:
        """Read a piece; False: this is no opening tag."""
        if self.thinks:
            return True
        if len(self._texts) + self._start != self._matching.covered or not self._matching.accept(token_id):
            return False
        self._texts.append(text)
        if "".join(self._texts).lstrip().startswith(self._tag):
            self._thinks_from = self._matching.covered
        return True

    def truncate(self, pieces: int) -> None:
        """Forget everything after the first `pieces` pieces."""
        if self._thinks_from is not None and pieces < self._thinks_from:
            self._thinks_from = None
        self._matching.truncate(pieces)
        del self._texts[max(0, pieces - self._start) :]

    def row(self) -> Row | None:
        """The tokens that may come next if it is one; None: all."""
        return self._matching.row()
