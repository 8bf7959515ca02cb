"""One call, checked: messages, options and who listens, before anything is loaded.

Owns the merging of fields and arguments. A name that does not exist and a value that cannot work are refused here, at
the call, also by the streaming endpoints, whose first chunk comes much later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.types import ChatMessage

from relaygen_integrations.llama_index.instrumentation import Listener, dispatching_listener
from relaygen_integrations.llama_index.messages import template_messages
from relaygen_integrations.llama_index.settings import OPTIONS, PER_CALL, RelaySettings, check_timeout
from relaygen_runtime import Message, RelayOptions, UnknownOptionError

__all__ = ["Request", "checked_request"]


@dataclass(frozen=True, slots=True)
class Request:
    """One call.

    Attributes:
        messages: The history, as a chat template reads it.
        options: The relay's options.
        timeout_s: Seconds for the whole call; None: no limit.
        listen: Who is told of every event; None: nobody.
    """

    messages: list[Message]
    options: dict[str, Any]
    timeout_s: float | None
    listen: Listener | None

    @property
    def offers_tools(self) -> bool:
        """Whether the answer may call tools."""
        return bool(self.options.get("tools")) and self.options.get("tool_choice") != "none"


def checked_request(settings: RelaySettings, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> Request:
    """Check a call; to be made while the call's own span is the active one.

    Raises:
        UnknownOptionError: An argument that does not exist; the message names the nearest valid one.
        ConfigurationError: A value out of range, or two options that contradict each other.
        MessagesError: A history that cannot be relayed.
    """
    where = type(settings).__name__
    valid = (*OPTIONS, *PER_CALL, "timeout")
    for name in kwargs:
        if name not in valid:
            raise UnknownOptionError(name, valid, where)
    given = {name: value for name, value in kwargs.items() if value is not None}  # None: what the fields say
    timeout_s = given.pop("timeout", settings.timeout)
    options = {**settings.given_options(), **given}
    check_timeout(timeout_s)
    RelayOptions.of(options, where=where)
    listen = dispatching_listener() if settings.relay_events else None
    return Request(template_messages(messages), options, timeout_s, listen)
