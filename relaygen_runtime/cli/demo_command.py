"""`relaygen demo`: the embedded pair answers before your eyes, then the ledger, then the stopwatch."""

from __future__ import annotations

import argparse
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from relaygen_runtime.cli.arguments import generation_options
from relaygen_runtime.cli.ledger_table import author_table, segment_table
from relaygen_runtime.cli.measure import Comparison, compare
from relaygen_runtime.cli.painter import ROLE_STYLES, Painter
from relaygen_runtime.cli.pair import OpenRelay
from relaygen_runtime.cli.terminal import Terminal
from relaygen_runtime.errors import ConfigurationError, RequestError
from relaygen_runtime.messages import checked_messages
from relaygen_runtime.relay import Relay
from relaygen_runtime.result import RelayResult, ResultBuilder
from relaygen_runtime.vocabulary import Role

__all__ = ["DEFAULT_QUESTION", "demo"]

DEFAULT_QUESTION = "What is 47 * 68 - 519?"
_DISCLAIMER = "The embedded pair is a demonstration: it does sums and calls tools, and knows nothing else."


def demo(arguments: argparse.Namespace, terminal: Terminal, opener: OpenRelay) -> int:
    """Stream one answer, print its ledger, and measure the speed-up against the large model alone."""
    if arguments.repeats < 1:
        raise ConfigurationError(f"--repeats: {arguments.repeats} given, at least 1 is needed")
    if not arguments.question.strip():
        raise RequestError("QUESTION: it is empty; ask something, or leave it out")
    checked_messages(arguments.question)
    options = generation_options(arguments)
    with opener(arguments, terminal) as relay:
        _introduce(relay, arguments.question, terminal)
        _warm_up(relay, options, terminal)
        result = _stream(relay, arguments.question, options, terminal)
        if arguments.segments:
            terminal.out.print(segment_table(result.ledger))
        terminal.out.print(author_table(result.ledger))
        for note in (
            *result.notes,
            *(("the small model failed; the large carried on alone",) if result.degraded else ()),
        ):
            terminal.note(note)
        comparison = _measure(relay, arguments, options, terminal)
    terminal.out.print(_verdict(result, comparison))
    return 0


def _introduce(relay: Relay, question: str, terminal: Terminal) -> None:
    names = relay.engine.capabilities
    legend = Text()
    for role, name in ((Role.LARGE, names.large_model), (Role.SMALL, names.small_model)):
        mark = f"[{role[0].upper()}] " if terminal.plain else ""
        legend.append(f"{mark}{role} ({name})   ", style=ROLE_STYLES[role])
    legend.append("<<cue>>" if terminal.plain else "cue", style="bold reverse")
    legend.append(" hands over")
    terminal.out.print(Text(_DISCLAIMER, style="italic"))
    terminal.out.print(legend)
    terminal.out.print(Text(f"\nQ: {question}\n"))


def _warm_up(relay: Relay, options: dict[str, Any], terminal: Terminal) -> None:
    # The first forward passes of a process allocate and tune; what follows is to show the steady state.
    with terminal.err.status("Warming up ..."):
        for mode in ("relay", "large"):
            relay.generate("What is 12 * 13 + 200?", **{**options, "mode": mode})


def _stream(relay: Relay, question: str, options: dict[str, Any], terminal: Terminal) -> RelayResult:
    painter = Painter(terminal.out, relay.profile.cues, plain=terminal.plain)
    builder = ResultBuilder()
    for event in relay.stream(question, **options):
        builder.add(event)
        painter.show(event)
    painter.end()
    return builder.result()


def _measure(relay: Relay, arguments: argparse.Namespace, options: dict[str, Any], terminal: Terminal) -> Comparison:
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=terminal.err, transient=True
    )
    with bar:
        task = bar.add_task("Timing the relay and the large model alone", total=2 * arguments.repeats)
        return compare(
            relay, arguments.question, options, repeats=arguments.repeats, progress=lambda: bar.advance(task)
        )


def _verdict(result: RelayResult, figures: Comparison) -> str:
    ledger = result.ledger
    drafts = ""
    if ledger.drafted_tokens:
        drafts = f", {ledger.accepted_tokens} of {ledger.drafted_tokens} drafted tokens accepted"
    relay_speed, large_speed = figures.relay_tokens / figures.relay_s, figures.large_tokens / figures.large_s
    return (
        f"{ledger.switches} switches, {ledger.small_share:.0%} of the tokens by the small model{drafts}.\n"
        f"Measured now (median of {figures.repeats}, interleaved):\n"
        f"  relay        {figures.relay_tokens:.0f} tokens in {figures.relay_s:.2f} s ({relay_speed:.0f} tokens/s)\n"
        f"  large alone  {figures.large_tokens:.0f} tokens in {figures.large_s:.2f} s ({large_speed:.0f} tokens/s)\n"
        f"Speed-up per token: {figures.speedup:.2f}x. "
        f"Saving: {figures.saved_s:.2f} s, {figures.saved_share:.0%} of the large model's time."
    )
