"""What the policy costs per token, alone: no model, no engine, real traces that both models follow.

Run it as ``python -m benchmarks.policy``. The 15 traces of Qwen3-32B are read from the folder that ``--traces`` or the
environment variable RELAYGEN_TRACES names. They are split roughly as Qwen's tokenizer would (tags; words with their
leading space; single digits; runs of signs, with the line breaks after them; white space), one piece a call of `feed`.
Whoever is asked writes on from where the trace stands; a cut gives pieces back, so that looking ahead is paid too.

Seconds are the process's own CPU time, because other work may share the cores. All parts of a repeat are measured in
turn, and a figure is the mean over repeats with their standard deviation.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from relaygen_runtime.cues.profile import load_profile
from relaygen_runtime.evaluation.machine import describe_machine
from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.steps import Done, Inject
from relaygen_runtime.vocabulary import Piece, Stop

__all__ = ["main"]

_TOKENS = re.compile(r"</?\w+>|'[a-z]+| ?[^\W\d_]+|\d| ?[^\s\w]+\n*|\s*\n+|\s+(?!\S)|\s+|.", re.DOTALL)
_FILE = "qwen3-32b-aime25-traces.jsonl"
_PROMPT = "<think>\n"


@dataclass(frozen=True, slots=True)
class _Figure:
    """Microseconds per token, or a ratio of two such."""

    mean: float
    spread: float
    best: float

    @classmethod
    def of(cls, values: Sequence[float]) -> _Figure:
        return cls(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0, min(values))

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.spread:.2f}"


def _pieces(text: str) -> list[Piece]:
    return [Piece(token, number) for number, token in enumerate(_TOKENS.findall(text))]


def _play(machine: RelayMachine, trace: Sequence[Piece]) -> None:
    """Let both models follow the trace to its end, one piece a call."""
    at, end = 0, len(trace)
    while not isinstance(ask := machine.ask(), Done):
        if isinstance(ask, Inject):
            machine.injected([Piece(ask.text)])
            continue
        cut = None
        while cut is None:
            if at == end:
                cut = machine.stopped(Stop.EOS).cut
            else:
                cut = machine.feed((trace[at],)).cut
                at += 1
        at -= cut.drop


def _cost(rules: Rules, trace: Sequence[Piece]) -> float:
    """Microseconds per token of one pass."""
    machine = RelayMachine(rules, _PROMPT)
    began = process_time()
    _play(machine, trace)
    return (process_time() - began) * 1e6 / len(trace)


def _measure(rules: Rules, traces: Sequence[list[Piece]], repeats: int, long: int, short: int) -> dict[str, Any]:
    longest = max(traces, key=len)
    head = longest[:short]
    parts = {
        "short": head,
        "long": longest[:long],
        # The same tokens over again: what differs from "short" is the length alone.
        "repeated": head * (long // short),
    }
    all_traces: list[float] = []
    costs: dict[str, list[float]] = {name: [] for name in parts}
    for warm in (True, *[False] * repeats):
        passes = [(_cost(rules, trace), len(trace)) for trace in traces]
        found = {name: _cost(rules, part) for name, part in parts.items()}
        if not warm:
            all_traces.append(sum(cost * size for cost, size in passes) / sum(size for _, size in passes))
            for name, cost in found.items():
                costs[name].append(cost)
    ratios = {
        f"{name} / short": _Figure.of([a / b for a, b in zip(costs[name], costs["short"], strict=True)])
        for name in ("long", "repeated")
    }
    return {
        "all": _Figure.of(all_traces),
        "tokens": sum(len(trace) for trace in traces),
        **{name: _Figure.of(values) for name, values in costs.items()},
        **ratios,
    }


def _table(found: dict[str, Any], traces: int, options: argparse.Namespace) -> str:
    costs = {
        "all": f"all {traces} traces ({found['tokens']} tokens)",
        "short": f"the first {options.short} tokens of the longest",
        "long": f"its first {options.long}",
        "repeated": f"its first {options.short} over again up to {options.long}",
    }
    ratios = {
        "long / short": f"{options.long} tokens against {options.short}",
        "repeated / short": "the same tokens over again against once",
    }
    lines = ["| what | mean ± standard deviation | best |", "| --- | --- | --- |"]
    lines += [f"| {what}, µs per token | {found[name]} | {found[name].best:.2f} |" for name, what in costs.items()]
    lines += [f"| {what}, ratio | {found[name]} | |" for name, what in ratios.items()]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print a table, and write the figures as JSON if asked to."""
    parser = argparse.ArgumentParser(description="What the switching policy costs per token on real traces.")
    parser.add_argument("--traces", default=os.environ.get("RELAYGEN_TRACES"), help=f"folder that holds {_FILE}")
    parser.add_argument("--repeats", type=int, default=10, help="passes over everything (default: 10)")
    parser.add_argument("--long", type=int, default=20_000, help="tokens of the long part (default: 20000)")
    parser.add_argument("--short", type=int, default=2_000, help="tokens of the short part (default: 2000)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args(argv)
    if not options.traces or not (Path(options.traces) / _FILE).exists():
        parser.error(f"--traces: the folder that holds {_FILE} is needed (or RELAYGEN_TRACES)")
    if min(options.repeats, options.short) < 1 or options.long < options.short:
        parser.error("--repeats and --short: at least 1; --long: at least --short")
    lines = (Path(options.traces) / _FILE).read_text(encoding="utf-8").splitlines()
    traces = [_pieces(json.loads(line)["text"].removeprefix(_PROMPT)) for line in lines]
    rules = Rules(cues=load_profile("qwen3").cues, max_tokens=100_000, max_thinking_tokens=90_000)
    found = _measure(rules, traces, options.repeats, options.long, options.short)
    machine = describe_machine()
    sys.stdout.write(_table(found, len(traces), options) + "\n\n")
    sys.stdout.write(
        f"n = {options.repeats} repeats, CPU time; {machine['processor']}, one of {machine['cores']} cores, "
        f"Python {machine['python']}, commit {machine['commit']}, {machine['date']}.\n"
    )
    if options.json is not None:
        figures = {
            name: {"mean": value.mean, "spread": value.spread, "best": value.best}
            if isinstance(value, _Figure)
            else value
            for name, value in found.items()
        }
        record = {"benchmark": "policy", "n": options.repeats, "figures": figures, "machine": machine}
        options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
