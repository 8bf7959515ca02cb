"""Importing the package, and asking the command for help, loads none of the heavy libraries."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "numpy", "pydantic", "rich", "tenacity", "langchain_core", "llama_index", "vllm")


def loaded_by(code: str) -> set[str]:
    report = f"{code}\nimport sys\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)  # noqa: S603  (our own code)
    return set(done.stdout.split())


def test_importing_the_package_loads_none_of_them() -> None:
    assert loaded_by("import relaygen_runtime") == set()


def test_listing_the_public_names_loads_none_of_them() -> None:
    assert loaded_by("import relaygen_runtime; dir(relaygen_runtime)") == set()


def test_events_options_and_the_policy_need_the_standard_library_alone() -> None:
    code = "from relaygen_runtime import Ledger, RelayOptions, TextDelta"

    assert loaded_by(f"{code}; import relaygen_runtime.policy.machine, relaygen_runtime.cues.matcher") == set()


@pytest.mark.parametrize("module", ["relaygen_runtime.relay", "relaygen_runtime.cli", "relaygen_runtime.demo"])
def test_no_model_library_is_loaded_before_a_model_is(module: str) -> None:
    assert loaded_by(f"import {module}") <= {"rich"}
