"""One generation on a pair that is held until it closes.

Owns the session protocol: it drives the plain or the drafted loop, notices that it was closed from another thread, and
turns a model's failure into an `EngineError`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from relaygen_runtime.engines.base import Chunk, Run, RunStats
from relaygen_runtime.engines.transformers.drafted import write_drafted
from relaygen_runtime.engines.transformers.generation import Generation
from relaygen_runtime.engines.transformers.plain import write_plain
from relaygen_runtime.errors import EngineError
from relaygen_runtime.vocabulary import Piece, Role

__all__ = ["TransformersSession"]


class TransformersSession:
    """See `relaygen_runtime.engines.base.Session`.

    Args:
        generation: The state.
        prompt_text: The rendered prompt.
        encode: From text to ids of the large model's tokenizer.
        busy: Held while a model runs.
        note_seconds: Told the seconds of each plainly decoded token of the large model.
        check: Called before each step; raises when the engine was closed.
        release: Called when the session ends.
    """

    def __init__(
        self,
        generation: Generation,
        prompt_text: str,
        *,
        encode: Callable[[str], list[int]],
        busy: threading.RLock,
        note_seconds: Callable[[float], None],
        check: Callable[[], None],
        release: Callable[[], None],
    ) -> None:
        self._generation = generation
        self._prompt_text = prompt_text
        self._prompt_tokens = len(generation.tracks[Role.LARGE].ids)
        self._encode = encode
        self._busy = busy
        self._note_seconds = note_seconds
        self._release = release
        self._closed = threading.Event()
        # Kept by the models between passes, so it must not keep the session alive.
        self._check_open = partial(_check_open, self._closed, check)

    @property
    def prompt_text(self) -> str:
        """The rendered prompt."""
        return self._prompt_text

    @property
    def prompt_tokens(self) -> int:
        """Its tokens."""
        return self._prompt_tokens

    @property
    def shortest_answer(self) -> int | None:
        """See `Session.shortest_answer`."""
        return None if self._generation.answer is None else self._generation.answer.shortest

    def write(self, run: Run) -> Iterator[Chunk]:
        """See `Session.write`.

        Raises:
            EngineError: The model failed, or the session is closed.
        """
        half = self._generation.halves[run.author]
        chunks: Iterator[Chunk] | None = None
        while True:
            with self._busy:
                self._check_open()
                passes = half.passes
                try:
                    if chunks is None:
                        chunks = self._start(run)
                    chunk = next(chunks, None)
                except RuntimeError as error:  # torch's out-of-memory is one of these
                    self._generation.distrust_caches()
                    raise EngineError(f"{half.network.name}: {error}") from error
                self._generation.count(forward_passes=half.passes - passes)
            if chunk is None:
                return
            yield chunk

    def _start(self, run: Run) -> Iterator[Chunk]:
        generation = self._generation
        for half in generation.halves.values():
            half.checkpoint = self._check_open
        generation.prepare(run.author)
        if generation.answer is not None:
            generation.answer.begin_run(run, generation.pieces)
        if run.finish:
            pieces, stop = generation.close_answer(run.max_tokens)
            return iter([Chunk(tuple(pieces), stop)])
        if run.author is Role.LARGE and generation.drafting is not None:
            generation.prepare(Role.SMALL, author=False)
            return write_drafted(generation, run, generation.drafting)
        return write_plain(generation, run, self._note_seconds if run.author is Role.LARGE else _ignore)

    def rollback(self, pieces: int) -> None:
        """See `Session.rollback`."""
        if pieces > 0:
            with self._busy:
                self._generation.truncate(len(self._generation.pieces) - pieces)

    def inject(self, text: str) -> Sequence[Piece]:
        """See `Session.inject`. The text becomes tokens as the large model's tokenizer cuts it."""
        track = self._generation.tracks[Role.LARGE]
        with self._busy:
            if self._generation.answer is not None:
                self._generation.answer.leave()
            track.cover([piece.text for piece in self._generation.pieces])
            return [self._generation.append(None, token_id, track) for token_id in self._encode(text)]

    def take_stats(self) -> RunStats:
        """See `Session.take_stats`."""
        stats, self._generation.stats = self._generation.stats, RunStats()
        return stats

    def close(self) -> None:
        """See `Session.close`: the models are free again when this returns."""
        self._closed.set()
        with self._busy:
            self._release()

    def __del__(self) -> None:
        # A session that was dropped without closing must not hold the pair for ever.
        if not self._closed.is_set():
            self.close()


def _ignore(_: float) -> None:
    """The small model's speed is not the baseline."""


def _check_open(closed: threading.Event, check_engine: Callable[[], None]) -> None:
    if closed.is_set():
        raise EngineError("the session is closed")
    check_engine()
