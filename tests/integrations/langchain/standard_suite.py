"""LangChain's standard suites for chat models on the embedded pair, and their counts.

Run as ``python -m tests.integrations.langchain.standard_suite``: the last line is "N passed, N skipped, N xfailed".
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_SUITES = ("test_standard_unit.py", "test_standard_integration.py")


class Counts:
    """Counts outcomes and keeps the reasons of what did not run."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        expected_failure = hasattr(report, "wasxfail")
        if report.when == "call" or report.outcome != "passed":
            outcome = "xfailed" if expected_failure and report.skipped else report.outcome
            self.outcomes[outcome] += 1
            if report.skipped and not expected_failure and isinstance(report.longrepr, tuple):
                self.reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1

    def line(self) -> str:
        told = ("passed", "skipped", "xfailed", *(["failed"] if self.outcomes["failed"] else []))
        return ", ".join(f"{self.outcomes[outcome]} {outcome}" for outcome in told)


def main() -> int:
    """Run both suites and print their counts."""
    counts = Counts()
    code = pytest.main(["-q", "--no-header", *(str(_HERE / suite) for suite in _SUITES)], plugins=[counts])
    for reason, times in sorted(counts.reasons.items()):
        print(f"skipped {times}: {reason}")
    print(counts.line())
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
