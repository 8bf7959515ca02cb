"""What the command's tests share."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from relaygen_runtime import Relay
from tests.cli.scripted_pair import LARGE, SMALL
from tests.relay.scripts import scripted

Command = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Puts bytes on standard input."""

    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))

    return put


@pytest.fixture
def scripted_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes scripted models of the embedded pair, behind the command's real door."""
    relay, _ = scripted(LARGE, SMALL)
    monkeypatch.setattr(Relay, "demo", lambda **_: relay)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs the real command in a process of its own, in an empty folder."""

    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603  (our own command)
            [sys.executable, "-m", "relaygen_runtime", *arguments],
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.getcwd(), "HF_HUB_OFFLINE": "1", **environment},
        )

    return run
