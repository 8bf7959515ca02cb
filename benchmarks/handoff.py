"""What a handoff costs, in forward passes of the model that takes over.

Owns one measurement: an answer is written to a switch; the model that takes over reads what the other wrote and gives
its first token. That token has to be paid for with or without a handoff, so one plain step is taken off; what is left
is what the handoff costs, in plain decode steps of the same model at the same place.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Any

from relaygen_runtime.engines.base import GenerationRequest, Run, Sampling, Session
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.evaluation.spread import Figure, bootstrap
from relaygen_runtime.vocabulary import Phase, Role

__all__ = ["handoff_figures"]

# Lengths of segments in a typical answer of the embedded pair, and the steps that a plain step is the median of.
_WRITTEN = {Role.LARGE: 28, Role.SMALL: 13}
_STEPS = 8


def handoff_figures(engine: TransformersEngine, prompts: Sequence[Any]) -> dict[str, Figure]:
    """What a handoff costs, either way.

    Args:
        engine: The pair.
        prompts: Lists of messages.

    Returns:
        For each direction, passes of the model that takes over. With speculation the small model has drafted what
        the large one wrote, so its cache is in step; the large one's catching up is then part of a verifying pass.
    """
    rows: dict[str, list[tuple[float, ...]]] = {}
    for messages in prompts:
        for speculation in (False, True):
            session = engine.open(
                GenerationRequest(messages, sampling=Sampling(temperature=0), speculation=speculation)
            )
            try:
                # Both read the prompt first: that is no part of a handoff.
                _write(session, Role.LARGE, 1)
                _write(session, Role.SMALL, 1)
                for giver in (Role.LARGE, Role.SMALL):
                    if speculation and giver is Role.SMALL:
                        continue
                    _write(session, giver, _WRITTEN[giver])
                    first, *steps = _write(session, giver.other, 1 + _STEPS)
                    name = f"{giver} to {giver.other}" + (", speculation on" if speculation else "")
                    rows.setdefault(name, []).append((first, median(steps)))
            finally:
                session.close()
    return {name: bootstrap(own, _passes) for name, own in rows.items()}


def _passes(rows: Sequence[tuple[float, ...]]) -> float:
    return sum(first for first, _ in rows) / sum(step for _, step in rows) - 1


def _write(session: Session, author: Role, tokens: int) -> list[float]:
    """Write tokens; return the seconds that each took."""
    seconds: list[float] = []
    began = perf_counter()
    for _ in session.write(Run(author, Phase.THINKING, tokens)):
        now = perf_counter()
        seconds.append(now - began)
        began = now
    return seconds
