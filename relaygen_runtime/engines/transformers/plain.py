"""Plain decoding: one model, one token at a time.

Owns the loop, and the measured seconds per token of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import NamedTuple

import torch
from torch import Tensor

from relaygen_runtime.engines.base import Chunk, Run
from relaygen_runtime.engines.transformers.generation import Generation
from relaygen_runtime.engines.transformers.late_value import LateValue
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
    late, holding = generation.reads_late(role), generation.holding
    left, written = run.left or run.max_tokens, 0
    began = perf_counter()
    try:
        following: _Sampled | None = None
        while (room := generation.room(role)) > 0:
            if holding is not None and holding.over(role):
                yield Chunk((), Stop.EOS)
                return
            sampled = following or _sample(generation, role, half.read(track.ids))
            following = None
            if late and written + 1 < run.max_tokens and room > 1:
                # The next pass is launched before this token's id is read: the device never waits for the host.
                following = _sample(generation, role, half.step(sampled.token), ahead=1)
            token_id = int(sampled.on_its_way.wait()[0])
            if following is not None:
                half.name_last(token_id)
            generation.count(generated_tokens=1)
            if token_id in ends:
                yield Chunk((), Stop.EOS)
                return
            piece = generation.append(role, token_id, track)
            if holding is not None and not holding.standing(role, [piece], left - written):
                generation.truncate(len(generation.pieces) - 1)
                closing, stop = generation.close_answer(run.max_tokens - written)
                yield Chunk(tuple(closing), stop)
                return
            written += 1
            if written > 1:
                note_seconds(perf_counter() - began)
            if written == run.max_tokens:
                yield Chunk((piece,), Stop.MAX_TOKENS)
                return
            yield Chunk((piece,))
            began = perf_counter()
        yield Chunk((), Stop.CONTEXT)
    finally:
        half.keep(len(track.ids))  # what was launched and not wanted


class _Sampled(NamedTuple):
    """A token on the device, and on its way to the host."""

    token: Tensor
    on_its_way: LateValue


def _sample(generation: Generation, role: Role, logits: Tensor, *, ahead: int = 0) -> _Sampled:
    purpose = Purpose.LARGE if role is Role.LARGE else Purpose.SMALL
    with torch.inference_mode():
        if generation.settings.greedy:
            token = generation.shape(role, logits).argmax(-1)
        else:
            token = generation.draw(role, generation.spread(role, logits), purpose, ahead=ahead)
        return _Sampled(token, LateValue(token))
