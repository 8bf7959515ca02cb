"""Who would write which token of a given text, were it relayed.

Owns a dry run: the real `Relay` with its real policy over the text, without any model. It tells at which places the
small model writes, the ones that it only looks ahead at included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from relaygen_runtime import Relay, ScriptedEngine
from relaygen_runtime.engines.base import Chunk, GenerationRequest, Run, RunStats, Session
from relaygen_runtime.ledger import Ledger
from relaygen_runtime.vocabulary import Piece, Role

__all__ = ["Authors", "authors_of"]


@dataclass(frozen=True, slots=True)
class Authors:
    """What a dry run found.

    Attributes:
        small: Numbers of the tokens that the small model samples as an author, whether they stand or are dropped.
        ledger: The dry run's ledger: who wrote how much, and how often the author changed.
    """

    small: frozenset[int]
    ledger: Ledger


def authors_of(pieces: Sequence[str], profile: str, **options: Any) -> Authors:
    """Relay a text without models.

    Args:
        pieces: The text, token by token.
        profile: The cue profile.
        **options: Options of `Relay.generate`, the same as the measured runs'.
    """
    engine = _WatchedEngine(pieces)
    ledger = Relay(engine, profile).generate("anything", **options).ledger
    return Authors(frozenset(engine.small), ledger)


class _WatchedEngine(ScriptedEngine):
    """A scripted engine that notes where the small model writes."""

    def __init__(self, pieces: Sequence[str]) -> None:
        super().__init__(trace="".join(pieces), split=lambda text: list(pieces) if text else [])
        self.small: set[int] = set()

    def open(self, request: GenerationRequest, *, cancelled: Event | None = None) -> Session:
        return _WatchedSession(super().open(request, cancelled=cancelled), self.small)


@dataclass(slots=True)
class _WatchedSession:
    inner: Session
    small: set[int]
    place: int = field(default=0)

    @property
    def prompt_text(self) -> str:
        return self.inner.prompt_text

    @property
    def prompt_tokens(self) -> int | None:
        return self.inner.prompt_tokens

    @property
    def shortest_answer(self) -> int | None:
        return self.inner.shortest_answer

    def write(self, run: Run) -> Iterator[Chunk]:
        for chunk in self.inner.write(run):
            after = self.place + len(chunk.pieces)
            if run.author is Role.SMALL:
                self.small.update(range(self.place, after))
            self.place = after
            yield chunk

    def rollback(self, pieces: int) -> None:
        self.place -= pieces
        self.inner.rollback(pieces)

    def inject(self, text: str) -> Sequence[Piece]:
        raise RuntimeError(f"nothing may be injected into a forced text, but {text!r} was: give it more room")

    def take_stats(self) -> RunStats:
        return self.inner.take_stats()

    def close(self) -> None:
        self.inner.close()
