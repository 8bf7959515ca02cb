"""What a chat model raises: LangChain's own error classes, which are RelayGen's too.

Owns the pairing of the two trees and the way from one to the other. A class here inherits from both, so that retry and
summarisation middleware, which know LangChain's, and code written against `relaygen_runtime` both catch it. An engine's
error keeps `partial`, the text written so far. Refuses to wrap bugs and missing packages: they stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from langchain_core import exceptions as lc

from relaygen_runtime import errors as rg

__all__ = [
    "RAISED_AS",
    "RelayConfigurationError",
    "RelayContextOverflowError",
    "RelayEngineError",
    "RelayInvalidRequestError",
    "RelayMessagesError",
    "RelayModelNotFoundError",
    "RelaySchemaError",
    "RelayTimeoutError",
    "RelayToolChoiceError",
    "RelayUnknownOptionError",
    "as_langchain_errors",
]


class RelayInvalidRequestError(lc.ModelInvalidRequestError, rg.RequestError):
    """A request that cannot be served as it stands."""


class RelayMessagesError(RelayInvalidRequestError, rg.MessagesError):
    """Messages that cannot be relayed: none at all, an image, a tool call without its result..."""


class RelaySchemaError(RelayInvalidRequestError, rg.SchemaError):
    """A tool or a schema that no answer can be held to."""


class RelayToolChoiceError(RelayInvalidRequestError, rg.ToolChoiceError):
    """A tool choice that names no tool, or that is none."""


class RelayContextOverflowError(lc.ContextOverflowError, RelayInvalidRequestError, rg.ContextOverflowError):
    """The prompt is longer than the context."""


class RelayConfigurationError(lc.ModelInvalidRequestError, rg.ConfigurationError):
    """An option with a value that cannot work."""


class RelayUnknownOptionError(RelayConfigurationError, rg.UnknownOptionError):
    """An option that does not exist; the message names the nearest valid one."""


class RelayModelNotFoundError(lc.ModelNotFoundError, rg.ModelLoadError):
    """A model that cannot be loaded, or that is not of this pair."""


class RelayEngineError(lc.ModelAPIError, rg.EngineError):
    """A running engine failed; `partial` holds what had been written."""


class RelayTimeoutError(lc.ModelTimeoutError, rg.RelayGenError, TimeoutError):
    """A call took longer than `timeout` seconds, and was ended.

    Attributes:
        partial: The text written until then.
    """

    def __init__(self, message: str, partial: str = "") -> None:
        super().__init__(message)
        self.partial = partial


RAISED_AS: dict[type[rg.RelayGenError], type[rg.RelayGenError]] = {
    rg.UnknownOptionError: RelayUnknownOptionError,
    rg.ModelLoadError: RelayModelNotFoundError,
    rg.ConfigurationError: RelayConfigurationError,
    rg.ContextOverflowError: RelayContextOverflowError,
    rg.MessagesError: RelayMessagesError,
    rg.SchemaError: RelaySchemaError,
    rg.ToolChoiceError: RelayToolChoiceError,
    rg.RequestError: RelayInvalidRequestError,
    rg.EngineError: RelayEngineError,
}
"""RelayGen's classes, the special before the general, and what they are raised as."""


def _langchain_error(error: rg.RelayGenError) -> rg.RelayGenError:
    if isinstance(error, lc.LangChainException):
        return error
    for kind, raised in RAISED_AS.items():
        if isinstance(error, kind):
            made = raised.__new__(raised, *error.args)
            made.__dict__.update(error.__dict__)
            return made
    return error


@contextmanager
def as_langchain_errors() -> Iterator[None]:
    """Whatever of RelayGen's errors is raised inside leaves as LangChain's kind too."""
    try:
        yield
    except rg.RelayGenError as error:
        raised = _langchain_error(error)
        if raised is error:
            raise
        raise raised from error
