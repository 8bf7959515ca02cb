"""The protocol that every engine meets: open a session on a prompt, write runs, roll back, close.

An engine knows models and tokens. It does not know when to switch (`relaygen_runtime.policy` does) nor
what things cost (`relaygen_runtime.ledger` does). A *session* is one generation. A *run* is one call of
one model inside it: the driver reads chunks from a run and closes the iterator as soon as the policy
cuts; then it calls `Session.rollback` for pieces that came past the cut. The session's sequence (prompt
plus everything written and not rolled back) is the truth: before a model writes, the engine brings that
model's cache in line with the sequence, feeding only what the model has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Protocol, runtime_checkable

from relaygen_runtime.answer.constraint import AnswerConstraint
from relaygen_runtime.vocabulary import CountSource, Phase, Piece, Role, Stop

__all__ = [
    "Capabilities",
    "Chunk",
    "Engine",
    "GenerationRequest",
    "Message",
    "Run",
    "RunStats",
    "Sampling",
    "Session",
]

Message = Mapping[str, Any]
"""A chat message: ``role`` (system, user, assistant, tool), ``content``, and what the template reads."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What arrives at once from a run: pieces in order, and how the run stopped, if it did."""

    pieces: tuple[Piece, ...]
    stop: Stop | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. None means: the large model's generation config decides.

    Attributes:
        temperature: 0 is greedy.
        top_p: Nucleus mass in (0, 1].
        top_k: Number of candidates; 0 is off.
        min_p: Fraction of the top probability that a candidate needs, in [0, 1).
        seed: Seed of the request's own generator; None draws one.
        presence_penalty: Subtracted from logits of tokens already generated (OpenAI's definition).
        repetition_penalty: Divides positive and multiplies negative logits of tokens in prompt or output
            (CTRL, arXiv 1909.05858); 1 is off.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    repetition_penalty: float | None = None


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One logical call: what the user sent, before the chat template.

    Attributes:
        messages: The whole history, in order.
        tools: JSON schemas of tools, in the OpenAI ``{"type": "function", ...}`` form.
        sampling: How tokens are drawn.
        enable_thinking: Passed to the chat template; None leaves the template's default.
        template_options: Further variables for the chat template.
        speculation: Whether the small model drafts inside large segments; None leaves the engine's default.
        constraint: What the answer must look like; the thinking is never constrained.
    """

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    sampling: Sampling = field(default_factory=Sampling)
    enable_thinking: bool | None = None
    template_options: Mapping[str, Any] = field(default_factory=dict)
    speculation: bool | None = None
    constraint: AnswerConstraint | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One call of one model.

    Attributes:
        author: Which model writes.
        phase: The phase it writes in.
        max_tokens: The most tokens it may write; at least 1.
        index: Number of the run in its generation, from 0; seeds are derived from it where a run has one.
        would_cut: Given pieces that might come next in this run, how many of them the policy would take before
            it cuts (None: it would not cut). Free of side effects. An engine that drafts ahead stops
            drafting there; an engine may ignore it.
        opening: It is not known yet whether the model thinks: the run may begin with the open tag, after which nothing
            is constrained, or with the answer.
        open_tag: The tag that opens the thinking, for `opening`.
        finish: The answer has to be brought to an end as soon as its constraint allows, without asking a model. The
            run ends with `Stop.CLOSED`.
        left: The most tokens that the whole rest of the generation may take, whoever writes it; 0: `max_tokens`. An
            engine that holds an answer to a constraint closes it in time: everything, its end included, fits into
            `left`. A run in which it did so ends with `Stop.CLOSED`.
    """

    author: Role
    phase: Phase
    max_tokens: int
    index: int = 0
    would_cut: Callable[[Sequence[Piece]], int | None] | None = None
    opening: bool = False
    open_tag: str = ""
    finish: bool = False
    left: int = 0


@dataclass(frozen=True, slots=True)
class RunStats:
    """What runs since the last `Session.take_stats` took, beyond the pieces that they yielded.

    Attributes:
        generated_tokens: Tokens sampled by the author, whether delivered or not; with those that closed an answer in
            its name, which no model was asked for.
        drafted_tokens: Tokens drafted by the small model for the large one to verify.
        accepted_tokens: Drafted tokens that the large model accepted.
        forward_passes: Forward passes of the author.
        prefilled_tokens: Tokens fed to a model that it had not seen (prompt, or the other's writing).
        cached_tokens: Tokens that a kept cache saved the author from reading again.
        source: Where the counts come from.
    """

    generated_tokens: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    forward_passes: int = 0
    prefilled_tokens: int = 0
    cached_tokens: int = 0
    source: CountSource = CountSource.ENGINE


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do, known before the first request.

    Attributes:
        name: The engine's name, e.g. ``"transformers"``.
        large_model: Name of the large model.
        small_model: Name of the small model.
        token_ids: Pieces are tokens with ids.
        one_tokenizer: Both models share a tokenizer, so that a handoff passes ids.
        speculation: Large segments are drafted by the small model.
        large_context: Context length of the large model in tokens.
        small_context: Context length of the small model in tokens.
        constraints: Answers can be held to a `relaygen_runtime.answer.constraint.AnswerConstraint`.
        tool_format: How the chat template has tools called (a name in `relaygen_runtime.answer.tool_formats`); None
            where it knows no tools, or writes calls in a way that can't be read.
    """

    name: str
    large_model: str
    small_model: str
    token_ids: bool = True
    one_tokenizer: bool = True
    speculation: bool = False
    large_context: int | None = None
    small_context: int | None = None
    constraints: bool = False
    tool_format: str | None = None


@runtime_checkable
class Session(Protocol):
    """One generation in progress. Not thread-safe: one driver at a time."""

    @property
    def prompt_text(self) -> str:
        """The rendered prompt; its end tells whether the template opened or closed the thinking."""
        ...

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of the rendered prompt, by the large model's tokenizer; None if unknown."""
        ...

    @property
    def shortest_answer(self) -> int | None:
        """Tokens of the shortest answer that the request's constraint allows; None without a constraint.

        The driver compares it with the rules before the first event: with less room for the answer (`max_tokens`, the
        context, after a thinking that used all it was allowed and the text that closes it), the constraint could not
        hold, and the request is refused.
        """
        ...

    def write(self, run: Run) -> Iterator[Chunk]:
        """Let one model write on from the sequence.

        The iterator ends after a chunk with `Chunk.stop`. Closing it early is always allowed and leaves all
        pieces that were yielded in the sequence.

        Raises:
            EngineError: The model failed; pieces already yielded stay.
        """
        ...

    def rollback(self, pieces: int) -> None:
        """Drop the last `pieces` pieces of the sequence (0 does nothing).

        Never crosses the start of the last run, except for a run that is taken back as a whole.
        """
        ...

    def inject(self, text: str) -> Sequence[Piece]:
        """Append text that no model wrote (a closing think tag) and return it as pieces."""
        ...

    def take_stats(self) -> RunStats:
        """Counts since the last call (or the opening); reading resets them."""
        ...

    def close(self) -> None:
        """End the generation and release what it holds. Idempotent, safe from another thread."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Two models that can write one answer together."""

    @property
    def capabilities(self) -> Capabilities:
        """What this engine can do."""
        ...

    def open(self, request: GenerationRequest, *, cancelled: Event | None = None) -> Session:
        """Render the prompt and prepare to write.

        May block while another generation holds the models (fair, first come first served). What is wrong with
        the request is raised before it queues.

        Args:
            request: The logical call.
            cancelled: Set by another thread to give up waiting.

        Raises:
            MessagesError: The template refuses the messages.
            ContextOverflowError: The prompt leaves no room to write.
            ConfigurationError: A sampling option that this engine cannot honour.
            CancelledWaitError: `cancelled` was set before the models were free.
        """
        ...

    def large_alone_s_per_token(self) -> float | None:
        """Measured seconds per token of the large model decoding alone; None where not measured."""
        ...

    def close(self) -> None:
        """Free models, processes and connections. Idempotent."""
        ...
