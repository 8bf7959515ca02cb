"""A forced pair, ready to write: two models, their engine, their relay and the scenarios they can follow.

Owns the building and its order: the forcing goes on before the engine probes the models, because an engine may capture
passes while it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.forced.forcing import Forcing
from benchmarks.forced.relay import ForcedRelay
from benchmarks.forced.scenario import Scenario, options_for, prepare
from benchmarks.forced.settings import Settings
from benchmarks.forced.shapes import SCALES, build_model
from benchmarks.forced.texts import TraceText
from benchmarks.forced.tokenizer import QWEN_TOKENS, trace_tokenizer
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.engines.transformers.slot_half import WIDTHS
from relaygen_runtime.vocabulary import Role

__all__ = ["ForcedPair", "forced_pair"]

_ROOM = 64
"""Tokens of context behind the trace: the policy stops asking the small model where fewer are left."""
_SAMPLED = {"top_p": 0.95, "top_k": 20, "seed": 0}
"""With a temperature, the paper's sampling: its sorting and filtering cost time too."""


@dataclass(frozen=True, slots=True)
class ForcedPair:
    """Everything that is measured.

    Attributes:
        models: The two models.
        forcings: How each is forced.
        scenarios: What they can write.
        relay: Writes it.
    """

    models: Mapping[Role, Any]
    forcings: Mapping[Role, Forcing]
    scenarios: Sequence[Scenario]
    relay: ForcedRelay

    def release(self) -> None:
        """Let both models say what they compute, until a scenario is followed again."""
        for forcing in self.forcings.values():
            forcing.stop()


@contextmanager
def forced_pair(settings: Settings, traces: Sequence[TraceText]) -> Iterator[ForcedPair]:
    """Build a pair, warm; it is freed on leaving.

    Args:
        settings: What is wanted.
        traces: What is to be followed; their problems differ.
    """
    scale = SCALES[settings.scale]
    shapes = {Role.LARGE: scale.large, Role.SMALL: scale.small}
    size = QWEN_TOKENS if scale.large.vocabulary else None
    tokenizer = trace_tokenizer([text for trace in traces for text in (trace.text, trace.problem)], size)
    scenarios = [
        prepare(trace, tokenizer, settings.tokens, _history(traces, number, tokenizer, settings.history))
        for number, trace in enumerate(traces)
    ]
    context = max(len(s.ids) + s.prompt_tokens for s in scenarios) + _ROOM
    models = {
        role: build_model(shape, tokenizer, device=settings.device, dtype=settings.dtype, seed=settings.seed + number)
        for number, (role, shape) in enumerate(shapes.items())
    }
    forcings = {role: Forcing(model, context + WIDTHS[-1]) for role, model in models.items()}
    engine = TransformersEngine(
        models[Role.LARGE],
        models[Role.SMALL],
        tokenizer,
        draft_max=settings.draft_max,
        draft_confidence=settings.draft_confidence,
        max_context=context,
        large_name=scale.large.name,
        small_name=scale.small.name,
        compile=settings.compiled,
    )
    options: dict[str, Any] = {**options_for(settings.tokens), "temperature": settings.temperature}
    if settings.temperature:
        options |= _SAMPLED
    try:
        engine.warmup()
        yield ForcedPair(
            models, forcings, scenarios, ForcedRelay(engine, forcings, scenarios, settings.agreement, **options)
        )
    finally:
        engine.close()
        for forcing in forcings.values():
            forcing.remove()


def _history(traces: Sequence[TraceText], number: int, tokenizer: Any, tokens: int) -> str:
    """So many tokens of the other traces, without tags: a history that is over."""
    others = " ".join(trace.text for trace in (*traces[number + 1 :], *traces[: number + 1]))
    untagged = others.replace("<think>", " ").replace("</think>", " ")
    ids = tokenizer(untagged, add_special_tokens=False, verbose=False)["input_ids"] if tokens else []
    while ids and len(ids) < tokens:
        ids = [*ids, *ids]
    return str(tokenizer.decode(ids[:tokens])).strip()
