"""The whole measurement on a forced pair: arms, agreement rates, handoffs, bare passes, bandwidth, graphs, memory.

Owns the order of things. What each figure is belongs to the files that measure it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from benchmarks.forced.bandwidth import copy_bandwidth
from benchmarks.forced.graph_check import check_graphs
from benchmarks.forced.handoffs import measure_handoffs, refuse_short
from benchmarks.forced.memory import memory_use
from benchmarks.forced.pair import ForcedPair, forced_pair
from benchmarks.forced.pass_times import measure_passes
from benchmarks.forced.report import ForcedReport, SweepRow
from benchmarks.forced.settings import Settings
from benchmarks.forced.texts import TraceText
from relaygen_runtime.evaluation.bench import ARMS, run_bench

__all__ = ["measure"]

_SWEPT = ("large alone", "speculation", "relay + speculation")

Progress = Callable[[str, int, int], None]
"""Called with what is measured, steps done, and steps to do."""


def measure(settings: Settings, traces: Sequence[TraceText], progress: Progress | None = None) -> ForcedReport:
    """Measure everything.

    Args:
        settings: What is wanted.
        traces: What is to be followed; each is one prompt of the bench.
        progress: Told how far it is.

    Raises:
        TooShortError: The traces hold no handoff to measure.
        TraceNotFollowedError: A model wrote something else than its trace.
    """

    def told(name: str) -> Callable[[int, int], None]:
        return lambda done, total: progress(name, done, total) if progress is not None else None

    with forced_pair(settings, traces) as pair:
        refuse_short(pair.scenarios)
        prompts = [scenario.prompt for scenario in pair.scenarios]
        bench = run_bench(pair.relay, prompts, repeats=settings.repeats, progress=told("arms"))
        sweep = [_swept(pair, settings, rate, told(f"agreement {rate:g}")) for rate in settings.sweep]
        handoffs = measure_handoffs(pair.relay, pair.scenarios, told("handoffs"))
        memory = memory_use(pair.models, settings.device)
        pair.release()
        length = max(scenario.prompt_tokens + len(scenario.ids) for scenario in pair.scenarios)
        return ForcedReport(
            settings=settings,
            bench=bench,
            scenarios=tuple(pair.scenarios),
            handoffs=handoffs,
            sweep=tuple(sweep),
            passes={
                role: measure_passes(model, length, told(f"passes, {role}")) for role, model in pair.models.items()
            },
            copy_bytes_per_s=copy_bandwidth(settings.device),
            graphs=check_graphs(pair.models, told("graphs")),
            memory=memory,
            cuda=torch.version.cuda if settings.device.type == "cuda" else None,
        )


def _swept(pair: ForcedPair, settings: Settings, rate: float, progress: Callable[[int, int], None]) -> SweepRow:
    pair.relay.agreement = replace(settings.agreement, rate=rate)
    prompts = [scenario.prompt for scenario in pair.scenarios]
    arms = {name: ARMS[name] for name in _SWEPT}
    return SweepRow(rate, run_bench(pair.relay, prompts, repeats=settings.repeats, arms=arms, progress=progress).arms)
