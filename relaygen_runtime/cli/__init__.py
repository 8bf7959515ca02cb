"""The `relaygen` command: a consumer of the public API like any other. Importing it loads next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; see `relaygen_runtime.cli.entry`."""
    try:
        from relaygen_runtime.cli.entry import main as run  # noqa: PLC0415  (Ctrl-C must find us ready while it loads)
    except KeyboardInterrupt:
        sys.stderr.write("relaygen: interrupted\n")
        return 130
    return run(argv)
