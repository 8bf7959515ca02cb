"""The figures of a forced pair and their two faces: markdown tables and JSON.

Owns the layout, and the sentences that say what is real in these figures and what is not. Measures nothing.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.forced.graph_check import GraphCheck
from benchmarks.forced.handoffs import Handoff
from benchmarks.forced.memory import MemoryUse
from benchmarks.forced.pass_times import PassTimes
from benchmarks.forced.scenario import Scenario
from benchmarks.forced.settings import Settings
from relaygen_runtime.evaluation.bench_report import ArmFigures, BenchReport
from relaygen_runtime.vocabulary import Role

__all__ = ["ForcedReport", "SweepRow"]

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The drafting arms at one agreement rate."""

    rate: float
    arms: tuple[ArmFigures, ...]


@dataclass(frozen=True, slots=True)
class ForcedReport:
    """Everything that one run measured.

    Attributes:
        settings: What was asked for.
        bench: The arms.
        scenarios: What was written.
        handoffs: By the model that takes over.
        sweep: The drafting arms at further agreement rates.
        passes: Bare passes of each model.
        copy_bytes_per_s: Bandwidth measured by copying.
        graphs: Replay against direct passes; None where there are no graphs.
        memory: What it took.
        cuda: Version of the CUDA runtime; None on a CPU.
    """

    settings: Settings
    bench: BenchReport
    scenarios: tuple[Scenario, ...]
    handoffs: dict[Role, Handoff]
    sweep: tuple[SweepRow, ...]
    passes: dict[Role, PassTimes]
    copy_bytes_per_s: float
    graphs: GraphCheck | None
    memory: MemoryUse
    cuda: str | None

    def markdown(self) -> str:
        """Tables for people."""
        parts = [self._traces(), self.bench.markdown(), self._handoffs(), self._limits(), self._passes()]
        if self.sweep:
            parts.append(self._sweep())
        return "\n\n".join([*parts, self._device()])

    def json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.data(), indent=2, ensure_ascii=False)

    def data(self) -> dict[str, Any]:
        """The same as plain data."""
        settings = {field.name: getattr(self.settings, field.name) for field in dataclasses.fields(self.settings)}
        settings |= {
            "device": str(self.settings.device),
            "dtype": str(self.settings.dtype).removeprefix("torch."),
            "agreement": dataclasses.asdict(self.settings.agreement),
            "sweep": list(self.settings.sweep),
        }
        return {
            "settings": settings,
            "bench": json.loads(self.bench.json()),
            "traces": [_trace(scenario) for scenario in self.scenarios],
            "handoffs": {str(role): dataclasses.asdict(handoff) for role, handoff in self.handoffs.items()},
            "memory_bandwidth": {
                "copy_bytes_per_s": self.copy_bytes_per_s,
                "stated_bytes_per_s": self.settings.bandwidth_bytes_per_s,
                "fractions": self._fractions(),
            },
            "passes": {
                str(role): {"length": times.length, "n": times.n, "seconds_by_width": times.seconds}
                for role, times in self.passes.items()
            },
            "sweep": [dataclasses.asdict(row) for row in self.sweep],
            "graphs": None
            if self.graphs is None
            else {**dataclasses.asdict(self.graphs), "passed": self.graphs.passed},
            "memory": dataclasses.asdict(self.memory),
            "cuda": self.cuda,
        }

    def _fractions(self) -> dict[str, dict[str, float | None]]:
        """Per model: fractions of the limit, of a bare pass and of a whole decode step, by both bandwidths."""
        stated = self.settings.bandwidth_bytes_per_s
        found: dict[str, dict[str, float | None]] = {}
        for role, times in self.passes.items():
            handoff = self.handoffs[role]
            figures: dict[str, float | None] = {}
            for kind, seconds, length in (
                ("pass", times.seconds[1], float(times.length)),
                ("step", handoff.step_s, handoff.length),
            ):
                read = times.step_bytes(length)
                figures |= {f"{kind}_s": seconds, f"{kind}_length": length, f"{kind}_bytes": read}
                figures[f"{kind}_of_copy_limit"] = read / self.copy_bytes_per_s / seconds
                figures[f"{kind}_of_stated_limit"] = None if stated is None else read / stated / seconds
            found[str(role)] = figures
        return found

    def _traces(self) -> str:
        agreement = self.settings.agreement
        counted = [(s.whole_tokens, s.declared_tokens) for s in self.scenarios if s.declared_tokens]
        ratio = sum(own for own, _ in counted) / sum(said or 0 for _, said in counted) if counted else None
        tokens = sum(len(s.ids) for s in self.scenarios)
        delegated = sum(s.authors.ledger.tokens_by(Role.SMALL) for s in self.scenarios)
        switches = sum(s.authors.ledger.switches for s in self.scenarios)
        sampling = f"Temperature {self.settings.temperature:g}" if self.settings.temperature else "Greedy"
        return (
            f"Random weights forced onto {len(self.scenarios)} traces ({'; '.join(s.name for s in self.scenarios)}), "
            f"{tokens} tokens in all behind prompts of {_span([s.prompt_tokens for s in self.scenarios])} tokens. "
            + ("" if ratio is None else f"Our tokenizer makes {ratio:.2f} of the declared numbers of tokens. ")
            + f"The policy gives {delegated / tokens:.1%} of the tokens to the small model, in {switches} switches.\n\n"
            "Speed, handoffs and bandwidth are real; the words are not, and acceptance is an assumption: outside its "
            f"own segments the small model prefers the trace's token at {agreement.rate:.0%} of the places, is unsure "
            f"at {agreement.unsure_when_wrong:.0%} of the others and at {agreement.unsure_when_right:.0%} of these; "
            "inside them it always does, in every arm that drafts, which flatters speculation alone. "
            f"{sampling}, drafts of up to {self.settings.draft_max} tokens while surer than "
            f"{self.settings.draft_confidence:g}{', passes compiled' if self.settings.compiled else ''}."
        )

    def _handoffs(self) -> str:
        rows = [
            "| handoff to | tokens read | passes | first token, ms | a step, ms | in steps (95%) | n | at length |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        for role in (Role.SMALL, Role.LARGE):
            handoff = self.handoffs[role]
            rows.append(
                f"| {role} | {handoff.read_tokens:.0f} | {handoff.passes:.2f} | {_ms(handoff.first_token_s)} | "
                f"{_ms(handoff.step_s)} | {handoff.ratio} | {handoff.ratio.n} | {handoff.length:.0f} |"
            )
        return "\n".join(rows)

    def _limits(self) -> str:
        stated = self.settings.bandwidth_bytes_per_s
        named = "not given" if stated is None else f"{stated / 1e9:.0f} GB/s"
        rows = [
            f"Memory bandwidth: {self.copy_bytes_per_s / 1e9:.0f} GB/s by copying, stated: {named}. A step reads every "
            'weight once, and the keys and values so far. "Pass" is the model alone, "step" a token as a user gets it.',
            "",
            "| model | what | at length | GB | ms | of the copy limit | of the stated |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        ]
        for role, found in self._fractions().items():
            rows += [
                f"| {role} | {kind} | {found[f'{kind}_length']:.0f} | {(found[f'{kind}_bytes'] or 0) / 1e9:.3f} | "
                f"{_ms(found[f'{kind}_s'])} | {_percent(found[f'{kind}_of_copy_limit'])} | "
                f"{_percent(found[f'{kind}_of_stated_limit'])} |"
                for kind in ("pass", "step")
            ]
        return "\n".join(rows)

    def _passes(self) -> str:
        widths = list(next(iter(self.passes.values())).seconds)
        rows = ["| pass, ms, by width | " + " | ".join(map(str, widths)) + " |", "| --- " * (len(widths) + 1) + "|"]
        for role, times in self.passes.items():
            rows.append(f"| {role} | " + " | ".join(_ms(times.seconds[width]) for width in widths) + " |")
        return "\n".join(rows)

    def _sweep(self) -> str:
        names = [arm.name for arm in self.sweep[0].arms[1:]]
        head = " | ".join(f"{name}: acceptance | speed-up (95%)" for name in names)
        rows = [f"| agreement | {head} |", "| --- " * (2 * len(names) + 1) + "|"]
        for row in self.sweep:
            cells = [f"{_percent(arm.acceptance)} | {arm.speedup_per_token}" for arm in row.arms[1:]]
            rows.append(f"| {row.rate:g} | " + " | ".join(cells) + " |")
        return "\n".join(rows)

    def _device(self) -> str:
        memory, dtype = self.memory, str(self.settings.dtype).removeprefix("torch.")
        lines = [f"Weights: {memory.weights / _GIB:.2f} GiB in {dtype} on {self.settings.device}."]
        if self.cuda is not None:
            lines.append(f"CUDA {self.cuda}.")
        if memory.peak_allocated is not None and memory.peak_reserved is not None:
            lines.append(
                f"GPU memory at its peak: {memory.peak_allocated / _GIB:.2f} GiB allocated, "
                f"{memory.peak_reserved / _GIB:.2f} GiB reserved."
            )
        if self.graphs is None:
            lines.append("CUDA graphs: none here, nothing checked.")
        else:
            check = self.graphs
            lines.append(
                f"CUDA graphs: {'replay equals direct passes' if check.passed else 'REPLAY DIFFERS'} "
                f"({check.identical} of {check.passes} passes bit for bit, same best token in "
                f"{check.same_choice:.1%} of rows, largest difference {check.worst:.1e} of the largest logit, "
                f"{check.buffers_moved} buffers moved)."
            )
        return " ".join(lines)


def _trace(scenario: Scenario) -> dict[str, Any]:
    ledger = scenario.authors.ledger
    return {
        "name": scenario.name,
        "prompt_tokens": scenario.prompt_tokens,
        "tokens": len(scenario.ids),
        "whole_tokens": scenario.whole_tokens,
        "declared_tokens": scenario.declared_tokens,
        "small_share": ledger.small_share,
        "switches": ledger.switches,
    }


def _span(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(set(numbers)) == 1 else f"{min(numbers)} to {max(numbers)}"


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.3g}"


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f"{fraction:.0%}"
