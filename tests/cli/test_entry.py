"""The edge: whatever happens inside, one line and a code come out."""

from __future__ import annotations

import argparse
import logging
from typing import Any

import pytest

from relaygen_runtime import MissingDependencyError, Relay
from relaygen_runtime.cli.entry import main
from relaygen_runtime.cli.terminal import Terminal
from tests.cli.scripted_pair import scripted_opener

Captured = pytest.CaptureFixture[str]


def raising(error: BaseException) -> Any:
    def opener(arguments: argparse.Namespace, terminal: Terminal, **defaults: Any) -> Relay:
        raise error

    return opener


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyError("x"), 1, "unexpected KeyError: 'x'; run again with --debug for where, and report it"),
        (MissingDependencyError("torch is missing: pip install it"), 1, "torch is missing: pip install it"),
        (OSError("no room"), 1, "no room"),
        (FileNotFoundError(2, "No such file or directory", "f"), 2, "f: No such file or directory; check the path"),
        (ValueError("two\nlines"), 1, "unexpected ValueError: two lines;"),
    ],
)
def test_an_error_is_one_line(error: Exception, code: int, line: str, capsys: Captured) -> None:
    assert main(["run", "--demo", "?"], opener=raising(error)) == code

    err = capsys.readouterr().err
    assert err.startswith(f"relaygen: error: {line}")
    assert err.count("\n") == 1


def test_debug_shows_where_it_came_from(capsys: Captured) -> None:
    main(["run", "--demo", "--debug", "?"], opener=raising(KeyError("x")))

    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_has_its_own_code(capsys: Captured) -> None:
    assert main(["run", "--demo", "?"], opener=raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "relaygen: interrupted\n"


def test_what_the_package_logs_is_a_note_and_the_logger_is_left_as_it_was(capsys: Captured) -> None:
    logger = logging.getLogger("relaygen_runtime")
    before = (list(logger.handlers), logger.level)
    opener, _ = scripted_opener()

    def logging_opener(*arguments: Any, **defaults: Any) -> Relay:
        logging.getLogger("relaygen_runtime.engines").warning("%s differ", "tokenizers")
        return opener(*arguments, **defaults)

    assert main(["run", "--demo", "?"], opener=logging_opener) == 0

    assert capsys.readouterr().err == "relaygen: note: tokenizers differ\n"
    assert (list(logger.handlers), logger.level) == before
