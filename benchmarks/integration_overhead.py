"""What the frameworks' chat models add to a relay: time per token when streaming, and the time to make one.

Run as ``python -m benchmarks.integration_overhead``. Streams each question through `Relay.stream` and through each
integration's own stream, interleaved, greedy, on the same loaded pair with cold caches; the fastest of a few repeats
counts. The constructors are timed in fresh interpreters, imports excluded. Prints markdown, writes JSON.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import torch

from relaygen_integrations.pairs import DEMO_LARGE, DEMO_PROFILE, DEMO_SMALL, Pair
from relaygen_runtime import Relay
from relaygen_runtime.demo.data.problems import heldout_problems
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.evaluation.machine import describe_machine
from relaygen_runtime.evaluation.spread import Figure, bootstrap

_MAX_TOKENS = 512
_MAKE = {
    "langchain": "from relaygen_integrations.langchain import ChatRelayGen as Model",
    "llama_index": "from relaygen_integrations.llama_index import RelayGenLLM as Model",
}
_TIMED = "import time; {make}; a = time.perf_counter(); Model.demo(); print(time.perf_counter() - a)"

Side = Callable[[str], int]
"""Streams the answer to a question to its end and returns how many pieces came."""


def relay_side(relay: Relay) -> Side:
    """The relay itself."""
    return lambda question: sum(1 for _ in relay.stream(question, temperature=0, max_tokens=_MAX_TOKENS))


def langchain_side() -> Side:
    """`ChatRelayGen.stream`."""
    from relaygen_integrations.langchain import ChatRelayGen  # noqa: PLC0415  (one framework does without the other)

    llm = ChatRelayGen.demo(temperature=0, max_tokens=_MAX_TOKENS)
    return lambda question: sum(1 for _ in llm.stream(question))


def llama_index_side() -> Side:
    """`RelayGenLLM.stream_chat`."""
    from llama_index.core.base.llms.types import ChatMessage  # noqa: PLC0415

    from relaygen_integrations.llama_index import RelayGenLLM  # noqa: PLC0415

    llm = RelayGenLLM.demo(temperature=0, max_tokens=_MAX_TOKENS)
    return lambda question: sum(1 for _ in llm.stream_chat([ChatMessage(role="user", content=question)]))


_SIDES: dict[str, Callable[[], Side]] = {"langchain": langchain_side, "llama_index": llama_index_side}


def streamed(names: list[str], questions: list[str], repeats: int) -> dict[str, Any]:
    """Seconds of every side on every question, and tokens: the fastest of `repeats`, sides interleaved."""
    relay = Pair(DEMO_LARGE, DEMO_SMALL).relay(DEMO_PROFILE)
    engine = relay.engine
    if not isinstance(engine, TransformersEngine):
        raise TypeError(f"expected the in-process engine, got {type(engine).__name__}")
    sides = {"relay": relay_side(relay), **{name: _SIDES[name]() for name in names}}
    for side in sides.values():
        side(questions[0])
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for number, question in enumerate(questions):
        best = dict.fromkeys(sides, float("inf"))
        for repeat in range(repeats):
            turn = repeat % len(sides)
            for name in [*list(sides)[turn:], *list(sides)[:turn]]:
                engine.forget()
                began = perf_counter()
                sides[name](question)
                best[name] = min(best[name], perf_counter() - began)
        for name in sides:
            seconds[name].append(best[name])
        print(f"question {number + 1} of {len(questions)}", file=sys.stderr, flush=True)
    tokens = [relay.generate(question, temperature=0, max_tokens=_MAX_TOKENS).ledger.tokens for question in questions]
    return {"seconds": seconds, "tokens": tokens}


def ratio(theirs: list[float], ours: list[float]) -> Figure:
    """Time of an integration over the relay's, with its 95% interval over questions."""
    rows = list(zip(theirs, ours, strict=True))
    return bootstrap(rows, lambda some: sum(row[0] for row in some) / sum(row[1] for row in some))


def made_in_s(name: str, n: int) -> list[float]:
    """Seconds that the constructor takes, each time in a new interpreter."""
    command = [sys.executable, "-c", _TIMED.format(make=_MAKE[name])]
    done = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(n)]
    return [float(run.stdout) for run in done]


def measure(names: list[str], n: int, repeats: int) -> dict[str, Any]:
    """Everything, as plain data."""
    told = streamed(names, [str(problem.messages[-1]["content"]) for problem in heldout_problems(n, seed=0)], repeats)
    per_token = {name: 1000 * sum(seconds) / sum(told["tokens"]) for name, seconds in told["seconds"].items()}
    return {
        "machine": describe_machine(),
        "n": n,
        "repeats": repeats,
        "ms_per_token": per_token,
        "ratios": {name: ratio(told["seconds"][name], told["seconds"]["relay"]) for name in names},
        "constructor_s": {name: made_in_s(name, n) for name in names},
    }


def markdown(result: dict[str, Any]) -> str:
    """The table of a measurement."""
    rows = ["| stream | ms per token | against the relay | constructor, ms |", "| --- | --- | --- | --- |"]
    rows.append(f"| `Relay.stream` | {result['ms_per_token']['relay']:.2f} | 1 | |")
    for name, figure in result["ratios"].items():
        made = [1000 * seconds for seconds in result["constructor_s"][name]]
        rows.append(
            f"| {name} | {result['ms_per_token'][name]:.2f} | {figure} "
            f"| {median(made):.1f} ({min(made):.1f} to {max(made):.1f}) |"
        )
    return "\n".join([*rows, "", f"n = {result['n']} questions, the fastest of {result['repeats']} each"])


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=12, help="questions, and new interpreters")
    parser.add_argument("--repeats", type=int, default=3, help="the fastest of so many counts")
    parser.add_argument("--only", choices=_SIDES, help="one framework alone")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    result = measure([args.only] if args.only else list(_SIDES), args.n, args.repeats)
    print(json.dumps(result["machine"]))
    print(markdown(result))
    if args.json:
        args.json.write_text(
            json.dumps({**result, "ratios": {k: dataclasses.asdict(v) for k, v in result["ratios"].items()}})
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
