"""What a handoff costs, in forward passes of the model that takes over.

Owns one measurement: an answer is written to a switch; the model that takes over reads what the other wrote and gives
its first token. The seconds of that are divided by the seconds of a plain decode step of the same model there.
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
    """Passes that a handoff costs, either way, without speculation.

    Args:
        engine: The pair.
        prompts: Lists of messages.

    Returns:
        For each direction, seconds to the first token after a handoff over seconds of a plain step.
    """
    rows: dict[str, list[tuple[float, ...]]] = {"large to small": [], "small to large": []}
    for messages in prompts:
        request = GenerationRequest(messages, sampling=Sampling(temperature=0), speculation=False)
        session = engine.open(request)
        try:
            # Both read the prompt first: that is no part of a handoff.
            _write(session, Role.LARGE, 1)
            _write(session, Role.SMALL, 1)
            for name, giver in (("large to small", Role.LARGE), ("small to large", Role.SMALL)):
                _write(session, giver, _WRITTEN[giver])
                first, *steps = _write(session, giver.other, 1 + _STEPS)
                rows[name].append((first, median(steps)))
        finally:
            session.close()
    return {name: bootstrap(own, lambda r: sum(x[0] for x in r) / sum(x[1] for x in r)) for name, own in rows.items()}


def _write(session: Session, author: Role, tokens: int) -> list[float]:
    """Write tokens; return the seconds that each took."""
    seconds: list[float] = []
    began = perf_counter()
    for _ in session.write(Run(author, Phase.THINKING, tokens)):
        now = perf_counter()
        seconds.append(now - began)
        began = now
    return seconds
