"""The command on the embedded pair, as users run it."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys

import pytest

from relaygen_runtime.demo import pair_paths
from relaygen_runtime.errors import ModelLoadError
from tests.cli.conftest import Command


@pytest.fixture(autouse=True)
def _pair() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    try:
        pair_paths()
    except ModelLoadError as error:
        pytest.skip(f"the embedded pair is not here: {error}")


def test_the_demo_answers_and_measures(command: Command) -> None:
    done = command("demo", "What is 37 * 24 + 118?", "--repeats", "1", "--max-tokens", "200")

    out = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert "[L] " in out
    assert "Speed-up per token: " in out
    assert "Traceback" not in done.stderr.decode()


def test_json_lines_come_from_real_models_too(command: Command) -> None:
    done = command("run", "--demo", "--json", "--max-tokens", "60", "What is 37 * 24 + 118?")

    events = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == 0, done.stderr.decode()
    assert events[-1]["event"] == "relay_finished"
    assert events[-1]["ledger"]["tokens"] <= 60
    assert b"Loading weights" not in done.stderr


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "user", "content": "word " * 20_000}], "tokens"),
        ([{"role": "wizard", "content": "?"}], "wizard"),
    ],
    ids=["longer than the context", "a role that the template refuses"],
)
def test_a_request_that_cannot_be_served_is_misuse(command: Command, messages: object, words: str) -> None:
    done = command("run", "--demo", "--messages", "-", stdin=json.dumps(messages).encode())

    err = done.stderr.decode()
    assert done.returncode == 2, err
    assert words in err
    assert err.count("\n") == 1


def test_ctrl_c_while_real_models_write_ends_with_130() -> None:
    arguments = ["run", "--demo", "--json", "--mode", "large", "--no-speculation", "--max-tokens", "1500", "12 * 34?"]
    process = subprocess.Popen(  # noqa: S603  (our own command)
        [sys.executable, "-m", "relaygen_runtime", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err == b"relaygen: interrupted\n"
