"""The in-process engine against transformers' own decoding, on one pair and the same prompts.

Run as ``python -m benchmarks.engine``. Four figures: the large alone against ``model.generate``; speculation alone
against assisted generation, tuned (the best of its draft lengths and confidence thresholds); what a handoff costs in
passes of the model that takes over; the time to the first token of an agent's second turn against its first. All sides
are interleaved, caches of earlier calls are dropped before each measured answer. Prints markdown, writes JSON.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from benchmarks.handoff import handoff_figures
from benchmarks.second_turn import second_turn_figure
from relaygen_runtime import Relay
from relaygen_runtime.demo import pair_paths
from relaygen_runtime.demo.data.problems import heldout_problems
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.evaluation.machine import describe_machine
from relaygen_runtime.evaluation.spread import Figure, bootstrap

DRAFT_LENGTHS = (4, 8, 12, 20)
THRESHOLDS = (0.0, 0.4, 0.7, 0.9)
_MAX_TOKENS = 512

Side = Callable[[Any], int]
"""Writes the answer to one list of messages and returns how many tokens it wrote."""


class TransformersSides:
    """transformers' own decoding of the same pair, as it comes."""

    def __init__(self, large: Path, small: Path) -> None:
        self.tokenizer: Any = AutoTokenizer.from_pretrained(large)
        self.large: Any = AutoModelForCausalLM.from_pretrained(large, dtype=torch.float32)
        self.small: Any = AutoModelForCausalLM.from_pretrained(small, dtype=torch.float32)
        self.large.eval()  # type: ignore[no-untyped-call]  # untyped in transformers
        self.small.eval()  # type: ignore[no-untyped-call]  # untyped in transformers

    def generate(self, messages: Any, **options: Any) -> int:
        """``model.generate``, greedy."""
        text = self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        ids = torch.tensor([self.tokenizer.encode(text, add_special_tokens=False)])
        with torch.inference_mode():
            out = self.large.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                max_new_tokens=_MAX_TOKENS,
                pad_token_id=self.tokenizer.pad_token_id or 0,
                **options,
            )
        return int(out.shape[1] - ids.shape[1])

    def assisted(self, length: int, threshold: float) -> Side:
        """Assisted generation with one setting."""

        def side(messages: Any) -> int:
            config = self.small.generation_config
            config.num_assistant_tokens = length
            config.num_assistant_tokens_schedule = "constant"
            config.assistant_confidence_threshold = threshold
            return self.generate(messages, assistant_model=self.small)

        return side


def relay_side(relay: Relay, engine: TransformersEngine, **options: Any) -> Side:
    """One of our arms, each answer with cold caches."""

    def side(messages: Any) -> int:
        engine.forget()
        ledger = relay.generate(messages, temperature=0, max_tokens=_MAX_TOKENS, **options).ledger
        # transformers counts the end-of-sequence token that it writes; so do we here.
        return ledger.tokens + 1

    return side


def race(sides: dict[str, Side], prompts: Sequence[Any], repeats: int) -> dict[str, list[tuple[float, int]]]:
    """Seconds and tokens of every side on every prompt: the fastest of `repeats`, sides interleaved."""
    best: dict[str, list[tuple[float, int]]] = {name: [] for name in sides}
    for number, prompt in enumerate(prompts):
        seconds = dict.fromkeys(sides, float("inf"))
        tokens = dict.fromkeys(sides, 0)
        for repeat in range(repeats):
            names = list(sides)[repeat % len(sides) :] + list(sides)[: repeat % len(sides)]
            for name in names:
                began = perf_counter()
                tokens[name] = sides[name](prompt)
                seconds[name] = min(seconds[name], perf_counter() - began)
        for name in sides:
            best[name].append((seconds[name], tokens[name]))
        print(f"prompt {number + 1} of {len(prompts)}", file=sys.stderr, flush=True)
    return best


def ratio(ours: list[tuple[float, int]], theirs: list[tuple[float, int]]) -> Figure:
    """Our tokens a second over theirs, with its 95% interval over prompts."""
    rows = [(*a, *b) for a, b in zip(ours, theirs, strict=True)]
    return bootstrap(
        rows, lambda r: (sum(x[1] for x in r) / sum(x[0] for x in r)) / (sum(x[3] for x in r) / sum(x[2] for x in r))
    )


