"""The command is ready for Ctrl-C before it has loaded itself."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from relaygen_runtime.cli import main


def test_an_interrupt_while_the_command_loads_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load = builtins.__import__

    def interrupted(name: str, *rest: Any, **more: Any) -> Any:
        if name == "relaygen_runtime.cli.entry":
            raise KeyboardInterrupt
        return load(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", interrupted)

    assert main(["profiles", "list"]) == 130
    assert capsys.readouterr().err == "relaygen: interrupted\n"


def test_the_command_runs_once_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profiles", "list"]) == 0
    assert "qwen3-32b--1.7b" in capsys.readouterr().out
