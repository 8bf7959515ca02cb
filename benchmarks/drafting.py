"""What relaying changes for speculation: passes of the large model an answer, and speed under other draft settings.

Run as ``python -m benchmarks.drafting``. All arms answer the same prompts on the embedded pair, interleaved.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from relaygen_runtime import Relay
from relaygen_runtime.demo.data.problems import heldout_problems
from relaygen_runtime.engines.base import Capabilities, Chunk, Engine, GenerationRequest, Run, RunStats, Session
from relaygen_runtime.evaluation.bench import ARMS, run_bench
from relaygen_runtime.vocabulary import Piece, Role

SETTINGS = ((0.5, 24), (0.7, 24), (0.7, 40), (0.9, 24))
_ARMS = ("large alone", "speculation", "relay + speculation")


class CountingEngine:
    """An engine that counts the large model's forward passes and changes nothing."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.large_passes = 0

    @property
    def capabilities(self) -> Capabilities:
        return self._engine.capabilities

    def open(self, request: GenerationRequest, *, cancelled: threading.Event | None = None) -> Session:
        return _CountingSession(self, self._engine.open(request, cancelled=cancelled))

    def large_alone_s_per_token(self) -> float | None:
        return self._engine.large_alone_s_per_token()

    def close(self) -> None:
        self._engine.close()


class _CountingSession:
    def __init__(self, counter: CountingEngine, session: Session) -> None:
        self._counter = counter
        self._session = session
        self._author = Role.LARGE

    @property
    def prompt_text(self) -> str:
        return self._session.prompt_text

    @property
    def prompt_tokens(self) -> int | None:
        return self._session.prompt_tokens

    @property
    def shortest_answer(self) -> int | None:
        return self._session.shortest_answer

    def write(self, run: Run) -> Iterator[Chunk]:
        self._author = run.author
        return self._session.write(run)

    def rollback(self, pieces: int) -> None:
        self._session.rollback(pieces)

    def inject(self, text: str) -> Sequence[Piece]:
        return self._session.inject(text)

    def take_stats(self) -> RunStats:
        stats = self._session.take_stats()
        if self._author is Role.LARGE:
            self._counter.large_passes += stats.forward_passes
        return stats

    def close(self) -> None:
        self._session.close()


def passes(prompts: Sequence[Any]) -> dict[str, float]:
    """Passes of the large model an answer, for each drafting arm, with the prompt already in both caches."""
    pair = Relay.demo()
    counter = CountingEngine(pair.engine)
    relay = Relay(counter, pair.profile)
    counts: dict[str, float] = {}
    for arm in _ARMS[1:]:
        total = 0
        for prompt in prompts:
            relay.generate(prompt, temperature=0)
            before = counter.large_passes
            relay.generate(prompt, temperature=0, **ARMS[arm])
            total += counter.large_passes - before
        counts[arm] = total / len(prompts)
    relay.close()
    return counts


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=10, help="prompts")
    parser.add_argument("--repeats", type=int, default=2, help="the fastest of so many counts")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    prompts = [list(problem.messages) for problem in heldout_problems(args.n, 7, "seen")]
    for arm, count in passes(prompts).items():
        print(f"- {arm}: {count:.1f} passes of the large model an answer, n = {args.n}")
    print("\n| confidence | longest draft | relay + speculation over speculation (95%) |\n| --- | --- | --- |")
    for confidence, longest in SETTINGS:
        with Relay.demo(engine_options={"draft_confidence": confidence, "draft_max": longest}) as relay:
            arms = {arm: ARMS[arm] for arm in _ARMS}
            report = run_bench(relay, prompts, repeats=args.repeats, arms=arms, temperature=0)
            print(f"| {confidence} | {longest} | {report.over_speculation} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
