"""RelayGen: one answer, relayed between a large and a small reasoning model (arXiv 2602.06454).

The public API. Importing it loads neither torch nor any framework: names are resolved when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relaygen_runtime.answer.tool_calls import ToolCall, ToolCallParser, parse_answer
    from relaygen_runtime.cues.profile import CueProfile, list_profiles, load_profile
    from relaygen_runtime.engines.base import Capabilities, Engine, Message, Sampling, Session
    from relaygen_runtime.engines.scripted import ScriptedEngine
    from relaygen_runtime.errors import (
        CancelledWaitError,
        ConfigurationError,
        ContextOverflowError,
        EngineError,
        MessagesError,
        MissingDependencyError,
        ModelLoadError,
        PolicyError,
        ProfileError,
        RelayGenError,
        RequestError,
        SchemaError,
        ToolChoiceError,
        UnknownOptionError,
    )
    from relaygen_runtime.events import (
        RelayEvent,
        RelayFinished,
        SegmentFinished,
        SegmentStarted,
        TextDelta,
        ThinkingFinished,
    )
    from relaygen_runtime.ledger import GpuHourPrice, Ledger, LedgerEntry, Prices, TokenPrice
    from relaygen_runtime.options import RelayOptions
    from relaygen_runtime.relay import Relay
    from relaygen_runtime.result import RelayResult
    from relaygen_runtime.vocabulary import CountSource, FinishReason, Phase, Role, SwitchReason

__version__ = "0.1.0"

_HOMES = {
    "answer.tool_calls": ("ToolCall", "ToolCallParser", "parse_answer"),
    "cues.profile": ("CueProfile", "list_profiles", "load_profile"),
    "engines.base": ("Capabilities", "Engine", "Message", "Sampling", "Session"),
    "engines.scripted": ("ScriptedEngine",),
    "errors": (
        "CancelledWaitError",
        "ConfigurationError",
        "ContextOverflowError",
        "EngineError",
        "MessagesError",
        "MissingDependencyError",
        "ModelLoadError",
        "PolicyError",
        "ProfileError",
        "RelayGenError",
        "RequestError",
        "SchemaError",
        "ToolChoiceError",
        "UnknownOptionError",
    ),
    "events": (
        "RelayEvent",
        "RelayFinished",
        "SegmentFinished",
        "SegmentStarted",
        "TextDelta",
        "ThinkingFinished",
    ),
    "ledger": ("GpuHourPrice", "Ledger", "LedgerEntry", "Prices", "TokenPrice"),
    "options": ("RelayOptions",),
    "relay": ("Relay",),
    "result": ("RelayResult",),
    "vocabulary": ("CountSource", "FinishReason", "Phase", "Role", "SwitchReason"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
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


def __getattr__(name: str) -> Any:
    """Resolve a public name on first use."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