def tune(sides: TransformersSides, prompts: Sequence[Any]) -> tuple[int, float]:
    """The fastest draft length and confidence threshold of assisted generation on a few prompts."""
    speeds: dict[tuple[int, float], float] = {}
    for setting in itertools.product(DRAFT_LENGTHS, THRESHOLDS):
        side, seconds, tokens = sides.assisted(*setting), 0.0, 0
        for prompt in prompts:
            began = perf_counter()
            tokens += side(prompt)
            seconds += perf_counter() - began
        speeds[setting] = tokens / seconds
        print(f"assisted {setting}: {speeds[setting]:.0f} tokens/s", file=sys.stderr, flush=True)
    return max(speeds, key=lambda setting: speeds[setting])


def measure(n: int, repeats: int, tuning: int, history: int) -> dict[str, Any]:
    """All four figures."""
    paths = pair_paths()
    theirs = TransformersSides(paths.large, paths.small)
    engine = TransformersEngine.from_pretrained(str(paths.large), str(paths.small))
    relay = Relay(engine, paths.profile)
    problems = [problem.messages for problem in heldout_problems(n + tuning, 7, "seen")]
    setting = tune(theirs, problems[n:])
    sides = {
        "large alone, ours": relay_side(relay, engine, mode="large", speculation=False),
        "large alone, model.generate": theirs.generate,
        "speculation, ours": relay_side(relay, engine, mode="large", speculation=True),
        "speculation, assisted generation": theirs.assisted(*setting),
    }
    best = race(sides, problems[:n], repeats)
    return {
        "machine": describe_machine(),
        "n": n,
        "repeats": repeats,
        "tokens_per_s": {name: sum(t for _, t in rows) / sum(s for s, _ in rows) for name, rows in best.items()},
        "assisted_setting": {"num_assistant_tokens": setting[0], "confidence_threshold": setting[1]},
        "large_alone_vs_generate": figure(ratio(best["large alone, ours"], best["large alone, model.generate"])),
        "speculation_vs_assisted": figure(ratio(best["speculation, ours"], best["speculation, assisted generation"])),
        "handoff": {name: figure(value) for name, value in handoff_figures(engine, problems[:n]).items()},
        "second_turn": figure(
            second_turn_figure(
                relay, history, repeats, count=lambda text: len(theirs.tokenizer.encode(text)), forget=engine.forget
            )
        ),
        "history_tokens": history,
    }


def figure(value: Figure) -> dict[str, float]:
    """A figure as JSON data."""
    return dataclasses.asdict(value)


def markdown(result: dict[str, Any]) -> str:
    """The figures as a table."""

    def cell(value: dict[str, float]) -> str:
        return f"{value['value']:.2f} ({value['low']:.2f} to {value['high']:.2f}) | {value['n']}"

    setting = result["assisted_setting"]
    rows = [
        "| figure | measured (95%) | n |",
        "| --- | --- | --- |",
        f"| large alone, ours over `model.generate` | {cell(result['large_alone_vs_generate'])} |",
        f"| speculation, ours over assisted generation ({setting['num_assistant_tokens']} drafts, "
        f"threshold {setting['confidence_threshold']}) | {cell(result['speculation_vs_assisted'])} |",
    ]
    rows += [
        f"| one handoff, {name}, in plain steps of the model that takes over | {cell(v)} |"
        for name, v in result["handoff"].items()
    ]
    rows.append(
        f"| second turn's time to first token over the first's ({result['history_tokens']} tokens of history) "
        f"| {cell(result['second_turn'])} |"
    )
    rows.append("")
    rows += [f"- {name}: {speed:.0f} tokens/s" for name, speed in result["tokens_per_s"].items()]
    return "\n".join(rows)


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=12, help="prompts")
    parser.add_argument("--repeats", type=int, default=3, help="the fastest of so many counts")
    parser.add_argument("--tuning", type=int, default=4, help="prompts on which assisted generation is tuned")
    parser.add_argument("--history", type=int, default=4000, help="tokens of history before an agent's second turn")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    result = measure(args.n, args.repeats, args.tuning, args.history)
    print(markdown(result))
    if args.json:
        args.json.write_text(json.dumps(result, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
