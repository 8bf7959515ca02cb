"""`relaygen bench`: the thin command over `relaygen_runtime.evaluation.bench`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from random import Random

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from relaygen_runtime.cli.arguments import generation_options
from relaygen_runtime.cli.input_text import read_file
from relaygen_runtime.cli.pair import OpenRelay
from relaygen_runtime.cli.terminal import Terminal
from relaygen_runtime.engines.base import Message
from relaygen_runtime.errors import ConfigurationError

__all__ = ["bench"]

_SEED = 20_260
_QUESTIONS = (
    "How many positive integers below 1000 are divisible by neither 5 nor 7?",
    "A train leaves at 9:40 and travels 210 km at 84 km/h. When does it arrive?",
    "Find all real x with x^2 - 5x + 6 = 0, and check them.",
    "Two dice are rolled. What is the probability that the sum is at least 9?",
    "What is the remainder when 7^2026 is divided by 10?",
)


def bench(arguments: argparse.Namespace, terminal: Terminal, opener: OpenRelay) -> int:
    """Measure, print the table with the verdict last, and write the files that were asked for."""
    from relaygen_runtime.evaluation.bench import run_bench  # noqa: PLC0415  (the other commands need none of it)

    for name, value in (("-n", arguments.n), ("--repeats", arguments.repeats)):
        if value < 1:
            raise ConfigurationError(f"{name}: {value} given, at least 1 is needed")
    for path in (arguments.json, arguments.markdown):
        _refuse_unwritable(path)
    prompts = _prompts(arguments)
    options = generation_options(arguments)
    for name in ("mode", "speculation"):
        if name in options:
            raise ConfigurationError(f"--{name}: the arms of a bench differ in just that; leave it out")
    with opener(arguments, terminal) as relay:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=terminal.err, transient=True) as bar:
            task = bar.add_task("Answers", total=None)
            report = run_bench(
                relay,
                prompts,
                repeats=arguments.repeats,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
                **options,
            )
    if arguments.json is not None:
        arguments.json.write_text(report.json() + "\n", encoding="utf-8")
    if arguments.markdown is not None:
        arguments.markdown.write_text(report.markdown() + "\n", encoding="utf-8")
    terminal.write_line(report.markdown())
    return 0


def _refuse_unwritable(path: Path | None) -> None:
    # A bench takes minutes; a folder that does not exist should not be found out at its end.
    if path is not None and not path.parent.is_dir():
        raise ConfigurationError(f"{path}: the folder {path.parent} does not exist; create it first")


def _prompts(arguments: argparse.Namespace) -> Sequence[str | Sequence[Message]]:
    if arguments.prompts is not None:
        return [line for line in read_file(arguments.prompts).splitlines() if line.strip()][: arguments.n]
    if arguments.demo:
        from relaygen_runtime.demo.data import arithmetic  # noqa: PLC0415  (only this pair's questions come from there)

        rng = Random(_SEED)
        kinds = ("bare", "story", "context")
        return [arithmetic.worked(rng, kinds[i % len(kinds)], held_out=True).messages for i in range(arguments.n)]
    return [_QUESTIONS[i % len(_QUESTIONS)] for i in range(min(arguments.n, len(_QUESTIONS)))]
