"""`relaygen profiles`: list, show, validate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relaygen_runtime import list_profiles
from relaygen_runtime.cli.entry import main

Captured = pytest.CaptureFixture[str]
SOUND = {"schema_version": 1, "name": "mine", "cues": ["So,"]}


def test_the_list_names_every_built_in_profile(capsys: Captured) -> None:
    assert main(["profiles", "list"]) == 0

    out = capsys.readouterr().out
    for name in list_profiles():
        assert name in out
    assert "qwen3" in out


def test_what_show_prints_validate_accepts(tmp_path: Path, capsys: Captured) -> None:
    assert main(["profiles", "show", "qwen3"]) == 0
    copy = tmp_path / "mine.json"
    copy.write_text(capsys.readouterr().out, encoding="utf-8")

    assert main(["profiles", "validate", str(copy)]) == 0
    assert capsys.readouterr().out == f"{copy}: sound; profile qwen3-32b--1.7b with 28 cues, match=word\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (json.dumps({**SOUND, "cues": []}), "cues"),
        (json.dumps({**SOUND, "schema_version": 99}), "newer"),
        (json.dumps({**SOUND, "cue": []}), "unknown field 'cue'"),
        ("{", "not JSON"),
        ("[]", "JSON object"),
    ],
)
def test_a_profile_that_cannot_work_is_misuse_with_one_line(
    content: str, words: str, tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "bad.json"
    file.write_text(content, encoding="utf-8")

    assert main(["profiles", "validate", str(file)]) == 2

    err = capsys.readouterr().err
    assert err.startswith(f"relaygen: error: {file}")
    assert words in err
    assert err.count("\n") == 1


def test_validate_wants_a_file_not_a_built_in_name(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["profiles", "validate", "qwen3"]) == 2
    assert "qwen3" in capsys.readouterr().err


def test_an_unknown_profile_names_the_nearest(capsys: Captured) -> None:
    assert main(["profiles", "show", "qwen"]) == 2
    assert "did you mean 'qwen3'?" in capsys.readouterr().err
