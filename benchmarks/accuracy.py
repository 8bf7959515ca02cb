"""Accuracy of the embedded pair on held-out problems: the large alone, the small alone, the relay.

Run as ``python -m benchmarks.accuracy -n 1000``. The problems' operands were never in training; with ``--templates
unseen`` their sentences were not either. All arms answer the same problems, so differences are paired. Prints a
markdown table and the right answers by kind.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from relaygen_runtime import Relay
from relaygen_runtime.demo.data.problems import Problem, grade, heldout_problems
from relaygen_runtime.evaluation.accuracy import AccuracyReport, Task, evaluate
from relaygen_runtime.evaluation.machine import describe_machine
from relaygen_runtime.result import RelayResult

ARMS: dict[str, dict[str, Any]] = {
    # Speculation is lossless, so the large alone is measured with it: the same tokens, sooner.
    "large alone": {"mode": "large", "speculation": True},
    "small alone": {"mode": "small"},
    "relay": {"mode": "relay", "speculation": True},
}
_MAX_TOKENS = 640


def task_of(problem: Problem) -> Task:
    """A problem as the evaluation takes it."""

    def right(result: RelayResult) -> bool:
        return grade(result.text, problem.gold)

    return Task(problem.messages, problem.kind, right)


def _shard(problems: list[Problem], index: int) -> AccuracyReport:
    torch.set_num_threads(1)

    def show(done: int, total: int) -> None:
        if done % 60 == 0:
            print(f"shard {index}: {done}/{total}", file=sys.stderr, flush=True)

    with Relay.demo() as relay:
        tasks = [task_of(problem) for problem in problems]
        return evaluate(relay, tasks, ARMS, progress=show, max_tokens=_MAX_TOKENS, temperature=0)


def measure(problems: list[Problem], shards: int) -> AccuracyReport:
    """Answer the problems in `shards` processes of one thread each."""
    if shards == 1:
        return _shard(problems, 0)
    with ProcessPoolExecutor(shards, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_shard, problems[index::shards], index) for index in range(shards)]
        reports = [future.result() for future in futures]
    outcomes = [
        dataclasses.replace(outcome, task=outcome.task * shards + index)
        for index, report in enumerate(reports)
        for outcome in report.outcomes
    ]
    return AccuracyReport(reports[0].arms, tuple(outcomes))


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="problems")
    parser.add_argument("--seed", type=int, default=20260)
    parser.add_argument("--templates", choices=("seen", "unseen"), default="seen")
    parser.add_argument("--shards", type=int, default=2, help="processes, one thread each")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args(argv)
    report = measure(heldout_problems(args.n, args.seed, args.templates), args.shards)
    print(report.markdown())
    print()
    for arm in report.arms:
        kinds = ", ".join(f"{kind} {right}/{total}" for kind, (right, total) in sorted(report.by_kind(arm).items()))
        print(f"{arm}: {kinds}")
    if args.json:
        figures = {
            "machine": describe_machine(),
            "n": args.n,
            "templates": args.templates,
            "arms": {
                arm: {"accuracy": dataclasses.asdict(report.accuracy(arm)), "small_share": report.small_share(arm)}
                for arm in report.arms
            },
            "relay_minus_large": dataclasses.asdict(report.difference("relay")),
        }
        args.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
