"""The command prints a report with every figure, at toy scale on a CPU."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.gpu_pair import main
from relaygen_runtime.evaluation.bench import ARMS

ARGUMENTS = ["--scale", "toy", "--device", "cpu", "--tokens", "130", "--traces", "2", "--repeats", "1"]


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RELAYGEN_TRACES", raising=False)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    file = tmp_path_factory.mktemp("report") / "new" / "figures.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RELAYGEN_TRACES", raising=False)
        printed: list[str] = []
        patch.setattr("builtins.print", lambda *words, **_: printed.extend(map(str, words)))
        code = main([*ARGUMENTS, "--sweep", "0.6", "0.9", "--bandwidth", "50", "--progress", "--json", str(file)])
    assert code == 0
    return "\n".join(printed), json.loads(file.read_text(encoding="utf-8"))


def test_json_has_every_part(report: tuple[str, dict[str, Any]]) -> None:
    assert set(report[1]) == {
        "settings",
        "bench",
        "traces",
        "handoffs",
        "memory_bandwidth",
        "passes",
        "sweep",
        "graphs",
        "memory",
        "cuda",
    }


def test_every_arm_is_measured_with_its_spread_and_the_machine_beside_it(report: tuple[str, dict[str, Any]]) -> None:
    bench = report[1]["bench"]
    assert [arm["name"] for arm in bench["arms"]] == list(ARMS)
    assert all(arm["speedup_per_token"]["n"] == 2 for arm in bench["arms"])
    assert bench["machine"]["versions"]["torch"]
    assert {"commit", "date", "processor"} <= set(bench["machine"])


def test_handoffs_are_told_either_way(report: tuple[str, dict[str, Any]]) -> None:
    for role in ("large", "small"):
        assert report[1]["handoffs"][role]["passes"] == 1
        assert {"value", "low", "high", "n"} <= set(report[1]["handoffs"][role]["ratio"])


def test_fractions_of_the_limit_are_told_by_both_bandwidths(report: tuple[str, dict[str, Any]]) -> None:
    bandwidth = report[1]["memory_bandwidth"]
    assert bandwidth["stated_bytes_per_s"] == 50e9
    for figures in bandwidth["fractions"].values():
        for kind in ("pass", "step"):
            ideal_s = figures[f"{kind}_bytes"] / 50e9
            assert figures[f"{kind}_of_stated_limit"] == pytest.approx(ideal_s / figures[f"{kind}_s"])
            assert figures[f"{kind}_of_copy_limit"] > 0


def test_the_sweep_has_a_row_for_each_rate(report: tuple[str, dict[str, Any]]) -> None:
    sweep = report[1]["sweep"]
    assert [row["rate"] for row in sweep] == [0.6, 0.9]
    acceptance = [{arm["name"]: arm["acceptance"] for arm in row["arms"]} for row in sweep]
    assert acceptance[0]["speculation"] < acceptance[1]["speculation"]


def test_markdown_tells_the_same_and_what_is_assumed(report: tuple[str, dict[str, Any]]) -> None:
    text = report[0]
    for part in ("| relay + speculation |", "| handoff to |", "of the copy limit", "by width", "| agreement |"):
        assert part in text
    assert "acceptance is an assumption" in text
    assert "CUDA graphs: none here" in text


def test_made_up_texts_are_owned_up_to(report: tuple[str, dict[str, Any]]) -> None:
    assert "the texts are made up" in report[0]
    assert report[1]["traces"][0]["declared_tokens"] is None


def test_too_few_tokens_end_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "--tokens", "40"]) == 1
    assert "gpu_pair: tokens: the longest trace has 40" in capsys.readouterr().err


def test_more_traces_than_there_are_end_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qwen3-32b-aime25-traces.jsonl").write_text("", encoding="utf-8")
    monkeypatch.setenv("RELAYGEN_TRACES", str(tmp_path))
    assert main(ARGUMENTS) == 1
    assert "holds 0" in capsys.readouterr().err


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--device", "cuda"]) == 2
    assert "no CUDA here" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--agreement", "1.5"], ["--tokens", "0"], ["--history", "-1"]])
def test_values_out_of_range_are_misuse(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*ARGUMENTS, *wrong])
    assert stopped.value.code == 2
    assert wrong[0] in capsys.readouterr().err
