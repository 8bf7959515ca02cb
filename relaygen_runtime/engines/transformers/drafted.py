"""Drafted decoding: the small model writes ahead, the large one checks, all in one pass.

Owns the round. The large model reads what the small one wrote in its own segment *and* the new draft in the same
forward pass, so a handoff to it costs no pass of its own. Which tokens stand is decided in
`relaygen_runtime.speculative`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from relaygen_runtime.engines.base import Chunk, Run
from relaygen_runtime.engines.transformers.generation import Drafting, Generation
from relaygen_runtime.engines.transformers.late_value import LateValue
from relaygen_runtime.engines.transformers.noise import Purpose
from relaygen_runtime.engines.transformers.sampling import distribution
from relaygen_runtime.speculative import Verdict, accept_greedy, accept_sampled
from relaygen_runtime.vocabulary import Piece, Role, Stop

__all__ = ["write_drafted"]

_log = logging.getLogger(__name__)


def write_drafted(generation: Generation, run: Run, drafting: Drafting) -> Iterator[Chunk]:
    """Let the large model write, the small one drafting.

    Args:
        generation: What was written so far; both models share its track.
        run: A run of the large model.
        drafting: How far to draft.

    Yields:
        One chunk per round: the accepted drafts and the large model's own token after them.
    """
    track, ends = generation.tracks[Role.LARGE], generation.ends[Role.LARGE]
    written, lost = 0, False
    while True:
        room = generation.room(Role.LARGE)
        if room < 1:
            yield Chunk((), Stop.CONTEXT)
            return
        base = len(generation.pieces)
        # The round ends with a token of the large model's own, so the draft is one shorter than what may be written.
        longest = min(drafting.longest, run.max_tokens - written - 1, room - 1, generation.room(Role.SMALL))
        try:
            ids, proposals = ([], []) if lost else _draft(generation, run, longest, drafting.confidence)
        except RuntimeError as error:
            # A draft is a favour: without the small model the large one writes the same, more slowly.
            _log.warning("%s: %s; nothing more is drafted", generation.halves[Role.SMALL].network.name, error)
            generation.truncate(base)
            generation.drafting, lost = None, True
            ids, proposals = [], []
        verdict = _verify(generation, ids, proposals)
        generation.truncate(base + verdict.accepted)
        generation.count(
            generated_tokens=verdict.accepted + 1, drafted_tokens=len(ids), accepted_tokens=verdict.accepted
        )
        chosen = [*ids[: verdict.accepted], verdict.token]
        end = next((place for place, token_id in enumerate(chosen) if token_id in ends), None)
        if end is not None:
            generation.truncate(base + end)
            yield Chunk(tuple(generation.pieces[base:]), Stop.EOS)
            return
        pieces = generation.pieces[base:]
        pieces.append(generation.append(Role.LARGE, verdict.token, track))
        written += len(pieces)
        if written >= run.max_tokens:
            yield Chunk(tuple(pieces), Stop.MAX_TOKENS)
            return
        yield Chunk(tuple(pieces))


class _Draft(NamedTuple):
    """A drafted token on the device; its id and how sure the small model was are on their way to the host."""

    token: Tensor
    proposal: Tensor | None
    on_its_way: LateValue


def _draft(generation: Generation, run: Run, longest: int, confidence: float) -> tuple[list[int], list[Tensor]]:
    """Write ahead with the small model, onto the track; return the ids, and what each was drawn from."""
    half, track, ends = generation.halves[Role.SMALL], generation.tracks[Role.SMALL], generation.ends[Role.LARGE]
    late = generation.reads_late(Role.SMALL)
    ids: list[int] = []
    proposals: list[Tensor] = []
    pieces: list[Piece] = []
    following: _Draft | None = None
    sure = True
    while sure and len(ids) < longest:
        draft = following or _sample(generation, half.read(track.ids))
        following = None
        if late and len(ids) + 1 < longest:
            following = _sample(generation, half.step(draft.token), ahead=1)
        number, top = draft.on_its_way.wait()
        token_id, sure = int(number), top >= confidence
        if following is not None:
            half.name_last(token_id)
        ids.append(token_id)
        pieces.append(generation.append(Role.LARGE, token_id, track))
        if draft.proposal is not None:
            proposals.append(draft.proposal)
        if token_id in ends:
            break
        if run.would_cut is not None and (cut := run.would_cut(pieces)) is not None:
            # What follows a cue is the small model's own business: nothing to verify there.
            del ids[cut:], proposals[cut:]
            generation.truncate(len(generation.pieces) - len(pieces) + cut)
            break
    return ids, proposals


def _sample(generation: Generation, logits: Tensor, *, ahead: int = 0) -> _Draft:
    """Draw a draft; how sure the model is goes by its own distribution, or the filtered one when sampling."""
    with torch.inference_mode():
        if generation.settings.greedy:
            logits = generation.tracks[Role.SMALL].penalties.apply(logits)
            top, token = logits.float().softmax(-1).max(-1)
            proposal: Tensor | None = None
        else:
            proposal = generation.spread(Role.SMALL, logits)
            token = generation.draw(Role.SMALL, proposal, Purpose.DRAFT, ahead=ahead)
            top = proposal.amax(-1)
        # One small tensor for both numbers: ids are exact in double precision.
        return _Draft(token, proposal, LateValue(torch.stack([token.double(), top.double()])))


def _verify(generation: Generation, ids: list[int], proposals: list[Tensor]) -> Verdict:
    """Let the large model read all that it has not seen, and judge the draft at the track's end."""
    half, track = generation.halves[Role.LARGE], generation.tracks[Role.LARGE]
    logits = half.read(track.ids, len(ids) + 1)
    with torch.inference_mode():
        logits = _penalised(generation, logits, ids)
        draft = torch.tensor(ids, dtype=torch.long, device=logits.device)
        if generation.settings.greedy:
            return Verdict(*accept_greedy(logits, draft).tolist())
        target = distribution(logits, generation.settings)
        start = len(track.ids) - len(ids)
        noise = generation.noise[Role.LARGE]
        proposal = torch.cat(proposals).to(logits.device) if proposals else target[:0]
        verdict = accept_sampled(
            target,
            proposal,
            draft,
            noise.at(Purpose.TEST, start, len(ids)),
            noise.at(Purpose.LARGE, start, len(ids) + 1),
        )
        return Verdict(*verdict.tolist())


def _penalised(generation: Generation, logits: Tensor, ids: list[int]) -> Tensor:
    penalties = generation.tracks[Role.LARGE].penalties
    if not penalties.active:
        return logits
    # The track counts the draft already: take it out, so that each row sees only what stands before it.
    for token_id in ids:
        penalties.remove(token_id)
    logits = penalties.apply(logits, ids)
    for token_id in ids:
        penalties.add(token_id)
    return logits
