"""The real command on scripted models that write slowly, as a program, for tests that interrupt it."""

from __future__ import annotations

import sys
import time

from relaygen_runtime import Role
from relaygen_runtime.cli.entry import main
from tests.cli.scripted_pair import scripted_opener


def pause(author: Role, written: int) -> None:
    time.sleep(0.005)


if __name__ == "__main__":
    opener, _ = scripted_opener([" ".join(f"w{i}" for i in range(5000))], ["Twelve."], fail=pause)
    sys.exit(main(sys.argv[1:], opener=opener))
