"""`relaygen bench`: the door to the bench, not the bench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relaygen_runtime.cli.entry import main
from tests.cli.scripted_pair import scripted_opener

Captured = pytest.CaptureFixture[str]


def test_it_prints_the_table_and_writes_the_files_that_were_asked_for(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "prompts.txt").write_text("one?\n\ntwo?\nthree?\n", encoding="utf-8")
    opener, _ = scripted_opener()
    files = ["--json", str(tmp_path / "b.json"), "--markdown", str(tmp_path / "b.md")]
    which = ["--large", "a", "--small", "b", "--profile", "demo", "--prompts", str(tmp_path / "prompts.txt"), "-n", "2"]

    assert main(["bench", *which, "--repeats", "1", *files], opener=opener) == 0

    out = capsys.readouterr().out
    assert "| large alone |" in out
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == out
    assert json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))["prompts"] == 2


@pytest.mark.parametrize("pair", [["--demo"], ["--large", "a", "--small", "b", "--profile", "demo"]])
def test_it_has_prompts_of_its_own(pair: list[str], capsys: Captured) -> None:
    opener, _ = scripted_opener()

    assert main(["bench", *pair, "-n", "2", "--repeats", "1"], opener=opener) == 0
    assert "n = 2 prompts" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-n", "0"], "-n: 0 given"),
        (["--repeats", "0"], "--repeats: 0 given"),
        (["--json", "nowhere/b.json"], "the folder nowhere does not exist"),
        (["--mode", "large"], "--mode: the arms"),
        (["--no-speculation"], "--speculation: the arms"),
    ],
)
def test_misuse_is_refused_before_models_are_loaded(arguments: list[str], words: str, capsys: Captured) -> None:
    opener, asked = scripted_opener()

    assert main(["bench", "--demo", *arguments], opener=opener) == 2

    assert words in capsys.readouterr().err
    assert asked.arguments == []
