"""The figures of a bench, and their two faces: a markdown table and JSON.

Ends with the sentence that says what pays.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from relaygen_runtime.evaluation.spread import Figure

__all__ = ["ArmFigures", "BenchReport"]


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One arm.

    Attributes:
        name: The arm.
        tokens_per_s: Tokens delivered a second, prompt reading included.
        tokens_per_answer: Mean tokens of an answer with its thinking.
        speedup_per_token: Tokens a second over the first arm's.
        speedup_per_answer: The first arm's seconds for the same prompts over this arm's.
        small_share: Fraction of the tokens that the small model wrote.
        switches_per_answer: Mean number of switches.
        acceptance: Accepted over drafted tokens; None when nothing was drafted.
    """

    name: str
    tokens_per_s: float
    tokens_per_answer: float
    speedup_per_token: Figure
    speedup_per_answer: Figure
    small_share: float
    switches_per_answer: float
    acceptance: float | None


@dataclass(frozen=True, slots=True)
class BenchReport:
    """A whole bench.

    Attributes:
        large: The large model.
        small: The small model.
        profile: The cue profile.
        prompts: Number of prompts.
        repeats: Repeats of each; the fastest counted.
        arms: Figures of each arm; the first is the base of the ratios.
        relay_of_ideal: The plain relay's speed over the ideal one; None where an arm it needs was left out.
        over_speculation: Relay and speculation together over speculation alone; None where one was left out.
        machine: What it was measured on.
    """

    large: str
    small: str
    profile: str
    prompts: int
    repeats: int
    arms: tuple[ArmFigures, ...]
    relay_of_ideal: Figure | None
    over_speculation: Figure | None
    machine: dict[str, Any]

    def verdict(self) -> str:
        """Which arm pays on this pair and machine, and by how much."""
        base = self.arms[0]
        rivals = [arm for arm in self.arms[1:] if arm.name != "small alone"]
        if not rivals:
            return f"Only {base.name} was measured."
        best = max(rivals, key=lambda arm: arm.speedup_per_token.value)
        speedup = best.speedup_per_token
        if self.prompts < 2:
            return (
                f"One prompt has no spread: {best.name} was {speedup.value:.2f} times as fast as {base.name}, for now."
            )
        if speedup.low <= 1.0:
            best_of = f"the best arm, {best.name}, is {speedup} times {base.name}"
            return f"On this pair and machine nothing pays for certain: {best_of}."
        others = ", ".join(f"{arm.name} {arm.speedup_per_token.value:.2f}x" for arm in rivals if arm is not best)
        tail = f" (the others: {others})" if others else ""
        return f"On this pair and machine {best.name} pays: {speedup} times the speed of {base.name}{tail}."

    def markdown(self) -> str:
        """A table for people, with the machine under it and the verdict last."""
        rows = [
            "| arm | tokens/s | speed-up a token (95%) | speed-up an answer (95%) "
            "| tokens/answer | small writes | switches | acceptance |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        for arm in self.arms:
            acceptance = "" if arm.acceptance is None else f"{arm.acceptance:.0%}"
            rows.append(
                f"| {arm.name} | {arm.tokens_per_s:.0f} | {arm.speedup_per_token} | {arm.speedup_per_answer} | "
                f"{arm.tokens_per_answer:.0f} | {arm.small_share:.0%} | {arm.switches_per_answer:.1f} | {acceptance} |"
            )
        rows.append("")
        if self.relay_of_ideal is not None:
            rows.append(f"The plain relay reaches {self.relay_of_ideal} of its ideal speed.")
        if self.over_speculation is not None:
            rows.append(f"With speculation on, relaying makes it {self.over_speculation} times as fast as without.")
        versions = ", ".join(f"{name} {version}" for name, version in self.machine["versions"].items() if version)
        where = (
            self.machine["accelerator"]
            or f"{self.machine['processor']}, {self.machine['threads']} of {self.machine['cores']} cores"
        )
        rows.append(
            f"Pair: {self.large} / {self.small}, profile {self.profile}. "
            f"n = {self.prompts} prompts, best of {self.repeats}, arms interleaved. "
            f"{where}; {versions}; commit {self.machine['commit']}; {self.machine['date']}."
        )
        rows += ["", self.verdict()]
        return "\n".join(rows)

    def json(self) -> str:
        """The same as JSON."""
        return json.dumps({**dataclasses.asdict(self), "verdict": self.verdict()}, indent=2, ensure_ascii=False)
