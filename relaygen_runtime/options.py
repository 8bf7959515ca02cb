"""The options of one generation: every name that `Relay.generate` and its kin accept, checked together.

Owns defaults, validation and the way from options to the policy's `Rules`. Refuses unknown names (naming the nearest
valid one), values out of range and options that contradict each other; it never drops one silently.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from relaygen_runtime.answer.build import build_constraint
from relaygen_runtime.answer.constraint import AnswerConstraint
from relaygen_runtime.answer.tool_formats import CALL_CLOSE, CALL_OPEN
from relaygen_runtime.engines.base import Capabilities, Sampling
from relaygen_runtime.errors import ConfigurationError, ContextOverflowError, RequestError, UnknownOptionError
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.vocabulary import Role

if TYPE_CHECKING:
    from relaygen_runtime.cues.profile import CueProfile

__all__ = ["RelayOptions"]

_LONGEST_DEFAULT = 32_768
_LARGEST_RESERVE = 1_024
# What stands between thinking and answer (the closing tag and the white space around it) takes so many tokens: at most,
# and where the tag is a token.
_CLOSING = 8
_LEAST_CLOSING = 3
_COLDEST = 1e-6
_ANSWERERS = ("small", "large", "auto")
_MODES = ("relay", "large", "small")
_SAMPLING = tuple(f.name for f in dataclasses.fields(Sampling))


@dataclass(frozen=True, slots=True)
class RelayOptions:
    """How one answer is to be relayed.

    Attributes:
        tools: JSON schemas of tools (``{"type": "function", "function": {...}}``), shown by the chat template. What is
            called, is called with arguments that follow them.
        tool_choice: ``"auto"`` (the default: the model decides), ``"none"`` (no calls: the tools are not shown to
            it), ``"required"`` or ``"any"`` (one call or more), or a tool's name (that tool, once).
        parallel_tool_calls: False: at most one call. Default: several.
        response_format: What the whole answer must be: ``{"type": "json_object"}``, ``{"type": "json_schema",
            "json_schema": {"name": ..., "schema": ...}}``, a bare JSON schema, or ``{"type": "text"}``.
        max_tokens: Most tokens of thinking and answer together. Default: what the smaller context leaves after the
            prompt, at most 32,768.
        max_thinking_tokens: Most tokens of thinking; then it is closed so that an answer follows. Default:
            max_tokens less the answer reserve.
        answer_reserve: Tokens kept for the answer. Default: min(1024, a quarter of max_tokens), or what the shortest
            answer of the asked form needs, if that is more.
        answerer: Who writes the answer: ``"small"``, ``"large"``, or ``"auto"`` (large when there are tools
            or a response_format).
        mode: ``"relay"``, or one model alone: ``"large"``, ``"small"``.
        min_large_tokens: No cue fires within so many tokens of a large segment's start.
        max_small_tokens: Most tokens of one small segment.
        loop_guard: Whether a repetition loop ends a segment.
        stop: Strings that end the answer (never the thinking).
        speculation: Whether the small model drafts inside large segments. Default: the engine's.
        enable_thinking: Handed to the chat template. Default: the template's.
        template_options: Further variables for the chat template.
        temperature: 0 is greedy. Sampling defaults are the large model's generation config.
        top_p: Nucleus mass in (0, 1].
        top_k: Number of candidates; 0 is off.
        min_p: Fraction of the top probability that a candidate needs, in [0, 1).
        seed: Seed of the request's own generator.
        presence_penalty: In [-2, 2]; subtracted from logits of generated tokens.
        repetition_penalty: Above 0; 1 is off.
    """

    tools: Sequence[Mapping[str, Any]] = ()
    tool_choice: str | Mapping[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    response_format: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    max_thinking_tokens: int | None = None
    answer_reserve: int | None = None
    answerer: str = "auto"
    mode: str = "relay"
    min_large_tokens: int = 5
    max_small_tokens: int = 128
    loop_guard: bool = True
    stop: Sequence[str] = ()
    speculation: bool | None = None
    enable_thinking: bool | None = None
    template_options: Mapping[str, Any] = field(default_factory=dict)
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    repetition_penalty: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.stop, str):
            object.__setattr__(self, "stop", (self.stop,))
        # What other chat APIs call their default; callers hand it through.
        for name, nothing in (("tools", ()), ("stop", ()), ("template_options", {})):
            if getattr(self, name) is None:
                object.__setattr__(self, name, nothing)
        if self.answerer not in _ANSWERERS:
            raise ConfigurationError(f"answerer: {self.answerer!r} is not one of {', '.join(_ANSWERERS)}")
        if self.mode not in _MODES:
            raise ConfigurationError(f"mode: {self.mode!r} is not one of {', '.join(_MODES)}")
        self._refuse_wrong_kinds()
        for name, kind, low, high in _RANGES:
            _check_number(name, getattr(self, name), kind, low, high)
        self._refuse_contradictions()

    def _refuse_wrong_kinds(self) -> None:
        for name in ("loop_guard", "speculation", "enable_thinking", "parallel_tool_calls"):
            value = getattr(self, name)
            if not isinstance(value, bool) and not (value is None and name != "loop_guard"):
                raise ConfigurationError(f"{name}: {value!r} is neither True nor False")
        if not isinstance(self.stop, Sequence) or not all(isinstance(text, str) and text for text in self.stop):
            raise ConfigurationError(f"stop: {self.stop!r} is not a list of texts, none of them empty")
        if not isinstance(self.tools, Sequence) or not all(_has_name(tool) for tool in self.tools):
            raise ConfigurationError(
                'tools: expected a list of schemas like {"type": "function", "function": {"name": ...}}'
            )
        if self.tool_choice is not None and not isinstance(self.tool_choice, str | Mapping):
            raise ConfigurationError(f"tool_choice: {self.tool_choice!r} is neither a text nor a mapping")
        if self.response_format is not None and not isinstance(self.response_format, Mapping):
            raise ConfigurationError(f"response_format: {self.response_format!r} is not a mapping")
        if not isinstance(self.template_options, Mapping):
            raise ConfigurationError(f"template_options: {self.template_options!r} is not a mapping of names to values")

    def _refuse_contradictions(self) -> None:
        if self.temperature is not None and 0 < self.temperature < _COLDEST:
            raise ConfigurationError(
                f"temperature: {self.temperature} is too near 0; use temperature=0 for greedy decoding"
            )
        if self.top_p == 0:
            raise ConfigurationError("top_p: 0 leaves no token to choose; use temperature=0 for greedy decoding")
        if self.repetition_penalty == 0:
            raise ConfigurationError("repetition_penalty: 0 divides by zero; 1 switches it off")
        if self.min_p == 1:
            raise ConfigurationError("min_p: 1 is greedy decoding; use temperature=0")
        if self.max_thinking_tokens is not None and self.answer_reserve is not None:
            raise ConfigurationError(
                "max_thinking_tokens and answer_reserve say the same thing twice; give one of them"
            )
        if self.max_tokens is None:
            return
        for name in ("max_thinking_tokens", "answer_reserve"):
            value = getattr(self, name)
            if value is not None and value > self.max_tokens:
                raise ConfigurationError(
                    f"{name}: {value} is more than max_tokens ({self.max_tokens}); lower it or raise max_tokens"
                )

    @classmethod
    def of(cls, options: Mapping[str, Any], *, where: str) -> RelayOptions:
        """Check names, then values.

        Raises:
            UnknownOptionError: A name that does not exist; the message names the nearest valid one.
            ConfigurationError: A value out of range, or two options that contradict each other.
        """
        valid = [f.name for f in dataclasses.fields(cls)]
        for name in options:
            if name not in valid:
                raise UnknownOptionError(name, valid, where)
        return cls(**options)

    @property
    def sampling(self) -> Sampling:
        """The sampling part, as engines take it."""
        return Sampling(**{name: getattr(self, name) for name in _SAMPLING})

    @property
    def effective_mode(self) -> str:
        """The mode, or ``"large"`` where the operator's kill switch ``RELAYGEN_DISABLE=1`` is set."""
        return "large" if _disabled() else self.mode

    @property
    def effective_speculation(self) -> bool | None:
        """As asked for, or False under the kill switch: then the small model, which may be what fails, never runs."""
        return False if _disabled() else self.speculation

    @property
    def offered_tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools that the model gets to see: none where it may call none."""
        return () if self.tool_choice == "none" else self.tools

    def tool_format(self, capabilities: Capabilities) -> str | None:
        """How calls in the answer are written; None: there are none to read."""
        return capabilities.tool_format if self.offered_tools else None

    def constraint(self, capabilities: Capabilities) -> AnswerConstraint | None:
        """What the answer has to look like.

        Raises:
            SchemaError: A tool or schema that no answer can be held to.
            ToolChoiceError: A tool is asked for that is not on offer, or that cannot be.
            ConfigurationError: A form that is not understood, or an engine that cannot hold an answer to anything.
        """
        constraint = build_constraint(
            tools=self.tools,
            tool_choice=self.tool_choice,
            parallel_tool_calls=self.parallel_tool_calls,
            response_format=self.response_format,
            tool_format=capabilities.tool_format,
        )
        if constraint is not None and constraint.required and not capabilities.constraints:
            asked = "tool_choice" if constraint.schema is None else "response_format"
            raise ConfigurationError(
                f"{asked}: the engine {capabilities.name!r} cannot hold an answer to a form; leave it out, or use an "
                "engine that can"
            )
        return constraint

    def rules(
        self,
        profile: CueProfile,
        capabilities: Capabilities,
        prompt_tokens: int | None,
        *,
        constraint: AnswerConstraint | None = None,
        shortest_answer: int | None = None,
        thinks: bool = True,
    ) -> Rules:
        """The policy's rules for one prompt.

        Args:
            profile: Cues and tags.
            capabilities: The engine's.
            prompt_tokens: Tokens of the prompt, if known.
            constraint: What the answer has to look like.
            shortest_answer: Tokens of the shortest answer that the constraint allows, if the engine knows them.
            thinks: The model may think; False where the prompt has closed the thinking.

        Raises:
            ContextOverflowError: The prompt leaves no room for a single token.
            RequestError: What is left for the answer does not hold the shortest one that the constraint allows.
        """
        mode = self.effective_mode
        rooms = {
            role: None if context is None or prompt_tokens is None else context - prompt_tokens
            for role, context in ((Role.LARGE, capabilities.large_context), (Role.SMALL, capabilities.small_context))
        }
        author_room = rooms[Role.SMALL] if mode == "small" else rooms[Role.LARGE]
        if author_room is not None and author_room < 1:
            raise ContextOverflowError(
                f"messages: the prompt has {prompt_tokens} tokens and the context ends there; shorten the prompt"
            )
        bounding = rooms.values() if mode == "relay" else (author_room,)
        known = [room for room in bounding if room is not None and room > 0]
        max_tokens = self.max_tokens if self.max_tokens is not None else min([_LONGEST_DEFAULT, *known])
        if author_room is not None:
            max_tokens = min(max_tokens, author_room)
        # There are no more tokens than characters.
        needed = shortest_answer or (0 if constraint is None else constraint.shortest)
        thinking = min(self._thinking_budget(max_tokens, needed), max_tokens)
        if constraint is not None and constraint.required and shortest_answer is not None:
            _refuse_short(max_tokens - (thinking + _LEAST_CLOSING if thinks else 0), shortest_answer)
        formed = self.offered_tools or constraint is not None
        answerer = Role.LARGE if self.answerer == "large" or (self.answerer == "auto" and formed) else Role.SMALL
        held = constraint is not None and capabilities.constraints
        return Rules(
            cues=tuple(profile.cues) if mode == "relay" else (),
            match=profile.match,
            open_tag=profile.open_tag,
            close_tag=profile.close_tag,
            answerer=answerer if mode == "relay" else Role.LARGE,
            max_tokens=max_tokens,
            max_thinking_tokens=thinking,
            min_large_tokens=self.min_large_tokens,
            max_small_tokens=self.max_small_tokens,
            small_room=rooms[Role.SMALL] if mode == "relay" else None,
            large_room=author_room,
            stop=tuple(self.stop),
            loop_guard=self.loop_guard,
            close_text=f"\n{profile.close_tag}\n\n",
            constrained=held and constraint is not None and constraint.required,
            tool_tags=(CALL_OPEN, CALL_CLOSE) if held and constraint is not None and not constraint.required else None,
        )

    def _thinking_budget(self, max_tokens: int, needed: int) -> int:
        """Most tokens of thinking, where the answer needs so many."""
        if self.max_thinking_tokens is not None:
            return self.max_thinking_tokens
        reserve = self.answer_reserve
        if reserve is None:
            reserve = max(min(_LARGEST_RESERVE, max_tokens // 4), needed + _CLOSING if needed else 0)
        return max(0, max_tokens - reserve)


_RANGES: tuple[tuple[str, type, float | None, float | None], ...] = (
    ("max_tokens", int, 1, None),
    ("max_thinking_tokens", int, 0, None),
    ("answer_reserve", int, 0, None),
    ("min_large_tokens", int, 0, None),
    ("max_small_tokens", int, 1, None),
    ("temperature", float, 0, None),
    ("top_p", float, 0, 1),
    ("top_k", int, 0, None),
    ("min_p", float, 0, 1),
    ("seed", int, None, None),
    ("presence_penalty", float, -2, 2),
    ("repetition_penalty", float, 0, None),
)
_NEEDED = ("min_large_tokens", "max_small_tokens")


def _refuse_short(room: int, shortest: int) -> None:
    if room < shortest:
        raise RequestError(
            f"max_tokens: {max(room, 0)} tokens are left for the answer, and the shortest of the asked form "
            f"has {shortest}; raise max_tokens, or leave the thinking less (max_thinking_tokens, answer_reserve)"
        )


def _disabled() -> bool:
    return os.environ.get("RELAYGEN_DISABLE", "").strip().lower() in ("1", "true", "yes", "on")


def _has_name(tool: object) -> bool:
    """Whether it is a tool's schema: the function in an envelope, as OpenAI has it, or bare."""
    function = tool.get("function", tool) if isinstance(tool, Mapping) else None
    return isinstance(function, Mapping) and isinstance(function.get("name"), str)


def _check_number(name: str, value: object, kind: type, low: float | None, high: float | None) -> None:
    """Refuse what is no number of this kind, or out of range; None stands for a default where there is one."""
    if value is None and name not in _NEEDED:
        return
    # An int is finite, and may be too large for the question.
    if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))):
        raise ConfigurationError(f"{name}: {value!r} is not a number")
    if kind is int and not isinstance(value, int):
        raise ConfigurationError(f"{name}: {value!r} is not a whole number")
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"from {low} to {high}" if high is not None else f"at least {low}"
        raise ConfigurationError(f"{name}: {value} is out of range; it must be {bounds}")
