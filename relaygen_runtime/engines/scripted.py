"""An engine that replays given text: deterministic, instant, without any model. For tests, yours and ours.

Two kinds of script. *Turns*: each model has a list of texts and writes the next one whenever it is asked to begin a
run; what a cut leaves of a text is thrown away, except that a model whose switch was taken back goes on
with the rest. *Trace*: one text that both models follow, whoever is asked. An end of sequence is written `EOS`
inside a text, or is implied by a text's end (and then arrives in a chunk of its own). It fakes no model behaviour
beyond that and refuses to sample.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from threading import Event

from relaygen_runtime.engines.base import Capabilities, Chunk, Engine, GenerationRequest, Run, RunStats, Session
from relaygen_runtime.errors import ConfigurationError, ContextOverflowError, EngineError, MessagesError
from relaygen_runtime.vocabulary import Piece, Role, Stop

__all__ = ["EOS", "ScriptedEngine", "split_words"]

EOS = "\x00"
"""Stands for an end-of-sequence token inside a script."""

_WORDS = re.compile(r"</?\w+>|\x00| ?[^\W\d_]+|\d| ?[^\w\s]+|\s+|.", re.DOTALL)


def split_words(text: str) -> list[str]:
    """Split roughly as a byte-level BPE of a reasoning model does: words with their space, single digits, tags."""
    return _WORDS.findall(text)


class ScriptedEngine:
    """Replays text as two models would write it.

    Args:
        large: What the large model writes, a text a run.
        small: What the small model writes, a text a run.
        trace: One text that both follow; excludes the other two.
        prompt: The rendered prompt, as a template would leave it.
        split: From text to tokens.
        group: How many tokens arrive in one chunk.
        large_context: Context length of the large model in tokens.
        small_context: Context length of the small model in tokens.
        tool_format: How its texts call tools; None: they call none.
        fail: Called before each chunk with the author and the tokens this run has yielded; may raise `EngineError`.

    Raises:
        ConfigurationError: Both kinds of script are given, or none.
    """

    def __init__(
        self,
        large: Sequence[str] = (),
        small: Sequence[str] = (),
        *,
        trace: str | None = None,
        prompt: str = "",
        split: Callable[[str], list[str]] = split_words,
        group: int = 1,
        large_context: int | None = None,
        small_context: int | None = None,
        tool_format: str | None = "qwen3",
        fail: Callable[[Role, int], None] | None = None,
    ) -> None:
        if (trace is None) == (not large and not small):
            raise ConfigurationError("script: give either turns (large=, small=) or a trace=, not both and not neither")
        if group < 1:
            raise ConfigurationError(f"group: {group} given; a chunk holds at least 1 token")
        self.turns = {Role.LARGE: tuple(large), Role.SMALL: tuple(small)}
        self.trace = trace
        self.prompt = prompt
        self.split = split
        self.group = group
        self.fail = fail
        self.runs: list[Run] = []
        self.closed_sessions = 0
        self._capabilities = Capabilities(
            name="scripted",
            large_model="scripted-large",
            small_model="scripted-small",
            large_context=large_context,
            small_context=small_context,
            # The script is the answer: it keeps to a constraint if its author did.
            constraints=True,
            tool_format=tool_format,
        )

    @property
    def capabilities(self) -> Capabilities:
        """Names and contexts; no speculation."""
        return self._capabilities

    def open(self, request: GenerationRequest, *, cancelled: Event | None = None) -> Session:  # noqa: ARG002  (never waits)
        """Begin the script from its start.

        Raises:
            MessagesError: There are no messages.
            ContextOverflowError: The prompt fills the large model's context.
        """
        if not request.messages:
            raise MessagesError("messages: the list is empty; give at least one message")
        session = _ScriptedSession(self)
        limit = self._capabilities.large_context
        if limit is not None and session.prompt_tokens >= limit:
            raise ContextOverflowError(
                f"messages: the prompt has {session.prompt_tokens} tokens, the context {limit}; shorten it"
            )
        return session

    def large_alone_s_per_token(self) -> float | None:
        """Nothing was measured."""
        return None

    def close(self) -> None:
        """Nothing to free."""


class _ScriptedSession:
    """One generation of a script."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self._engine = engine
        self._pieces: list[Piece] = []
        self._position = 0
        self._trace = engine.split(engine.trace) if engine.trace is not None else None
        self._next_turn = {Role.LARGE: 0, Role.SMALL: 0}
        self._rest: dict[Role, list[str]] = {Role.LARGE: [], Role.SMALL: []}
        self._run: tuple[Role, int] = (Role.LARGE, 0)
        self._generated = 0
        self._closed = False

    @property
    def prompt_text(self) -> str:
        """The prompt as given."""
        return self._engine.prompt

    @property
    def prompt_tokens(self) -> int:
        """Its length under the engine's split."""
        return len(self._engine.split(self._engine.prompt))

    @property
    def shortest_answer(self) -> int | None:
        """Nobody knows how short another script would be."""
        return None

    def write(self, run: Run) -> Iterator[Chunk]:
        """Yield the next tokens of the script for this author."""
        self._engine.runs.append(run)
        tokens = self._tokens_for(run.author)
        self._run = (run.author, len(self._pieces))
        taken = 0
        while True:
            if self._closed:
                raise EngineError("the session is closed")
            if self._engine.fail is not None:
                self._engine.fail(run.author, taken)
            batch: list[Piece] = []
            stop: Stop | None = None
            while len(batch) < self._engine.group and stop is None:
                if taken == run.max_tokens:
                    stop = Stop.MAX_TOKENS
                elif not tokens:
                    # An end that the script only implies is found out by asking once more, as from a real model.
                    if batch:
                        break
                    stop = Stop.EOS
                elif tokens[0] == EOS:
                    stop = Stop.EOS
                else:
                    batch.append(Piece(tokens.pop(0)))
                    taken += 1
                    if self._trace is not None:
                        self._position += 1
            self._pieces.extend(batch)
            self._generated += len(batch)
            yield Chunk(tuple(batch), stop)
            if stop is not None:
                return

    def _tokens_for(self, author: Role) -> list[str]:
        if self._trace is not None:
            return self._trace[self._position :]
        if len(self._pieces) > self._run[1]:
            self._rest[self._run[0].other] = []
        elif self._rest[author]:
            return self._rest[author]
        turns, index = self._engine.turns[author], self._next_turn[author]
        self._next_turn[author] = index + 1
        self._rest[author] = self._engine.split(turns[index]) if index < len(turns) else []
        return self._rest[author]

    def rollback(self, pieces: int) -> None:
        """Drop the last pieces; a run dropped whole lets the other model go on with its text."""
        if pieces == 0:
            return
        author, start = self._run
        dropped = self._pieces[-pieces:]
        del self._pieces[-pieces:]
        if self._trace is not None:
            self._position -= len(dropped)
        elif len(self._pieces) > start:
            self._rest[author][:0] = [piece.text for piece in dropped]
        else:
            self._next_turn[author] -= 1
            self._rest[author] = []

    def inject(self, text: str) -> Sequence[Piece]:
        """Append text; in a trace that stands at this very text, step over it."""
        pieces = [Piece(part) for part in self._engine.split(text)]
        self._pieces.extend(pieces)
        if self._trace is not None and self._trace[self._position : self._position + len(pieces)] == [
            p.text for p in pieces
        ]:
            self._position += len(pieces)
        return pieces

    def take_stats(self) -> RunStats:
        """Tokens yielded since the last call."""
        stats = RunStats(generated_tokens=self._generated)
        self._generated = 0
        return stats

    def close(self) -> None:
        """End the script; counted once."""
        if not self._closed:
            self._closed = True
            self._engine.closed_sessions += 1


_: type[Engine] = ScriptedEngine
