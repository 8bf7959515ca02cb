"""The fields of `RelayGenLLM`: which pair writes, and the options that every call starts from.

Owns names, defaults, descriptions and the checks at construction: an unknown field and a value that cannot work are
refused there, with RelayGen's own errors. Values are checked by `RelayOptions`, so that what holds for a relay holds
here. Refuses: models; nothing here loads one.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Self

from llama_index.core.bridge.pydantic import Field
from llama_index.core.llms.function_calling import FunctionCallingLLM

from relaygen_integrations.pairs import DEMO_LARGE, DEMO_PROFILE, DEMO_SMALL
from relaygen_runtime import ConfigurationError, CueProfile, Prices, RelayOptions, UnknownOptionError

__all__ = ["OPTIONS", "PER_CALL", "RelaySettings", "check_timeout"]

PER_CALL = ("tools", "tool_choice", "parallel_tool_calls", "response_format")
"""Options that belong to one question: arguments of a call, not fields."""

OPTIONS = tuple(field.name for field in dataclasses.fields(RelayOptions) if field.name not in PER_CALL)
"""Options that are fields, too."""


class RelaySettings(FunctionCallingLLM):
    """The fields, without anything that generates."""

    large: str | None = Field(default=None, description="Folder or hub name of the large model.")
    small: str | None = Field(default=None, description="Folder or hub name of the small model.")
    profile: CueProfile | str | None = Field(
        default=None, description="The pair's cue profile: a name (`qwen3`), a path, or a `CueProfile`."
    )
    engine_options: dict[str, Any] = Field(
        default_factory=dict,
        description="Options of the engine (`TransformersEngine.from_pretrained`): device, dtype, quantisation, ...",
    )
    prices: Prices | None = Field(default=None, description="What the models cost; without, costs are None.")
    max_tokens: int | None = Field(
        default=None,
        description="Most tokens of thinking and answer together. Default: what the smaller context leaves after the "
        "prompt, at most 32,768.",
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
    answerer: str = Field(
        default="auto",
        description="Who writes the answer: `small`, `large`, or `auto` (large when there are tools or a "
        "response_format).",
    )
    mode: str = Field(default="relay", description="`relay`, or one model alone: `large`, `small`.")
    min_large_tokens: int = Field(
        default=5, description="No cue fires within so many tokens of a large segment's start."
    )
    max_small_tokens: int = Field(default=128, description="Most tokens of one small segment.")
    loop_guard: bool = Field(default=True, description="Whether a repetition loop ends a segment.")
    stop: list[str] = Field(default_factory=list, description="Strings that end the answer (never the thinking).")
    speculation: bool | None = Field(
        default=None, description="Whether the small model drafts inside large segments. Default: the engine's."
    )
    enable_thinking: bool | None = Field(
        default=None, description="Handed to the chat template. Default: the template's."
    )
    template_options: dict[str, Any] = Field(
        default_factory=dict, description="Further variables for the chat template."
    )
    temperature: float | None = Field(
        default=None, description="0 is greedy. Sampling defaults are the large model's generation config."
    )
    top_p: float | None = Field(default=None, description="Nucleus mass in (0, 1].")
    top_k: int | None = Field(default=None, description="Number of candidates; 0 is off.")
    min_p: float | None = Field(
        default=None, description="Fraction of the top probability that a candidate needs, in [0, 1)."
    )
    seed: int | None = Field(default=None, description="Seed of the request's own generator.")
    presence_penalty: float | None = Field(
        default=None, description="In [-2, 2]; subtracted from logits of generated tokens."
    )
    repetition_penalty: float | None = Field(default=None, description="Above 0; 1 is off.")
    timeout: float | None = Field(
        default=None,
        description="Seconds for a whole call, waiting for the models included; then it is ended with a TimeoutError.",
    )
    additional_kwargs: dict[str, Any] = Field(
        default_factory=dict,
        description="Arguments that every call is given, on top of the fields: any option of a relay by its name.",
    )
    context_window: int | None = Field(
        default=None,
        description="What LlamaIndex may plan with, prompt and answer together. Default: the smaller context less "
        "what is kept for thinking.",
    )
    relay_events: bool = Field(
        default=False,
        description="Whether segments are told to LlamaIndex's instrumentation as events.",
    )

    def __init__(self, **fields: Any) -> None:
        valid = type(self).model_fields
        for name in fields:
            if name not in valid:
                raise UnknownOptionError(name, valid, type(self).__name__)
        if isinstance(fields.get("profile"), Path):
            fields["profile"] = str(fields["profile"])
        for name, nothing in (("stop", []), ("additional_kwargs", {}), ("template_options", {})):
            if name in fields and fields[name] is None:
                fields[name] = nothing
        if isinstance(fields.get("stop"), str):
            fields["stop"] = [fields["stop"]]
        super().__init__(**fields)
        RelayOptions.of(self.given_options(), where=type(self).__name__)
        check_timeout(self.timeout)

    @classmethod
    def class_name(cls) -> str:
        """The name under which it is serialised."""
        return "RelayGenLLM"

    @classmethod
    def demo(cls, **fields: Any) -> Self:
        """On the embedded pair: a demonstration and a test bed, good at its own small field and at nothing else.

        Args:
            **fields: The fields of this class, without the models and the profile.
        """
        return cls(**{"large": DEMO_LARGE, "small": DEMO_SMALL, "profile": DEMO_PROFILE, **fields})

    def given_options(self) -> dict[str, Any]:
        """The relay's options that were set, here or in `additional_kwargs`; what was not set is the relay's to say."""
        given = {name: getattr(self, name) for name in OPTIONS if name in self.model_fields_set}
        return {**given, **self.additional_kwargs}


def check_timeout(timeout_s: float | None) -> None:
    """Refuse a time limit that no call can keep.

    Raises:
        ConfigurationError: It is not above 0.
    """
    if timeout_s is not None and not timeout_s > 0:
        raise ConfigurationError(f"timeout: {timeout_s} given; it must be above 0, or None for no limit")
