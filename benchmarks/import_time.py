"""How long ``import relaygen_runtime`` takes, each time in a fresh interpreter, less what an empty one takes.

Run as ``python -m benchmarks.import_time``. Interleaved with importing nothing; prints medians and the spread.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from statistics import median

_IMPORT = "import sys; import relaygen_runtime; sys.exit('torch' in sys.modules)"
_TIMED = "import time; a = time.perf_counter(); import relaygen_runtime{more}; print(time.perf_counter() - a)"


def seconds(more: str = "") -> float:
    """Seconds of the import statement in a new interpreter."""
    done = subprocess.run([sys.executable, "-c", _TIMED.format(more=more)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=15)
    n = parser.parse_args(argv).n
    if subprocess.run([sys.executable, "-c", _IMPORT], check=False).returncode:
        print("torch was imported: it must not be")
        return 1
    plain, full = [], []
    for _ in range(n):
        plain.append(seconds())
        full.append(seconds("; relaygen_runtime.Relay"))
    for name, values in (("import relaygen_runtime", plain), ("the same and Relay", full)):
        print(
            f"{name}: median {median(values):.3f} s ({min(values):.3f} to {max(values):.3f}), n = {n}, no torch loaded"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
