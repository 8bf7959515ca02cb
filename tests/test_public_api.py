"""The public names, pinned: a change here is a change that users see."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

import relaygen_runtime

PUBLIC = [
    "CancelledWaitError",
    "Capabilities",
    "ConfigurationError",
    "ContextOverflowError",
    "CountSource",
    "CueProfile",
    "Engine",
    "EngineError",
    "FinishReason",
    "GpuHourPrice",
    "Ledger",
    "LedgerEntry",
    "Message",
    "MessagesError",
    "MissingDependencyError",
    "ModelLoadError",
    "Phase",
    "PolicyError",
    "Prices",
    "ProfileError",
    "Relay",
    "RelayEvent",
    "RelayFinished",
    "RelayGenError",
    "RelayOptions",
    "RelayResult",
    "RequestError",
    "Role",
    "Sampling",
    "SchemaError",
    "ScriptedEngine",
    "SegmentFinished",
    "SegmentStarted",
    "Session",
    "SwitchReason",
    "TextDelta",
    "ThinkingFinished",
    "TokenPrice",
    "ToolCall",
    "ToolCallParser",
    "ToolChoiceError",
    "UnknownOptionError",
    "list_profiles",
    "load_profile",
    "parse_answer",
]


def test_all_is_what_users_were_promised() -> None:
    assert relaygen_runtime.__all__ == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_resolves_and_is_listed(name: str) -> None:
    assert getattr(relaygen_runtime, name) is not None
    assert name in dir(relaygen_runtime)


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="'nonsense'"):
        _ = relaygen_runtime.nonsense


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(relaygen_runtime.__file__).parent / "py.typed").exists()


def test_the_version_is_the_one_that_was_packaged() -> None:
    assert relaygen_runtime.__version__ == importlib.metadata.version("relaygen")


def test_every_error_is_a_relaygen_error_and_speaks_to_those_who_know_python_alone() -> None:
    assert issubclass(relaygen_runtime.ConfigurationError, ValueError)
    assert issubclass(relaygen_runtime.RequestError, ValueError)
    assert issubclass(relaygen_runtime.MissingDependencyError, ImportError)
    for name in PUBLIC:
        if name.endswith("Error"):
            assert issubclass(getattr(relaygen_runtime, name), relaygen_runtime.RelayGenError)
