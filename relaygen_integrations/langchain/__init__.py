"""`ChatRelayGen`: a LangChain chat model whose answers two models write."""

from __future__ import annotations

from relaygen_runtime import MissingDependencyError

try:
    import langchain_core as _langchain_core  # noqa: F401
except ImportError as error:
    raise MissingDependencyError(
        'LangChain is not installed; bring it with: pip install "relaygen[torch,langchain]"'
    ) from error

from relaygen_integrations.langchain.callbacks import AsyncRelayCallbackHandler, RelayCallbackHandler
from relaygen_integrations.langchain.chat_model import ChatRelayGen
from relaygen_integrations.langchain.errors import (
    RelayConfigurationError,
    RelayContextOverflowError,
    RelayEngineError,
    RelayInvalidRequestError,
    RelayMessagesError,
    RelayModelNotFoundError,
    RelaySchemaError,
    RelayTimeoutError,
    RelayToolChoiceError,
    RelayUnknownOptionError,
)

__all__ = [
    "AsyncRelayCallbackHandler",
    "ChatRelayGen",
    "RelayCallbackHandler",
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
]
