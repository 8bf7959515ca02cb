"""The state of one generation: what was written, by whom, and how the next token is drawn.

Owns the bookkeeping that plain and drafted decoding share. Runs no model by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from torch import Tensor

from relaygen_runtime.engines.base import RunStats
from relaygen_runtime.engines.transformers.answer_grammar import AnswerGrammar
from relaygen_runtime.engines.transformers.half import Half
from relaygen_runtime.engines.transformers.noise import Noise, Purpose
from relaygen_runtime.engines.transformers.sampling import Settings, distribution
from relaygen_runtime.engines.transformers.token_rows import mask
from relaygen_runtime.engines.transformers.track import Track
from relaygen_runtime.speculative import draw
from relaygen_runtime.vocabulary import Piece, Role, Stop

__all__ = ["Drafting", "Generation"]


@dataclass(frozen=True, slots=True)
class Drafting:
    """How far the small model drafts.

    Attributes:
        longest: The most tokens in one draft.
        confidence: A draft ends after a token whose model gave its best token less than this.
    """

    longest: int = 24
    confidence: float = 0.7


class Generation:
    """One generation.

    Args:
        halves: The two models.
        tracks: The sequence as each sees it; one object where the tokenizer is shared.
        ends: Ids that end a turn, for each.
        settings: How tokens are drawn.
        noise: Random numbers, for each (on its device).
        drafting: How large segments are drafted; None: not at all.
        answer: What the answer is held to; None: nothing.
    """

    def __init__(
        self,
        halves: Mapping[Role, Half],
        tracks: Mapping[Role, Track],
        ends: Mapping[Role, frozenset[int]],
        *,
        settings: Settings,
        noise: Mapping[Role, Noise],
        drafting: Drafting | None,
        answer: AnswerGrammar | None = None,
    ) -> None:
        self.halves = halves
        self.tracks = tracks
        self.ends = ends
        self.settings = settings
        self.noise = noise
        self.drafting = drafting
        self.answer = answer
        self.pieces: list[Piece] = []
        self.authors: list[Role | None] = []
        self.stats = RunStats()
        self._aligned: set[Role] = set()
        self._began: set[Role] = set()

    def prepare(self, role: Role, *, author: bool = True) -> None:
        """Bring a model's track and cache in line before a run, and count what it has to read.

        Args:
            role: The model.
            author: It writes the run (and does not just draft): what its cache saves is counted too.
        """
        track, half = self.tracks[role], self.halves[role]
        track.cover([piece.text for piece in self.pieces] if track is not self.tracks[role.other] else ())
        if role not in self._aligned:
            self._aligned.add(role)
            cached = min(half.align(track.ids), len(track.ids) - 1)
            self.count(cached_tokens=cached if author and role not in self._began else 0)
            self._began.add(role)
        missing = len(track.ids) - len(half.ids)
        if missing > 0:
            own = sum(who is role for who in self.authors[-missing:])
            self.count(prefilled_tokens=missing - own)

    def count(self, **more: int) -> None:
        """Add to the statistics."""
        self.stats = replace(self.stats, **{name: getattr(self.stats, name) + by for name, by in more.items()})

    def room(self, role: Role) -> int:
        """How many more tokens fit into a model's context."""
        context = self.halves[role].network.context
        return 2**31 if context is None else context - len(self.tracks[role].ids)

    def reads_late(self, role: Role) -> bool:
        """Whether a model's next pass is launched before the host has read the token that it is fed."""
        # Penalties and grammars live on the host, which must have read a token to follow it.
        return self.halves[role].reads_late and not self.tracks[role].penalties.active and self.holding is None

    @property
    def holding(self) -> AnswerGrammar | None:
        """The grammar, while it holds what is written."""
        return self.answer if self.answer is not None and self.answer.holds else None

    def shape(self, role: Role, logits: Tensor) -> Tensor:
        """Return logits of shape (1, vocabulary) with penalties, and without what the answer's grammar forbids."""
        logits = self.tracks[role].penalties.apply(logits)
        return logits if self.answer is None else mask(logits, [self.answer.row(role)])

    def spread(self, role: Role, logits: Tensor) -> Tensor:
        """Return the filtered distribution that `role` samples from, for logits of shape (1, vocabulary)."""
        return distribution(self.shape(role, logits), self.settings)

    def draw(self, role: Role, probabilities: Tensor, purpose: Purpose, *, ahead: int = 0) -> Tensor:
        """Draw a token.

        Args:
            role: Who writes.
            probabilities: Of shape (1, vocabulary).
            purpose: What the token is for.
            ahead: How many tokens that the host has not read stand between the track's last id and this token.

        Returns:
            The id, shape (1,).
        """
        position = len(self.tracks[role].ids) + ahead
        return draw(probabilities, self.noise[role].at(purpose, position))

    def distrust_caches(self) -> None:
        """A model failed in the middle of a pass: compare its cache with the sequence before it is used again."""
        self._aligned.clear()

    def append(self, role: Role | None, token_id: int, on: Track) -> Piece:
        """Append a token as a piece."""
        piece = Piece(on.write(token_id), token_id)
        self.pieces.append(piece)
        self.authors.append(role)
        if self.answer is not None and role is not None:
            self.answer.append(piece, role)
        return piece

    def close_answer(self, most: int) -> tuple[list[Piece], Stop]:
        """Bring the answer to its end, by the way out that its grammar knows, as far as `most` tokens go.

        The tokens count as written by the model whose they are, though no model was asked.
        """
        answer = self.answer
        if answer is None:
            return [], Stop.CLOSED
        way = answer.way_out or []
        track = self.tracks[answer.way_role]
        pieces = [self.append(answer.way_role, token_id, track) for token_id in way[:most]]
        self.count(generated_tokens=len(pieces))
        return pieces, Stop.CLOSED if len(way) <= most else Stop.MAX_TOKENS

    def truncate(self, pieces: int) -> None:
        """Keep the first `pieces` pieces; caches follow."""
        del self.pieces[pieces:]
        del self.authors[pieces:]
        for role, track in self.tracks.items():
            track.truncate(pieces)
            if role in self._aligned:
                self.halves[role].keep(len(track.ids))
        if self.answer is not None:
            self.answer.truncate(pieces)
