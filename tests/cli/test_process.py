"""The command as a process: exit codes, streams, signals."""

from __future__ import annotations

import importlib.util
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

NO_TORCH = importlib.util.find_spec("torch") is None


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "--demo", "--temprature", "1", "?"], 2, "did you mean --temperature?"),
        (["run", "--large", "x", "?"], 2, "--small is missing"),
        (["run", "--demo", "--max-tokens", "0", "?"], 2, "max_tokens: 0 is out of range"),
        (["run", "--demo", "--file", "nowhere.txt"], 2, "nowhere.txt"),
        (["profiles", "show", "qwem3"], 2, "did you mean 'qwen3'?"),
        (["profiles", "validate", "nowhere.json"], 2, "nowhere.json"),
        (["run", "--large", "l", "--small", "s", "--profile", "nowhere.json", "?"], 2, "nowhere.json"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(command: Command, arguments: list[str], code: int, words: str) -> None:
    done = command(*arguments)

    assert done.returncode == code
    assert done.stdout == b""
    assert words in done.stderr.decode()
    assert done.stderr.startswith(b"relaygen: error: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(NO_TORCH, reason="needs torch and transformers")
def test_an_unknown_model_path_is_misuse_and_named(command: Command) -> None:
    done = command("run", "--large", "./no/such/model", "--small", "./no/such/model", "--profile", "qwen3", "?")

    assert done.returncode == 2
    assert b"no/such/model" in done.stderr
    assert b"Traceback" not in done.stderr


def test_standard_input_that_is_not_utf8_is_refused(command: Command) -> None:
    done = command("run", "--demo", stdin=b"caf\xe9")

    assert done.returncode == 2
    assert done.stderr == (
        b"relaygen: error: standard input: byte 3 (0xe9) is not UTF-8; convert the text, e.g. with iconv -t UTF-8\n"
    )


def test_a_malformed_profile_is_refused(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"name": "x", "cues": []}', encoding="utf-8")

    done = command("run", "--large", "l", "--small", "s", "--profile", "bad.json", "?")

    assert done.returncode == 2
    assert b"bad.json" in done.stderr
    assert b"cues" in done.stderr


def test_results_go_to_stdout_and_nothing_else_does(command: Command) -> None:
    done = command("profiles", "show", "qwen3")

    assert done.returncode == 0
    assert json.loads(done.stdout)["name"] == "qwen3-32b--1.7b"
    assert done.stderr == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_error(closed: str) -> None:
    done = subprocess.run(  # noqa: S603  (our own command)
        ["/bin/sh", "-c", f'exec "$0" -m relaygen_runtime profiles list {closed}', sys.executable],
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_narrow_stdout_gets_escapes_for_what_it_cannot_hold(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"name": "p", "cues": ["Überdies"]}', encoding="utf-8")

    done = command("profiles", "show", "p.json", PYTHONIOENCODING="ascii")

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\xdcberdies" in done.stdout


def slow(*arguments: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  (our own command)
        [sys.executable, "-m", "tests.cli.slow_command", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def test_ctrl_c_in_the_middle_of_a_stream_ends_with_130_and_one_line() -> None:
    with slow("run", "--demo", "--json", "?") as process:
        assert process.stdout is not None
        for _ in range(5):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert err == b"relaygen: interrupted\n"
    for line in out.splitlines():
        json.loads(line)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_leaves_no_colour_behind_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    with slow("run", "--demo", "?", stdout=theirs) as process:
        os.close(theirs)
        seen = b""
        while b"w9" not in seen:
            seen += os.read(ours, 1024)
        process.send_signal(signal.SIGINT)
        seen += _rest(ours)
        _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert err == b"relaygen: interrupted\n"
    assert re.search(rb"\x1b\[[0-9;]*36m", seen), "colours were on"
    assert seen.rstrip(b"\r\n").endswith(b"\x1b[0m")


def _rest(descriptor: int) -> bytes:
    seen = b""
    while True:
        try:
            more = os.read(descriptor, 4096)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.close(descriptor)
    return seen


def test_a_reader_that_goes_away_ends_the_command_without_a_word() -> None:
    with slow("run", "--demo", "--json", "?") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=20) == 141
        assert process.stderr is not None
        assert process.stderr.read() == b""
