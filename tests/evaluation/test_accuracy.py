"""Accuracy counts each arm on the same tasks and pairs the differences."""

from __future__ import annotations

import pytest

from relaygen_runtime import Relay, RelayResult, ScriptedEngine
from relaygen_runtime.errors import ConfigurationError, EngineError
from relaygen_runtime.evaluation.accuracy import Task, evaluate
from relaygen_runtime.vocabulary import Role

ARMS = {"large": {"mode": "large"}, "small": {"mode": "small"}}


def right(result: RelayResult) -> bool:
    return result.answer.startswith("yes")


def relay() -> Relay:
    engine = ScriptedEngine(large=["<think>a</think>", "yes"], small=["<think>a</think>", "no"])
    return Relay(engine, "demo")


def tasks(n: int) -> list[Task]:
    return [Task([{"role": "user", "content": str(i)}], "odd" if i % 2 else "even", right) for i in range(n)]


def test_each_arm_has_its_own_accuracy() -> None:
    report = evaluate(relay(), tasks(3), ARMS)
    assert (report.accuracy("large").value, report.accuracy("small").value) == (1.0, 0.0)


def test_the_difference_is_taken_against_the_first_arm() -> None:
    assert evaluate(relay(), tasks(3), ARMS).difference("small").value == -1.0


def test_the_small_models_share_is_of_all_tokens() -> None:
    report = evaluate(relay(), tasks(2), ARMS)
    assert (report.small_share("large"), report.small_share("small")) == (0.0, 1.0)


def test_kinds_are_counted_apart() -> None:
    assert evaluate(relay(), tasks(3), ARMS).by_kind("large") == {"even": (2, 2), "odd": (1, 1)}


def test_progress_counts_answers() -> None:
    seen: list[tuple[int, int]] = []
    evaluate(relay(), tasks(2), ARMS, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)


def test_a_failed_generation_is_an_error_not_a_wrong_answer() -> None:
    def fail(author: Role, taken: int) -> None:
        raise EngineError("gone")

    broken = Relay(ScriptedEngine(large=["x"], fail=fail), "demo")
    with pytest.raises(EngineError, match="gone"):
        evaluate(broken, tasks(1), ARMS)


def test_no_tasks_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="at least 1 task"):
        evaluate(relay(), [], ARMS)


def test_the_table_names_every_arm() -> None:
    table = evaluate(relay(), tasks(2), ARMS).markdown()
    assert "| large | 100.0%" in table
    assert "-100.0 (-100.0 to -100.0) points" in table
