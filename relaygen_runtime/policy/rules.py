"""The rules one generation is relayed by: plain data, checked once, no behaviour.

`Rules` is what the options, the profile and the engine come to. It refuses contradictions; it knows nothing of
where its values came from.
"""

from __future__ import annotations

from dataclasses import dataclass

from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.vocabulary import Role

__all__ = ["Rules"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How one generation is relayed.

    Attributes:
        cues: The switch cues, as the profile spells them; empty: no cue ever hands over.
        match: ``"word"`` (no switch inside a word) or ``"substring"`` (the paper's stop strings, exactly).
        open_tag: The tag that opens the thinking.
        close_tag: The tag that closes it.
        answerer: Who writes the answer.
        max_tokens: Most tokens of all segments together, injected ones included.
        max_thinking_tokens: Most tokens of thinking before it is closed by force.
        min_large_tokens: No cue fires within so many tokens of a large segment's start.
        max_small_tokens: Most tokens of one small segment in the thinking.
        small_room: Tokens after the prompt that fit the small model's context; None: no limit known.
        large_room: The same for the large model.
        stop: Strings that end the answer (not the thinking).
        loop_guard: Whether a repetition loop ends a segment.
        close_text: What is injected to close the thinking by force.
        constrained: The whole answer is under a grammar that the engine enforces: it ends where the grammar lets it.
        tool_tags: What opens and closes a tool call in an answer that is otherwise free; the engine enforces the form
            of what stands between them.
    """

    cues: tuple[str, ...]
    max_tokens: int
    max_thinking_tokens: int
    match: str = "word"
    open_tag: str = "<think>"
    close_tag: str = "</think>"
    answerer: Role = Role.SMALL
    min_large_tokens: int = 5
    max_small_tokens: int = 128
    small_room: int | None = None
    large_room: int | None = None
    stop: tuple[str, ...] = ()
    loop_guard: bool = True
    close_text: str = "\n</think>\n\n"
    constrained: bool = False
    tool_tags: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        if self.match not in ("word", "substring"):
            raise ConfigurationError(f"match: {self.match!r} is neither 'word' nor 'substring'")
        for name in ("max_tokens", "max_small_tokens"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name}: {getattr(self, name)} given, at least 1 is needed")
        for name in ("min_large_tokens", "max_thinking_tokens"):
            if getattr(self, name) < 0:
                raise ConfigurationError(f"{name}: {getattr(self, name)} given, it cannot be negative")
        if self.max_thinking_tokens > self.max_tokens:
            raise ConfigurationError(
                f"max_thinking_tokens: {self.max_thinking_tokens} is more than max_tokens ({self.max_tokens}); "
                "lower it or raise max_tokens"
            )
        if any(not cue for cue in self.cues):
            raise ConfigurationError("cues: an empty string cannot be a cue; remove it")
        if any(not text for text in self.stop):
            raise ConfigurationError("stop: an empty string would stop at once; remove it")
        if not self.close_tag or not self.open_tag:
            raise ConfigurationError("tags: the think tags cannot be empty; name both")
        if self.tool_tags is not None and not all(self.tool_tags):
            raise ConfigurationError("tool_tags: a tag of tool calls cannot be empty; name both")
