"""Drafted decoding: the small model writes ahead, the large one checks, all in one pass.

Owns the round. The large model reads what the small one wrote in its own segment *and* the new draft in the same
forward pass, so a handoff to it costs no pass of its own. Which tokens stand is decided in
`relaygen_runtime.speculative`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from relaygen_runtime.engines.base import Chunk, Run
from relaygen_runtime.engines.transformers.generation import Drafting, Generation
from relaygen_runtime.engines.transformers.late_value import LateValue
from relaygen_runtime.engines.transformers.noise import Purpose
from relaygen_runtime.engines.transformers.sampling import distribution
from relaygen_runtime.engines.transformers.token_rows import Row, mask
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
    holding, left, written, lost = generation.holding, run.left or run.max_tokens, 0, False
    while True:
        room = generation.room(Role.LARGE)
        over = holding is not None and holding.over(Role.LARGE)
        if room < 1 or over:
            yield Chunk((), Stop.EOS if over else Stop.CONTEXT)
            return
        base = len(generation.pieces)
        # The round ends with a token of the large model's own, so the draft is one shorter than what may be written.
        longest = min(drafting.longest, run.max_tokens - written - 1, room - 1, generation.room(Role.SMALL))
        try:
            draft = _Draft() if lost else _write_ahead(generation, run, longest, drafting.confidence)
        except RuntimeError as error:
            # A draft is a favour: without the small model the large one writes the same, more slowly.
            _log.warning("%s: %s; nothing more is drafted", generation.halves[Role.SMALL].network.name, error)
            generation.truncate(base)
            generation.drafting, lost = None, True
            draft = _Draft()
        ids = draft.ids
        verdict = _verify(generation, draft)
        generation.truncate(base + verdict.accepted)
        generation.count(
            generated_tokens=verdict.accepted + 1, drafted_tokens=len(ids), accepted_tokens=verdict.accepted
        )
        chosen = [*ids[: verdict.accepted], verdict.token]
        end = next((place for place, token_id in enumerate(chosen) if token_id in ends), None)
        if end is not None:
            generation.truncate(base + end)
        else:
            generation.append(Role.LARGE, verdict.token, track)
        pieces = generation.pieces[base:]
        if holding is not None and (standing := holding.standing(Role.LARGE, pieces, left - written)) < len(pieces):
            generation.truncate(base + standing)
            closing, stop = generation.close_answer(run.max_tokens - written - standing)
            yield Chunk((*pieces[:standing], *closing), stop)
            return
        if end is not None:
            yield Chunk(tuple(pieces), Stop.EOS)
            return
        written += len(pieces)
        if written >= run.max_tokens:
            yield Chunk(tuple(pieces), Stop.MAX_TOKENS)
            return
        yield Chunk(tuple(pieces))


@dataclass(slots=True)
class _Draft:
    """What was drafted.

    Attributes:
        ids: The tokens.
        proposals: What each was drawn from; empty when greedy.
        rows: The tokens that the answer's grammar allows in place of each, and perhaps after them.
    """

    ids: list[int] = field(default_factory=list)
    proposals: list[Tensor] = field(default_factory=list)
    rows: list[Row | None] = field(default_factory=list)

    def cut(self, length: int) -> None:
        """Keep the first tokens only."""
        del self.ids[length:], self.proposals[length:], self.rows[length + 1 :]


class _Drawn(NamedTuple):
    """A drafted token on the device; its id and how sure the small model was are on their way to the host."""

    token: Tensor
    proposal: Tensor | None
    on_its_way: LateValue


def _write_ahead(generation: Generation, run: Run, longest: int, confidence: float) -> _Draft:
    """Write ahead with the small model, onto the track."""
    half, track, ends = generation.halves[Role.SMALL], generation.tracks[Role.SMALL], generation.ends[Role.LARGE]
    late, holding = generation.reads_late(Role.SMALL), generation.holding
    draft = _Draft()
    pieces: list[Piece] = []
    following: _Drawn | None = None
    sure = True
    while sure and len(pieces) < longest and not (holding is not None and holding.over(Role.LARGE)):
        drawn = following or _sample(generation, half.read(track.ids))
        following = None
        if late and len(pieces) + 1 < longest:
            following = _sample(generation, half.step(drawn.token), ahead=1)
        number, top = drawn.on_its_way.wait()
        token_id, sure = int(number), top >= confidence
        if following is not None:
            half.name_last(token_id)
        if holding is not None:
            draft.rows.append(holding.row(Role.LARGE))
        draft.ids.append(token_id)
        pieces.append(generation.append(Role.LARGE, token_id, track))
        if drawn.proposal is not None:
            draft.proposals.append(drawn.proposal)
        if token_id in ends:
            break
        if run.would_cut is not None and (cut := run.would_cut(pieces)) is not None:
            # What follows a cue is the small model's own business: nothing to verify there.
            draft.cut(cut)
            generation.truncate(len(generation.pieces) - len(pieces) + cut)
            break
    return draft


def _sample(generation: Generation, logits: Tensor, *, ahead: int = 0) -> _Drawn:
    """Draw a draft; how sure the model is goes by its own distribution, or the filtered one when sampling."""
    with torch.inference_mode():
        if generation.settings.greedy:
            logits = generation.shape(Role.SMALL, logits)
            top, token = logits.float().softmax(-1).max(-1)
            proposal: Tensor | None = None
        else:
            proposal = generation.spread(Role.SMALL, logits)
            token = generation.draw(Role.SMALL, proposal, Purpose.DRAFT, ahead=ahead)
            top = proposal.amax(-1)
        # One small tensor for both numbers: ids are exact in double precision.
        return _Drawn(token, proposal, LateValue(torch.stack([token.double(), top.double()])))


def _verify(generation: Generation, drafted: _Draft) -> Verdict:
    """Let the large model read all that it has not seen, and judge the draft at the track's end."""
    half, track = generation.halves[Role.LARGE], generation.tracks[Role.LARGE]
    ids, proposals, rows = drafted.ids, drafted.proposals, drafted.rows
    if len(rows) == len(ids):
        # Of what may follow an end nothing is known, and nothing comes of it. A draft that opens the thinking is held
        # by nothing any more, though its first token was.
        ended = bool(ids) and ids[-1] in generation.ends[Role.LARGE]
        holding = generation.holding
        rows = [*rows, None if holding is None or ended else holding.row(Role.LARGE)]
    logits = half.read(track.ids, len(ids) + 1)
    with torch.inference_mode():
        logits = mask(_penalised(generation, logits, ids), rows)
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
