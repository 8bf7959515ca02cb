"""The exception tree. Every error that RelayGen raises on purpose is a `RelayGenError`.

    RelayGenError
    +-- ConfigurationError        an option, a profile or a pair that cannot work (also a ValueError)
    |   +-- UnknownOptionError    an option name that does not exist; names the nearest valid one
    |   +-- ProfileError          a cue profile that is malformed, empty or of a newer version
    |   +-- ModelLoadError        a model path that is unknown, unreadable or lacks a chat template
    +-- RequestError              one request that cannot be served as it stands (also a ValueError)
    |   +-- MessagesError         empty messages, or an order of roles that the template refuses
    |   +-- ContextOverflowError  the prompt is longer than the context
    |   +-- SchemaError           a tool or a schema that no answer can be held to; names the place in it
    |   +-- ToolChoiceError       tool_choice asks for a tool that is not offered
    +-- EngineError               a running engine failed; `partial` holds what had been written
    +-- CancelledWaitError        the caller gave up while it waited for the models
    +-- MissingDependencyError    an optional package is absent (also an ImportError)
    +-- PolicyError               a bug: the policy was driven out of order

Messages say what was wrong, what was expected and what to do. This file owns the classes; it formats
nothing for a terminal (the command line does).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
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
]


class RelayGenError(Exception):
    """Root of everything that RelayGen raises on purpose."""


class ConfigurationError(RelayGenError, ValueError):
    """An option, profile or pair of models that cannot work."""


class UnknownOptionError(ConfigurationError):
    """An option that does not exist.

    Args:
        name: The option as the caller wrote it.
        valid: The names that exist.
        where: What was being configured, e.g. ``"Relay.generate"``.
    """

    def __init__(self, name: str, valid: Iterable[str], where: str) -> None:
        options = sorted(valid)
        near = difflib.get_close_matches(name, options, n=1, cutoff=0.5)
        mend = f"did you mean {near[0]!r}?" if near else f"valid options: {', '.join(options)}"
        super().__init__(f"{where}: unknown option {name!r}; {mend}")
        self.name = name


class ProfileError(ConfigurationError):
    """A cue profile that is malformed, holds no cues, or is of a newer version."""


class ModelLoadError(ConfigurationError):
    """A model that cannot be loaded: unknown path, unreadable weights, no chat template."""


class RequestError(RelayGenError, ValueError):
    """A request that cannot be served as it stands."""


class MessagesError(RequestError):
    """Empty messages, an unknown role, or an order of roles that the chat template refuses."""


class ContextOverflowError(RequestError):
    """The prompt leaves no room in the context."""


class SchemaError(RequestError):
    """A tool or a JSON schema that an answer cannot be held to.

    Args:
        place: Where it stands, e.g. ``"tools[0] 'search': parameters.properties.q"``.
        problem: What cannot be held, and why.
        mend: What to do instead.

    Attributes:
        place: As given.
    """

    def __init__(self, place: str, problem: str, mend: str) -> None:
        super().__init__(f"{place}: {problem}; {mend}")
        self.place = place


class ToolChoiceError(RequestError):
    """A tool_choice that asks for a tool that is not offered, or for a call where there are no tools."""


class EngineError(RelayGenError):
    """A running engine failed.

    Attributes:
        partial: The text written before the failure, as the consumer saw it.
    """

    def __init__(self, message: str, partial: str = "") -> None:
        super().__init__(message)
        self.partial = partial


class CancelledWaitError(RelayGenError):
    """The caller gave up while another generation still held the models."""


class MissingDependencyError(RelayGenError, ImportError):
    """An optional package is not installed; the message names the pip command that brings it."""


class PolicyError(RelayGenError, RuntimeError):
    """The policy was driven out of order: a bug in an engine or in the driver."""
