"""How often each arm is right on the same problems, and how far the relay is from the large model, paired.

Owns counting and intervals. Grading is the caller's: a function from an answer to right or wrong. A failed
generation raises; it is never counted as a wrong (or a fast) answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from relaygen_runtime.engines.base import Message
from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.evaluation.spread import Figure, bootstrap
from relaygen_runtime.relay import Relay
from relaygen_runtime.result import RelayResult
from relaygen_runtime.vocabulary import Role

__all__ = ["AccuracyReport", "Outcome", "Task", "evaluate"]


@dataclass(frozen=True, slots=True)
class Task:
    """One problem.

    Attributes:
        messages: What is asked.
        kind: A label to report by.
        grade: Whether a result is right.
    """

    messages: Sequence[Message]
    kind: str
    grade: Callable[[RelayResult], bool]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one arm made of one task."""

    task: int
    arm: str
    kind: str
    right: bool
    tokens: int
    small_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """Outcomes of every arm on every task.

    Attributes:
        arms: Names, in order; differences are taken against the first.
        outcomes: All of them.
    """

    arms: tuple[str, ...]
    outcomes: tuple[Outcome, ...]

    def of(self, arm: str) -> list[Outcome]:
        """The outcomes of one arm, in the tasks' order."""
        return sorted((o for o in self.outcomes if o.arm == arm), key=lambda o: o.task)

    def accuracy(self, arm: str) -> Figure:
        """Fraction right, with its 95% interval."""
        return bootstrap([(float(o.right),) for o in self.of(arm)], lambda r: sum(x[0] for x in r) / len(r))

    def difference(self, arm: str) -> Figure:
        """Fraction right of `arm` less that of the first arm, paired by task, with its 95% interval."""
        rows = [(float(a.right), float(b.right)) for a, b in zip(self.of(arm), self.of(self.arms[0]), strict=True)]
        return bootstrap(rows, lambda r: sum(x[0] - x[1] for x in r) / len(r))

    def small_share(self, arm: str) -> float:
        """Fraction of an arm's tokens that the small model wrote."""
        own = self.of(arm)
        return sum(o.small_tokens for o in own) / max(1, sum(o.tokens for o in own))

    def by_kind(self, arm: str) -> dict[str, tuple[int, int]]:
        """Right answers and tasks, by kind."""
        counts: dict[str, tuple[int, int]] = {}
        for outcome in self.of(arm):
            right, total = counts.get(outcome.kind, (0, 0))
            counts[outcome.kind] = (right + outcome.right, total + 1)
        return counts

    def markdown(self) -> str:
        """A table for people."""
        rows = [
            "| arm | right (95%) | against the first (paired, 95%) | small writes | n |",
            "| --- | --- | --- | --- | --- |",
        ]
        for arm in self.arms:
            right, n = self.accuracy(arm), len(self.of(arm))
            gap = "" if arm == self.arms[0] else _points(self.difference(arm))
            interval = f"{right.value:.1%} ({right.low:.1%} to {right.high:.1%})"
            rows.append(f"| {arm} | {interval} | {gap} | {self.small_share(arm):.1%} | {n} |")
        return "\n".join(rows)


def _points(figure: Figure) -> str:
    return f"{100 * figure.value:+.1f} ({100 * figure.low:+.1f} to {100 * figure.high:+.1f}) points"


def evaluate(
    relay: Relay,
    tasks: Sequence[Task],
    arms: Mapping[str, Mapping[str, Any]],
    *,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> AccuracyReport:
    """Let every arm answer every task.

    Args:
        relay: The pair.
        tasks: The problems; at least one.
        arms: Names and options of the arms; differences are taken against the first.
        progress: Called with answers written and answers to write.
        **options: Further options of every generation.

    Raises:
        ConfigurationError: No tasks or no arms.
        EngineError: A generation failed.
    """
    if not tasks or not arms:
        raise ConfigurationError("evaluate: at least 1 task and 1 arm are needed")
    outcomes: list[Outcome] = []
    for number, task in enumerate(tasks):
        for name, own in arms.items():
            result = relay.generate(task.messages, **{**options, **own})
            ledger = result.ledger
            outcomes.append(
                Outcome(
                    task=number,
                    arm=name,
                    kind=task.kind,
                    right=task.grade(result),
                    tokens=ledger.tokens,
                    small_tokens=ledger.tokens_by(Role.SMALL),
                    seconds=ledger.seconds,
                )
            )
            if progress is not None:
                progress(len(outcomes), len(tasks) * len(arms))
    return AccuracyReport(tuple(arms), tuple(outcomes))
