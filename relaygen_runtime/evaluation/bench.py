"""`relaygen bench`: every arm on the same prompts, interleaved in one run.

Owns the arms and the timing. An arm's speed is its tokens over its seconds, compared prompt by prompt with the
large model alone. Before measuring, each prompt is written once, so that every arm finds the prompt in both caches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from relaygen_runtime.engines.base import Message
from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.evaluation.bench_report import ArmFigures, BenchReport
from relaygen_runtime.evaluation.machine import describe_machine
from relaygen_runtime.evaluation.spread import Figure, bootstrap
from relaygen_runtime.ledger import Ledger
from relaygen_runtime.relay import Relay
from relaygen_runtime.vocabulary import Role

__all__ = ["ARMS", "Measurement", "run_bench"]

ARMS: Mapping[str, Mapping[str, Any]] = {
    "large alone": {"mode": "large", "speculation": False},
    "small alone": {"mode": "small", "speculation": False},
    "relay": {"mode": "relay", "speculation": False},
    "speculation": {"mode": "large", "speculation": True},
    "relay + speculation": {"mode": "relay", "speculation": True},
}
"""The arms, and the options that make them."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One answer of one arm.

    Attributes:
        arm: The arm's name.
        prompt: Number of the prompt.
        seconds: Seconds of the generation.
        ledger: What it took.
    """

    arm: str
    prompt: int
    seconds: float
    ledger: Ledger


def run_bench(
    relay: Relay,
    prompts: Sequence[str | Sequence[Message]],
    *,
    repeats: int = 3,
    arms: Mapping[str, Mapping[str, Any]] = ARMS,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> BenchReport:
    """Measure every arm on every prompt, interleaved.

    Args:
        relay: The pair.
        prompts: What is asked; at least one.
        repeats: How often each prompt is measured for each arm; the fastest counts (a machine's noise only adds).
        arms: Names and options of the arms; the first is what the others are compared with.
        progress: Called with answers written and answers to write.
        **options: Further options of every generation.

    Returns:
        The figures, with n and spread.

    Raises:
        ConfigurationError: No prompts, or fewer than one repeat.
    """
    if not prompts or repeats < 1:
        raise ConfigurationError("bench: at least 1 prompt and 1 repeat are needed")
    best: dict[tuple[str, int], Measurement] = {}
    total, done = len(prompts) * (1 + repeats * len(arms)), 0
    for number, prompt in enumerate(prompts):
        relay.generate(prompt, **{**options, "mode": "relay"})
        done += 1
        for repeat in range(repeats):
            # Turning the order spreads what drifts (heat, neighbours) evenly over the arms.
            names = list(arms)[repeat % len(arms) :] + list(arms)[: repeat % len(arms)]
            for name in names:
                ledger = relay.generate(prompt, **{**options, **arms[name]}).ledger
                seen = best.get((name, number))
                if seen is None or ledger.seconds < seen.seconds:
                    best[name, number] = Measurement(name, number, ledger.seconds, ledger)
                done += 1
                if progress is not None:
                    progress(done, total)
    return _report(relay, list(best.values()), list(arms), repeats)


def _report(relay: Relay, measurements: Sequence[Measurement], arms: Sequence[str], repeats: int) -> BenchReport:
    by_arm = {arm: sorted((m for m in measurements if m.arm == arm), key=lambda m: m.prompt) for arm in arms}
    base = by_arm[arms[0]]
    figures = [_figures(arm, by_arm[arm], base) for arm in arms]
    capabilities = relay.engine.capabilities
    return BenchReport(
        large=capabilities.large_model,
        small=capabilities.small_model,
        profile=relay.profile.name,
        prompts=len(base),
        repeats=repeats,
        arms=tuple(figures),
        relay_of_ideal=_of_ideal(by_arm),
        over_speculation=_over_speculation(by_arm),
        machine=describe_machine(),
    )


def _figures(arm: str, own: Sequence[Measurement], base: Sequence[Measurement]) -> ArmFigures:
    rows = _paired(own, base)
    tokens = sum(m.ledger.tokens for m in own)
    drafted = sum(m.ledger.drafted_tokens or 0 for m in own)
    accepted = sum(m.ledger.accepted_tokens or 0 for m in own)
    return ArmFigures(
        name=arm,
        tokens_per_s=tokens / sum(m.seconds for m in own),
        tokens_per_answer=tokens / len(own),
        speedup_per_token=bootstrap(rows, _speed_ratio),
        speedup_per_answer=bootstrap(rows, lambda r: sum(x[2] for x in r) / sum(x[0] for x in r)),
        small_share=sum(m.ledger.tokens_by(Role.SMALL) for m in own) / tokens,
        switches_per_answer=sum(m.ledger.switches for m in own) / len(own),
        acceptance=accepted / drafted if drafted else None,
    )


def _paired(own: Sequence[Measurement], base: Sequence[Measurement]) -> list[tuple[float, ...]]:
    """Seconds and tokens of both, prompt by prompt."""
    return [
        (m.seconds, float(m.ledger.tokens), b.seconds, float(b.ledger.tokens)) for m, b in zip(own, base, strict=True)
    ]


def _speed_ratio(rows: Sequence[tuple[float, ...]]) -> float:
    """Tokens a second of the one over those of the other."""
    seconds, tokens, base_seconds, base_tokens = (sum(row[i] for row in rows) for i in range(4))
    return (tokens / seconds) / (base_tokens / base_seconds)


def _over_speculation(by_arm: Mapping[str, Sequence[Measurement]]) -> Figure | None:
    """The speed of both together over that of speculation alone."""
    names = ("relay + speculation", "speculation")
    if any(name not in by_arm for name in names):
        return None
    return bootstrap(_paired(by_arm[names[0]], by_arm[names[1]]), _speed_ratio)


def _of_ideal(by_arm: Mapping[str, Sequence[Measurement]]) -> Figure | None:
    """Ideal seconds (each model's tokens times its own measured seconds per token) over measured ones."""
    names = ("large alone", "small alone", "relay")
    if any(name not in by_arm for name in names):
        return None
    rows = [
        (
            large.seconds / large.ledger.tokens * (relay.ledger.tokens_by(Role.LARGE) + relay.ledger.tokens_by(None))
            + small.seconds / small.ledger.tokens * relay.ledger.tokens_by(Role.SMALL),
            relay.seconds,
        )
        for large, small, relay in zip(*(by_arm[name] for name in names), strict=True)
    ]
    return bootstrap(rows, lambda r: sum(x[0] for x in r) / sum(x[1] for x in r))
