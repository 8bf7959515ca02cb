"""Traces are read where they are at hand, and made up elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.forced.texts import made_up_traces, real_traces, traces_file


def test_made_up_traces_have_both_phases_and_cues() -> None:
    text = made_up_traces(1)[0].text
    assert text.startswith("<think>\n")
    assert text.count("</think>") == 1
    assert "Therefore," in text


def test_made_up_traces_differ_in_problem_and_text_but_not_from_run_to_run() -> None:
    first, second = made_up_traces(2)
    assert first.problem != second.problem
    assert first.text != second.text
    assert made_up_traces(2) == [first, second]


def test_the_first_run_of_every_problem_comes_first_and_prompts_are_unique(tmp_path: Path) -> None:
    rows = [
        {"problem_id": problem, "run": run, "problem": f"p{problem}", "tokens": 9, "text": "<think>t</think>a"}
        for problem in (0, 1)
        for run in (0, 1)
    ]
    file = tmp_path / "traces.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    traces = real_traces(file)
    assert [trace.name for trace in traces][:2] == ["problem 0, run 0", "problem 1, run 0"]
    assert len({trace.problem for trace in traces}) == 4
    assert traces[0].declared_tokens == 9


def test_without_the_environment_variable_there_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RELAYGEN_TRACES", raising=False)
    assert traces_file() is None
