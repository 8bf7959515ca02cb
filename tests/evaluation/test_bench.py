"""The bench measures every arm on every prompt, interleaved, and says what pays."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from relaygen_runtime import Relay, ScriptedEngine
from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.evaluation.bench import ARMS, run_bench
from relaygen_runtime.evaluation.bench_report import ArmFigures, BenchReport
from relaygen_runtime.evaluation.spread import Figure

TRACE = "<think>I look at it first. So, it is 4. Then more text follows here.</think>\n\nFour."


def bench(**options: Any) -> BenchReport:
    return run_bench(Relay(ScriptedEngine(trace=TRACE), "demo"), ["a", "b"], **options)


def test_every_arm_is_there_in_order() -> None:
    assert [arm.name for arm in bench(repeats=1).arms] == list(ARMS)


def test_the_first_arm_is_the_base_of_the_ratios() -> None:
    assert bench(repeats=1).arms[0].speedup_per_token.value == 1.0


def test_only_relaying_arms_switch() -> None:
    switches = {arm.name: arm.switches_per_answer for arm in bench(repeats=1).arms}
    assert switches["large alone"] == switches["small alone"] == 0
    assert switches["relay"] > 0


def test_the_relay_is_compared_with_its_ideal() -> None:
    assert bench(repeats=1).relay_of_ideal is not None


def test_without_the_small_model_alone_there_is_no_ideal() -> None:
    arms = {name: ARMS[name] for name in ("large alone", "relay")}
    assert bench(repeats=1, arms=arms).relay_of_ideal is None


def test_both_together_are_compared_with_speculation_alone() -> None:
    assert bench(repeats=1).over_speculation is not None
    assert bench(repeats=1, arms={name: ARMS[name] for name in ("large alone", "relay")}).over_speculation is None


def test_arms_are_interleaved_and_each_repeat_begins_with_another() -> None:
    modes: list[Any] = []

    class Spy(Relay):
        def generate(self, messages: Any, **options: Any) -> Any:
            modes.append((options["mode"], options.get("speculation")))
            return super().generate(messages, **options)

    run_bench(Spy(ScriptedEngine(trace=TRACE), "demo"), ["a"], repeats=2)
    arms = [(arm["mode"], arm["speculation"]) for arm in ARMS.values()]
    assert modes == [("relay", None), *arms, *arms[1:], arms[0]]


def test_progress_ends_at_the_total() -> None:
    seen: list[tuple[int, int]] = []
    bench(repeats=2, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (22, 22)


@pytest.mark.parametrize(("prompts", "repeats"), [([], 1), (["a"], 0)])
def test_nothing_to_measure_is_refused(prompts: list[str], repeats: int) -> None:
    with pytest.raises(ConfigurationError, match="at least 1 prompt and 1 repeat"):
        run_bench(Relay(ScriptedEngine(trace=TRACE), "demo"), prompts, repeats=repeats)


def test_json_and_markdown_hold_the_verdict() -> None:
    report = bench(repeats=1)
    assert json.loads(report.json())["verdict"] == report.verdict()
    assert report.markdown().endswith(report.verdict())


def arm(name: str, speed: float, low: float) -> ArmFigures:
    figure = Figure(speed, low, speed + 0.1, 5)
    return ArmFigures(name, 100.0, 50.0, figure, figure, 0.3, 4.0, 0.9)


def report(*arms: ArmFigures) -> BenchReport:
    return BenchReport(
        "l", "s", "p", 5, 1, arms, None, None, {"versions": {}, "accelerator": "x", "threads": 1, "cores": 1}
    )


def test_the_verdict_names_the_fastest_arm_and_its_interval() -> None:
    verdict = report(arm("large alone", 1, 1), arm("relay", 1.3, 1.2), arm("speculation", 2.5, 2.4)).verdict()
    assert "speculation pays: 2.50 (2.40 to 2.60) times" in verdict
    assert "relay 1.30x" in verdict


def test_the_small_model_alone_is_never_what_pays() -> None:
    assert "small" not in report(arm("large alone", 1, 1), arm("small alone", 9, 8), arm("relay", 1.3, 1.2)).verdict()


def test_an_interval_that_reaches_one_pays_nothing_for_certain() -> None:
    assert "nothing pays for certain" in report(arm("large alone", 1, 1), arm("relay", 1.05, 0.95)).verdict()


def test_one_prompt_is_no_proof() -> None:
    one = dataclasses.replace(report(arm("large alone", 1, 1), arm("relay", 1.3, 1.2)), prompts=1)
    assert one.verdict() == "One prompt has no spread: relay was 1.30 times as fast as large alone, for now."


def test_one_arm_alone_has_no_verdict() -> None:
    assert report(arm("large alone", 1, 1)).verdict() == "Only large alone was measured."
