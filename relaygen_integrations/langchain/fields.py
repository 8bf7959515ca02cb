"""What a `ChatRelayGen` is made of: its fields, documented, and the checks on them.

Owns names, aliases and defaults. None means that something else decides: the relay handed in, `RelayOptions`, or the
large model's generation config. Refuses names that do not exist, naming the nearest one that does, and pairs that are
named twice or not at all. Loads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from langchain_core.language_models import BaseChatModel
from langchain_core.utils import secret_from_env
from pydantic import ConfigDict, Field, SecretStr, model_validator

from relaygen_runtime import ConfigurationError, CueProfile, Prices, Relay, RelayOptions, UnknownOptionError

__all__ = ["ALIASES", "OPTION_FIELDS", "RelayFields", "checked_names"]

ALIASES = {
    "model": "model_name",
    "stop_sequences": "stop",
    "max_completion_tokens": "max_tokens",
    "request_timeout": "timeout",
}
"""Other names that chat models use for the same thing."""

PER_CALL = ("tools", "tool_choice", "parallel_tool_calls", "response_format")
"""Options of a relay that a chat model takes at a call alone: by `bind_tools`, `with_structured_output` or `bind`."""


class RelayFields(BaseChatModel):
    """The fields of `ChatRelayGen`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    # The pair.
    large: str | None = Field(default=None, description="Folder or hub name of the large model.")
    small: str | None = Field(default=None, description="Folder or hub name of the small model.")
    cue_profile: CueProfile | str | None = Field(
        default=None,
        description="The pair's cue profile: a name, a path or a `CueProfile`. Given as `profile=`, since that name is "
        "what LangChain calls a model's capabilities.",
    )
    relay: Relay | None = Field(
        default=None,
        exclude=True,
        description="A relay of your own, instead of `large`, `small` and `profile`. Its options hold where none is "
        "given here.",
    )
    engine_options: dict[str, Any] = Field(
        default_factory=dict, description="Options of the engine: device, dtype, quantisation, speculation..."
    )
    prices: Prices | None = Field(default=None, description="What the models cost; without, costs are None.")
    model_name: str | None = Field(
        default=None,
        description="Which of the pair writes (alias `model`, also at a call): the name of one of the two models, "
        "which then writes alone, or the pair's. Default: the pair.",
    )
    api_key: SecretStr | None = Field(
        default_factory=secret_from_env("RELAYGEN_API_KEY", default=None),
        exclude=True,
        description="Taken so that a constructor written for a hosted model works on. Models in this process need "
        "none; never shown. Default: `RELAYGEN_API_KEY` in the environment.",
    )

    # The call.
    timeout: float | None = Field(
        default=None,
        gt=0,
        description="Seconds for a whole call, waiting for other calls included, loading the models not. Then the "
        "generation is ended and a `RelayTimeoutError` raised. Alias `request_timeout`.",
    )
    max_retries: int = Field(
        default=0,
        ge=0,
        description="How often a call is begun anew when the engine fails before anything was written. Models in this "
        "process seldom fail by chance, hence 0.",
    )
    n: int = Field(default=1, description="Answers to a call. A pair writes one; more are refused.")
    streaming: bool = Field(default=False, description="Whether `invoke` streams too, so that callbacks see tokens.")
    show_schema: bool = Field(
        default=True,
        description="Whether the schema that an answer is held to is shown to the models, in the system message. A "
        "grammar holds the answer to it in any case.",
    )
    stream_usage: bool = Field(default=True, description="Whether a stream's last chunk tells the usage.")

    # The options of a relay, as in `RelayOptions`.
    max_tokens: int | None = Field(
        default=None,
        description="Most tokens of thinking and answer together. Default: what the smaller context leaves after the "
        "prompt, at most 32,768. Alias `max_completion_tokens`.",
    )
    max_thinking_tokens: int | None = Field(
        default=None,
        description="Most tokens of thinking; then it is closed so that an answer follows. Default: max_tokens less "
        "the answer reserve.",
    )
    answer_reserve: int | None = Field(
        default=None,
        description="Tokens kept for the answer. Default: min(1024, a quarter of max_tokens), or what the shortest "
        "answer of the asked form needs, if that is more.",
    )
    answerer: str | None = Field(
        default=None,
        description='Who writes the answer: `"small"`, `"large"`, or `"auto"` (the default: large when there are tools '
        "or a response_format).",
    )
    mode: str | None = Field(
        default=None, description='`"relay"` (the default), or one model alone: `"large"`, `"small"`.'
    )
    min_large_tokens: int | None = Field(
        default=None, description="No cue fires within so many tokens of a large segment's start. Default: 5."
    )
    max_small_tokens: int | None = Field(default=None, description="Most tokens of one small segment. Default: 128.")
    loop_guard: bool | None = Field(
        default=None, description="Whether a repetition loop ends a segment. Default: it does."
    )
    stop: Sequence[str] | None = Field(
        default=None, description="Strings that end the answer (never the thinking). Alias `stop_sequences`."
    )
    speculation: bool | None = Field(
        default=None, description="Whether the small model drafts inside large segments. Default: the engine's."
    )
    enable_thinking: bool | None = Field(
        default=None, description="Handed to the chat template. Default: the template's."
    )
    template_options: dict[str, Any] | None = Field(
        default=None, description="Further variables for the chat template."
    )
    temperature: float | None = Field(
        default=None, description="0 is greedy. Sampling defaults are the large model's generation config."
    )
    top_p: float | None = Field(default=None, description="Nucleus mass in (0, 1].")
    top_k: int | None = Field(default=None, description="Number of candidates; 0 is off.")
    min_p: float | None = Field(
        default=None, description="Fraction of the top probability that a candidate needs, in [0, 1)."
    )
    seed: int | None = Field(default=None, description="Seed of each request's own generator.")
    presence_penalty: float | None = Field(
        default=None, description="In [-2, 2]; subtracted from logits of generated tokens."
    )
    repetition_penalty: float | None = Field(default=None, description="Above 0; 1 is off.")

    @model_validator(mode="before")
    @classmethod
    def _by_their_names(cls, given: Any) -> Any:
        """Refuse names that do not exist, and give every field its own name."""
        if not isinstance(given, Mapping):
            return given
        fields = checked_names(given, valid=cls.model_fields, where=cls.__name__, once=True)
        # LangChain's `profile` is a dictionary of capabilities; a cue profile is none.
        if fields.get("profile") is not None and not isinstance(fields["profile"], Mapping):
            profile = fields.pop("profile")
            fields.setdefault("cue_profile", profile if isinstance(profile, CueProfile) else str(profile))
        if isinstance(fields.get("stop"), str):
            fields["stop"] = [fields["stop"]]
        return fields

    @model_validator(mode="after")
    def _one_pair(self) -> Self:
        """Refuse a pair that is named twice or not at all, and options that cannot work."""
        kind = type(self).__name__
        pair = {"large": self.large, "small": self.small, "profile": self.cue_profile}
        if self.relay is not None:
            named = {**pair, "engine_options": self.engine_options, "prices": self.prices}
            if doubled := [name for name, value in named.items() if value]:
                raise ConfigurationError(
                    f"{kind}: {', '.join(doubled)} and relay= say the same thing twice; the relay has its own"
                )
        elif missing := [name for name, value in pair.items() if not value]:
            raise ConfigurationError(
                f"{kind}: {', '.join(missing)} not given; name a pair with large=, small= and profile=, hand over a "
                f"relay=, or use {kind}.demo()"
            )
        if self.n != 1:
            raise ConfigurationError(f"n: {self.n} given; a pair writes one answer a call: use batch for several")
        own = {} if self.relay is None else self.relay._defaults
        RelayOptions.of({**own, **self.given_options()}, where=kind)
        return self

    def given_options(self) -> dict[str, Any]:
        """The relay's options among the fields, as far as they were given."""
        given = {name: getattr(self, name) for name in OPTION_FIELDS}
        return {name: value for name, value in given.items() if value is not None}


OPTION_FIELDS = tuple(name for name in RelayOptions.__dataclass_fields__ if name not in PER_CALL)
"""The options of a relay that are fields of a chat model."""


def checked_names(
    given: Mapping[str, Any], *, valid: Mapping[str, Any] | Sequence[str], where: str, once: bool = False
) -> dict[str, Any]:
    """The same by their own names.

    Args:
        given: Values by name or alias. At a call they come from several layers, what was bound before what was given.
        valid: The names there are.
        where: Their place, for the message.
        once: Refuse one thing under two names; else the later holds, as it would under one name.

    Raises:
        UnknownOptionError: A name that does not exist; the message names the nearest valid one.
        ConfigurationError: One thing under two names.
    """
    named: dict[str, Any] = {}
    for name, value in given.items():
        own = ALIASES.get(name, name)
        if own not in valid:
            raise UnknownOptionError(name, [*valid, *ALIASES], where)
        if once and own in named:
            raise ConfigurationError(f"{where}: {name} and {own} are the same option; give one of them")
        named[own] = value
    return named
