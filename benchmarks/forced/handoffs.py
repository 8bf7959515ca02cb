"""What a handoff costs: a run's first token against the tokens after it.

Owns a generation whose author changes every few tokens, without a policy. A model that takes over has to read what the
other wrote, in the pass that yields its first token. The ratio of that token's time to an ordinary token's is the
handoff in forward passes of the model that takes over, its own first token included: 1 would be free. Turns are cut as
a policy cuts them, so where passes are launched ahead (CUDA), the first token also waits for the other model's last
pass, which is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from statistics import mean, median
from time import perf_counter

from benchmarks.forced.relay import ForcedRelay
from benchmarks.forced.scenario import Scenario
from relaygen_runtime.engines.base import GenerationRequest, Run, Sampling, Session
from relaygen_runtime.evaluation.spread import Figure, bootstrap
from relaygen_runtime.vocabulary import Phase, Role

__all__ = ["LENGTHS", "Handoff", "TooShortError", "measure_handoffs", "refuse_short"]

LENGTHS: Mapping[Role, int] = {Role.LARGE: 46, Role.SMALL: 12}
"""Tokens of each author's turn: what real traces show on average (20% by the small model, 12 tokens at a time)."""

_BEYOND = 8


class TooShortError(ValueError):
    """The traces hold no handoff to measure."""


@dataclass(frozen=True, slots=True)
class Handoff:
    """Handoffs to one model.

    Attributes:
        to: The model that takes over.
        read_tokens: Tokens of the other that it reads, on average.
        passes: Forward passes of a turn less one for each token after the first, counted by the engine, on average:
            1 for the first token, and 1 more where a pass is launched ahead and thrown away at the cut.
        first_token_s: Seconds until its first token, median.
        step_s: Seconds of its later tokens, median: a plain decode step as a user gets it.
        ratio: Both, run by run: the handoff in forward passes by the clock.
        length: Tokens in the sequence, on average.
    """

    to: Role
    read_tokens: float
    passes: float
    first_token_s: float
    step_s: float
    ratio: Figure
    length: float


@dataclass(frozen=True, slots=True)
class _Turn:
    role: Role
    read: int
    passes: int
    first_s: float
    step_s: float
    length: int


def measure_handoffs(
    relay: ForcedRelay, scenarios: Sequence[Scenario], progress: Callable[[int, int], None] | None = None
) -> dict[Role, Handoff]:
    """Measure both directions on every scenario.

    Args:
        relay: The pair; both models are forced without doubts, nothing is drafted.
        scenarios: What is written.
        progress: Called with scenarios done and to do.
    """
    turns: list[_Turn] = []
    for number, scenario in enumerate(scenarios):
        relay.follow(scenario, doubtful=False)
        request = GenerationRequest(
            [{"role": "user", "content": scenario.prompt}], sampling=Sampling(temperature=0.0), speculation=False
        )
        with closing(relay.engine.open(request)) as session:
            # The first turn of each reads the prompt: no handoff.
            turns += _turns(session, scenario)[len(Role) :]
        if progress is not None:
            progress(number + 1, len(scenarios))
    return {role: _summary(role, [turn for turn in turns if turn.role is role]) for role in Role}


def refuse_short(scenarios: Sequence[Scenario]) -> None:
    """Say before anything is measured that there is nothing to measure.

    Raises:
        TooShortError: No trace is long enough for two turns of each model.
    """
    needed = 2 * sum(LENGTHS.values())
    longest = max(len(scenario.ids) for scenario in scenarios)
    if longest < needed:
        raise TooShortError(f"tokens: the longest trace has {longest}, a handoff needs {needed}; write more tokens")


def _turns(session: Session, scenario: Scenario) -> list[_Turn]:
    found: list[_Turn] = []
    length = scenario.prompt_tokens
    rounds = len(scenario.ids) // sum(LENGTHS.values())
    for number in range(rounds * len(LENGTHS)):
        role = list(LENGTHS)[number % len(LENGTHS)]
        seconds = _turn(session, role, number)
        stats = session.take_stats()
        length += len(seconds)
        passes = stats.forward_passes - (len(seconds) - 1)
        found.append(_Turn(role, stats.prefilled_tokens, passes, seconds[0], median(seconds[1:]), length))
    return found


def _turn(session: Session, role: Role, number: int) -> list[float]:
    """Let a model write and cut it off; return the seconds of each token."""
    seconds: list[float] = []
    # More is allowed than will be taken: the engine does not know when a policy cuts.
    chunks = session.write(Run(role, Phase.THINKING, LENGTHS[role] + _BEYOND, number))
    began = perf_counter()
    for _ in chunks:
        now = perf_counter()
        seconds.append(now - began)
        if len(seconds) == LENGTHS[role]:
            break
        began = now
    close = getattr(chunks, "close", None)
    if close is not None:
        close()
    return seconds


def _summary(role: Role, turns: Sequence[_Turn]) -> Handoff:
    rows = [(turn.first_s, turn.step_s) for turn in turns]
    return Handoff(
        to=role,
        read_tokens=mean(turn.read for turn in turns),
        passes=mean(turn.passes for turn in turns),
        first_token_s=median(turn.first_s for turn in turns),
        step_s=median(turn.step_s for turn in turns),
        ratio=bootstrap(rows, lambda r: median(x[0] for x in r) / median(x[1] for x in r)),
        length=mean(turn.length for turn in turns),
    )
