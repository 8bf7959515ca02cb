"""Where the command begins and ends: arguments in, exit code out, every failure one line on stderr.

Owns the exit codes (0 done, 1 failed, 2 misused, 130 interrupted, 141 when nobody reads the output any more)
and is the one place of the package that catches everything. Refuses to show a traceback unless ``--debug`` asks
for it.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence

from relaygen_runtime.cli.log_notes import log_notes
from relaygen_runtime.cli.pair import OpenRelay, open_relay
from relaygen_runtime.cli.parser import parse
from relaygen_runtime.cli.terminal import Terminal
from relaygen_runtime.errors import ConfigurationError, RelayGenError, RequestError

__all__ = ["main"]

_FAILED, _MISUSED, _INTERRUPTED, _NOBODY_READS = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None, *, opener: OpenRelay = open_relay) -> int:
    """Run the command.

    Args:
        argv: The arguments; default: those of the process.
        opener: How a pair of models is opened; tests give their own.

    Returns:
        The exit code.
    """
    _mend_streams()
    arguments = parse(sys.argv[1:] if argv is None else argv)
    terminal = Terminal.of(no_color=arguments.no_color)
    try:
        with log_notes(terminal, debug=arguments.debug):
            code: int = arguments.command(arguments, terminal, opener)
        sys.stdout.flush()
    except KeyboardInterrupt:
        terminal.reset()
        terminal.say("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return _NOBODY_READS
    except Exception as error:  # noqa: BLE001  (the edge: whatever it is, the user gets one line)
        terminal.reset()
        if arguments.debug:
            traceback.print_exc()
        terminal.error(_sentence(error))
        return _MISUSED if _is_misuse(error) else _FAILED
    return code


def _is_misuse(error: Exception) -> bool:
    """Whether another command line would have worked; a path that cannot be read counts, a full disk does not."""
    unreadable = FileNotFoundError | IsADirectoryError | NotADirectoryError | PermissionError
    return isinstance(error, ConfigurationError | RequestError) or (
        isinstance(error, unreadable) and error.filename is not None
    )


def _sentence(error: Exception) -> str:
    """What the user reads: known errors explain themselves, a file error names its file, the rest is called a bug."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}; check the path and its permissions"
    if isinstance(error, RelayGenError | OSError):
        return " ".join(str(error).split())
    text = " ".join(str(error).split())
    return f"unexpected {type(error).__name__}: {text}; run again with --debug for where, and report it"


def _mend_streams() -> None:
    """Let nothing that is written fail for the stream's sake: a closed one swallows it, a narrow one escapes it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us (>&-)
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (as long as the process lives)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _silence_stdout() -> None:
    # The interpreter flushes stdout once more at exit, and would complain about the closed pipe.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
