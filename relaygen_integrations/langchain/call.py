"""One call of the chat model, made ready: what goes to the relay, and how its chunks are to be made.

Owns the way from the model's fields and a call's own arguments to the relay's options, and which of the pair writes.
Everything that is wrong with a call is said here, before a model is asked. Refuses: running it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage

from relaygen_integrations.langchain.chunks import Chunks
from relaygen_integrations.langchain.errors import RelayModelNotFoundError
from relaygen_integrations.langchain.fields import OPTION_FIELDS, PER_CALL, RelayFields, checked_names
from relaygen_integrations.langchain.messages_in import relay_messages
from relaygen_integrations.langchain.response_format import relay_format, shown
from relaygen_integrations.langchain.tools import relay_choice, relay_tools
from relaygen_runtime import ConfigurationError, Relay, RelayOptions

__all__ = ["CALL_NAMES", "Call", "pair_name", "prepared"]

_LANGCHAIN_NAMES = ("stream", "strict", "ls_structured_output_format", "structured_output_format")
CALL_NAMES = (
    *OPTION_FIELDS,
    *PER_CALL,
    "model_name",
    "timeout",
    "max_retries",
    "n",
    "stream_usage",
    *_LANGCHAIN_NAMES,
)
"""What a call takes by name."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call, checked.

    Attributes:
        relay: The pair.
        messages: The history, as the relay takes it.
        options: The relay's options.
        timeout: Seconds for the whole call; None: no limit.
        max_retries: How often it may be begun anew.
        model_name: Who writes, by name.
        reads_tools: Whether tool calls are read out of the answer.
        v1: Whether content is told in blocks.
        stream_usage: Whether a stream tells its usage.
    """

    relay: Relay
    messages: Sequence[Mapping[str, Any]]
    options: Mapping[str, Any]
    timeout: float | None
    max_retries: int
    model_name: str
    reads_tools: bool
    v1: bool
    stream_usage: bool

    def chunks(self, *, with_usage: bool) -> Chunks:
        """What makes chunks of this call's events."""
        return Chunks(
            self.relay.engine.capabilities,
            self.model_name,
            reads_tools=self.reads_tools,
            v1=self.v1,
            with_usage=with_usage,
        )


def prepared(
    fields: RelayFields,
    relay: Relay,
    messages: Sequence[BaseMessage],
    stop: Sequence[str] | None,
    given: dict[str, Any],
) -> Call:
    """Check a call and make it ready.

    Args:
        fields: The chat model.
        relay: Its pair.
        messages: The history.
        stop: Strings that end the answer; None: the model's own.
        given: The call's other arguments; None is the same as not given, but ``timeout=None`` is no limit.

    Raises:
        RequestError: The messages, the tools or the format cannot be served.
        ConfigurationError: An unknown argument, or one with a value that cannot work.
    """
    where = f"{type(fields).__name__} call"
    # None leaves the chat model's own, as everywhere; but a time limit can be lifted.
    named = checked_names(given, valid=CALL_NAMES, where=where)
    named = {name: value for name, value in named.items() if value is not None or name == "timeout"}
    if named.get("n", 1) != 1:
        raise ConfigurationError(f"n: {named['n']} given; a pair writes one answer a call: use batch for several")
    options = {**fields.given_options(), **{name: named[name] for name in OPTION_FIELDS if name in named}}
    if stop is not None:
        options["stop"] = stop
    options.update(_asked_of_the_answer(named))
    mode = _mode(fields, relay, named.get("model_name") or fields.model_name, options.get("mode"))
    if mode is not None:
        options["mode"] = mode
    checked = RelayOptions.of({**relay._defaults, **options}, where=where)
    timeout, max_retries = named.get("timeout", fields.timeout), named.get("max_retries", fields.max_retries)
    if timeout is not None and (not isinstance(timeout, int | float) or timeout <= 0):
        raise ConfigurationError(f"timeout: {timeout!r} given; expected seconds above 0, or None for no limit")
    if not isinstance(max_retries, int) or max_retries < 0:
        raise ConfigurationError(f"max_retries: {max_retries!r} given; expected a whole number, at least 0")
    told = relay_messages(messages)
    if checked.response_format is not None and fields.show_schema:
        told = shown(told, checked.response_format)
    return Call(
        relay=relay,
        messages=told,
        options=options,
        timeout=timeout,
        max_retries=max_retries,
        model_name=_writer(relay, checked),
        reads_tools=bool(checked.tools)
        and checked.tool_choice != "none"
        and relay.engine.capabilities.tool_format is not None,
        v1=fields.output_version == "v1",
        stream_usage=bool(named.get("stream_usage", fields.stream_usage)),
    )


def pair_name(large: str, small: str) -> str:
    """The name of a pair."""
    return f"{large}+{small}"


def _asked_of_the_answer(named: Mapping[str, Any]) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    tools = relay_tools(named.get("tools") or (), strict=named.get("strict"))
    if tools:
        asked["tools"] = tools
    choice = relay_choice(named.get("tool_choice"), tools)
    if choice is not None:
        asked["tool_choice"] = choice
    if "parallel_tool_calls" in named:
        asked["parallel_tool_calls"] = named["parallel_tool_calls"]
    if "response_format" in named:
        asked["response_format"] = relay_format(named["response_format"])
    return asked


def _mode(fields: RelayFields, relay: Relay, model: str | None, mode: str | None) -> str | None:
    """The mode that a model's name asks for; without a name, the mode as given."""
    if model is None:
        return mode
    capabilities = relay.engine.capabilities
    names = {
        "large": _spellings(capabilities.large_model, fields.large),
        "small": _spellings(capabilities.small_model, fields.small),
    }
    names["relay"] = {pair_name(large, small) for large in names["large"] for small in names["small"]}
    asked = next((kind for kind, spelled in names.items() if model in spelled), None)
    large, small = capabilities.large_model, capabilities.small_model
    if asked is None:
        raise RelayModelNotFoundError(
            f"model: {model!r} is not of this pair; there is {large!r} or {small!r}, which then writes alone, and "
            f"{pair_name(large, small)!r}"
        )
    if mode is not None and mode != asked:
        raise ConfigurationError(f"mode: {mode!r} and model={model!r} contradict each other; give one of them")
    return asked


def _spellings(name: str, named: str | None) -> set[str]:
    return {name, *((named, Path(named).name) if named else ())}


def _writer(relay: Relay, options: RelayOptions) -> str:
    capabilities = relay.engine.capabilities
    alone = {"large": capabilities.large_model, "small": capabilities.small_model}
    return alone.get(options.effective_mode) or pair_name(capabilities.large_model, capabilities.small_model)
