"""Plain decoding: one model, one token at a time.

Owns the loop, and the measured seconds per token of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import torch

from relaygen_runtime.engines.base import Chunk, Run
from relaygen_runtime.engines.transformers.generation import Generation
from relaygen_runtime.engines.transformers.noise import Purpose
from relaygen_runtime.vocabulary import Role, Stop

__all__ = ["write_plain"]


def write_plain(generation: Generation, run: Run, note_seconds: Callable[[float], None]) -> Iterator[Chunk]:
    """Let ``run.author`` write.

    Args:
        generation: What was written so far.
        run: The run.
        note_seconds: Told how long each token took, but for the first, which reads what came before.

    Yields:
        One chunk per token.
    """
    role = run.author
    half, track, ends = generation.halves[role], generation.tracks[role], generation.ends[role]
    purpose = Purpose.LARGE if role is Role.LARGE else Purpose.SMALL
    written = 0
    while True:
        began = perf_counter()
        if generation.room(role) < 1:
            yield Chunk((), Stop.CONTEXT)
            return
        logits = half.read(track.ids)
        with torch.inference_mode():
            token_id = int(generation.pick(role, logits, purpose)[0])
        generation.count(generated_tokens=1)
        if token_id in ends:
            yield Chunk((), Stop.EOS)
            return
        piece = generation.append(role, token_id, track)
        written += 1
        if written > 1:
            note_seconds(perf_counter() - began)
        if written == run.max_tokens:
            yield Chunk((piece,), Stop.MAX_TOKENS)
            return
        yield Chunk((piece,))
