"""``python -m relaygen_runtime``: the `relaygen` command, for where its script is not on the path."""

from __future__ import annotations

import sys

from relaygen_runtime.cli import main

if __name__ == "__main__":
    sys.exit(main())
