"""What a handoff costs, in plain decode steps of the model that takes over.

Owns one measurement: an answer is written to a switch; the model that takes over reads what the other wrote and gives
its first token. Two figures come of it: the time to that token, and the same less the one step that the token would
have taken without a handoff.
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
        For each direction the time to the first token, and what of it goes beyond the token itself, both in plain
        steps. With speculation the small model has drafted what
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
    whole = {f"{name}, time to its first token": bootstrap(own, _steps) for name, own in rows.items()}
    beyond = {f"{name}, beyond that token": bootstrap(own, lambda r: _steps(r) - 1) for name, own in rows.items()}
    return {**whole, **beyond}


def _steps(rows: Sequence[tuple[float, ...]]) -> float:
    return sum(first for first, _ in rows) / sum(step for _, step in rows)


def _write(session: Session, author: Role, tokens: int) -> list[float]:
    """Write tokens; return the seconds that each took."""
    seconds: list[float] = []
    began = perf_counter()
    for _ in session.write(Run(author, Phase.THINKING, tokens)):
        now = perf_counter()
        seconds.append(now - began)
        began = now
    return seconds
