"""The grammar of one answer, from its first token to its end.

Owns where the answer begins, which tokens may come next, and a way out: tokens that would complete it, which always fit
into what is left. The place in the grammar is the answer's, whoever writes: a model that takes over finds it where the
other left it. Nothing here holds the thinking.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from relaygen_runtime.engines.base import Run
from relaygen_runtime.engines.transformers.grammar import Grammar
from relaygen_runtime.engines.transformers.matching import Matching
from relaygen_runtime.engines.transformers.open_tag import OpenTag
from relaygen_runtime.engines.transformers.token_rows import Row
from relaygen_runtime.errors import EngineError
from relaygen_runtime.vocabulary import Phase, Piece, Role

__all__ = ["AnswerGrammar"]

_log = logging.getLogger(__name__)
_REACH: Final = 8
_CLOSING: Final = 16


class AnswerGrammar:
    """What holds one answer.

    Attributes:
        way_out: Tokens that would complete the answer as it stands; None where none were found.
        way_role: Whose tokens they are.

    Args:
        grammars: One for each model; the same object where the tokenizer is shared.
        opening: From a model and an opening tag to the grammar of texts that begin with the tag.
    """

    def __init__(self, grammars: Mapping[Role, Grammar], opening: Callable[[Role, str], Grammar]) -> None:
        self._grammars = dict(grammars)
        self._opening = opening
        self._matchings: dict[Role, Matching] = {}
        self._pieces = 0
        self._start = 0
        self._tag: OpenTag | None = None
        self.way_out: list[int] | None = None
        self.way_role = Role.LARGE

    @property
    def shortest(self) -> int:
        """Tokens of the shortest answer, in the tokens of the model that needs more."""
        return max(len(grammar.shortest) for grammar in self._grammars.values())

    @property
    def holds(self) -> bool:
        """The answer has begun, or may have."""
        return bool(self._matchings) and not (self._tag is not None and self._tag.thinks)

    def begin_run(self, run: Run, pieces: Sequence[Piece]) -> None:
        """A run begins: see whether it writes the answer, and bring its author to where the answer stands."""
        if run.phase is Phase.THINKING and not run.opening:
            self.leave()
            return
        if not self.holds:
            self._begin(run, len(pieces))
        elif run.phase is Phase.ANSWER:
            self._tag = None
        matching = self._matchings[run.author]
        if not matching.cover([piece.text for piece in pieces]) and self._tag is None:
            raise EngineError("the answer so far can't be read by the other model's grammar; please report this")
        self._find_way(run.author, run.left or run.max_tokens)

    def leave(self) -> None:
        """What follows is no part of an answer."""
        self._matchings = {}
        self._tag = None

    def append(self, piece: Piece, role: Role) -> None:
        """A token was written.

        Raises:
            EngineError: The grammar does not take it.
        """
        if not self._matchings or piece.token_id is None:
            return
        matching = self._matchings[role]
        self._pieces += 1
        takes = matching.covered == self._pieces - 1 and matching.accept(piece.token_id)
        tag = self._tag is not None and self._tag.accept(piece.token_id, piece.text)
        if not takes and not tag:
            self._pieces -= 1
            raise EngineError(f"token {piece.token_id} ({piece.text!r}) is none that the answer's grammar takes")

    def truncate(self, pieces: int) -> None:
        """Only the first `pieces` pieces stand."""
        if not self._matchings or pieces >= self._pieces:
            return
        if pieces < self._start:
            self.leave()
            return
        self._pieces = pieces
        for matching in self._matchings.values():
            matching.truncate(pieces)
        if self._tag is not None:
            self._tag.truncate(pieces)

    def row(self, role: Role) -> Row | None:
        """The tokens that `role` may write next; None: all.

        Raises:
            EngineError: There are none.
        """
        if not self.holds:
            return None
        matching = self._matchings[role]
        rows = [matching.row()] if matching.covered == self._pieces else []
        if self._tag is not None and self._tag.possible(self._pieces):
            rows.append(self._tag.row())
        known = [row for row in rows if row is not None]
        if len(known) < len(rows):
            return None
        row = known[0] if len(known) == 1 else known[0] | known[1]
        if not row.any():
            raise EngineError("no token continues the answer: the vocabulary lacks what its grammar needs")
        return row

    def over(self, role: Role) -> bool:
        """The answer is complete, and nothing but its end can follow."""
        if not self.holds or (self._tag is not None and self._tag.possible(self._pieces)):
            return False
        return self._matchings[role].over

    def standing(self, role: Role, fresh: Sequence[Piece], left: int) -> int:
        """How many of the last pieces can stand: after each of them the answer must be completable in what is left.

        Where it is fewer than all of them, the others have to be taken back, and the way out fits.

        Args:
            role: Who wrote them.
            fresh: The last pieces.
            left: How many tokens were left before them.
        """
        if not self.holds or self.way_out is None or self._matchings[role].covered != self._pieces:
            return len(fresh)
        matching = self._matchings[role]
        if len(fresh) > 1:
            matching.truncate(self._pieces - len(fresh))
        for number, piece in enumerate(fresh, 1):
            if len(fresh) > 1 and piece.token_id is not None:
                matching.accept(piece.token_id)
            way = self._way_from(matching, left - number)
            if way is None:
                return number - 1
            self.way_out = way
        return len(fresh)

    def _begin(self, run: Run, pieces: int) -> None:
        shared = len({id(grammar) for grammar in self._grammars.values()}) == 1
        first = Matching(self._grammars[Role.LARGE], pieces)
        self._matchings = {
            role: first if shared or role is Role.LARGE else Matching(grammar, pieces)
            for role, grammar in self._grammars.items()
        }
        self._start = self._pieces = pieces
        self._tag = None
        # Thinking has to be closed again before the answer: without room for both it is not begun.
        room = (run.left or run.max_tokens) - len(self._grammars[run.author].shortest)
        if run.opening and run.open_tag and room >= 2 * len(run.open_tag) + _CLOSING:
            self._tag = OpenTag(self._opening(run.author, run.open_tag), run.open_tag, pieces)
        self.way_out, self.way_role = list(self._grammars[run.author].shortest), run.author

    def _find_way(self, role: Role, left: int) -> None:
        """Have a way out from here that fits: one in the author's tokens, or the one known."""
        matching = self._matchings[role]
        if matching.covered != self._pieces:
            return
        way = self._way_from(matching, left, reach=left)
        if way is not None:
            self.way_out, self.way_role = way, role
        elif self.way_out is None or len(self.way_out) > left:
            self.way_out = None
            _log.warning("an answer of the form asked for needs more than the %s tokens that are left", left)

    def _way_from(self, matching: Matching, left: int, reach: int = _REACH) -> list[int] | None:
        closer, known = matching.grammar.closer, self.way_out or []
        # The way known before is mostly still one, but for tokens at its beginning that were written since.
        for written in range(min(len(known), reach) + 1):
            if len(known) - written <= left and closer.fits(matching.matcher, known[written:]):
                return known[written:]
        way = closer.quick(matching.matcher, left)
        return way if way is not None else closer.shortest(matching.matcher, left)
