"""The `relaygen` command: a consumer of the public API like any other. Importing it loads no model library."""

from relaygen_runtime.cli.entry import main

__all__ = ["main"]
