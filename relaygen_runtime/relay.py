"""`Relay`: the one object that users hold. Two models write one answer; events tell how.

Owns the driving: it asks the policy what to do, lets the engine do it, feeds the policy what came, and hands out
events. It decides nothing about switching (`policy`), knows no model (`engines`) and does no sums (`ledger`). One
driver serves the synchronous and the asynchronous path.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from relaygen_runtime.answer.check import check_answer
from relaygen_runtime.answer.constraint import AnswerConstraint
from relaygen_runtime.async_bridge import stream_in_thread
from relaygen_runtime.engines.base import Chunk, Engine, GenerationRequest, Message, Run, Session
from relaygen_runtime.errors import EngineError
from relaygen_runtime.events import RelayEvent, TextDelta
from relaygen_runtime.ledger import Prices
from relaygen_runtime.messages import checked_messages
from relaygen_runtime.options import RelayOptions
from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.steps import Cut, Done, Inject, Output, Write
from relaygen_runtime.recorder import Recorder
from relaygen_runtime.result import RelayResult, ResultBuilder
from relaygen_runtime.vocabulary import Phase, Role, Stop, SwitchReason

if TYPE_CHECKING:
    from relaygen_runtime.cues.profile import CueProfile

__all__ = ["Relay"]


class Relay:
    """A pair of models that writes one answer together.

    Args:
        engine: The two models.
        profile: A cue profile, or the name or path of one.
        prices: What the models cost; without, the ledger's costs are None.
        **defaults: Options of `RelayOptions` that every call starts from.

    Raises:
        ProfileError: The profile cannot be used.
        UnknownOptionError: A default that is no option.
        ConfigurationError: A default with a value that cannot work.
    """

    def __init__(
        self, engine: Engine, profile: CueProfile | str | Path, *, prices: Prices | None = None, **defaults: Any
    ) -> None:
        from relaygen_runtime.cues.profile import load_profile  # noqa: PLC0415  (pydantic is slow to import)

        self.engine = engine
        self.profile = load_profile(profile) if isinstance(profile, str | Path) else profile
        self.prices = prices or Prices()
        self._defaults = dict(defaults)
        RelayOptions.of(self._defaults, where="Relay")

    @classmethod
    def demo(cls, *, engine_options: Mapping[str, Any] | None = None, **options: Any) -> Self:
        """The embedded pair: a demonstration and a test bed, good at its own small field and at nothing else.

        Args:
            engine_options: As for `from_pretrained`.
            **options: As for `from_pretrained`, without the models and the profile.

        Raises:
            MissingDependencyError: torch or transformers is not installed.
        """
        from relaygen_runtime.demo import pair_paths  # noqa: PLC0415  (lazy: reads package data)

        paths = pair_paths()
        names = {"large_name": "relaygen-demo-large", "small_name": "relaygen-demo-small"}
        return cls.from_pretrained(
            str(paths.large),
            str(paths.small),
            profile=paths.profile,
            engine_options={**names, **(engine_options or {})},
            **options,
        )

    @classmethod
    def from_pretrained(
        cls,
        large: str,
        small: str,
        *,
        profile: CueProfile | str | Path,
        prices: Prices | None = None,
        engine_options: Mapping[str, Any] | None = None,
        **defaults: Any,
    ) -> Self:
        """Load two models into this process.

        Args:
            large: Folder or hub name of the large model.
            small: Folder or hub name of the small model.
            profile: The pair's cue profile: a name (``"qwen3"``), a path, or a `CueProfile`.
            prices: What the models cost.
            engine_options: Options of `TransformersEngine.from_pretrained`: device, dtype, quantisation, speculation...
            **defaults: Options of `RelayOptions` that every call starts from.

        Raises:
            ModelLoadError: A model cannot be loaded.
            MissingDependencyError: torch or transformers is not installed.
        """
        RelayOptions.of(defaults, where="Relay.from_pretrained")
        from relaygen_runtime.cues.profile import load_profile  # noqa: PLC0415  (pydantic is slow to import)

        checked = load_profile(profile) if isinstance(profile, str | Path) else profile
        from relaygen_runtime.engines.transformers import TransformersEngine  # noqa: PLC0415  (brings torch)

        engine = TransformersEngine.from_pretrained(large, small, **dict(engine_options or {}))
        return cls(engine, checked, prices=prices, **defaults)

    def generate(self, messages: str | Sequence[Message], **options: Any) -> RelayResult:
        """Write one answer.

        Args:
            messages: The history (role and content, as for a chat API), or a text that stands for one user message.
            **options: See `RelayOptions`.

        Returns:
            The answer, the thinking and the ledger.

        Raises:
            RequestError: The messages or the prompt's length cannot be served.
            ConfigurationError: An unknown or contradictory option.
            EngineError: The large model failed; the error holds the partial text.
        """
        checked = self._checked(options)
        with closing(self._drive(messages, checked)) as events:
            return ResultBuilder.fold(events, checked.tool_format(self.engine.capabilities))

    def stream(self, messages: str | Sequence[Message], **options: Any) -> Generator[RelayEvent, None, None]:
        """Write one answer and tell how, event by event; arguments and errors as for `generate`.

        Closing the iterator (or leaving a ``for`` loop and dropping it) ends the generation.
        """
        return self._drive(messages, self._checked(options))

    async def agenerate(self, messages: str | Sequence[Message], **options: Any) -> RelayResult:
        """`generate` for async code; cancelling the task ends the generation."""
        builder = ResultBuilder(self._checked(options).tool_format(self.engine.capabilities))
        stream = self.astream(messages, **options)
        try:
            async for event in stream:
                builder.add(event)
        finally:
            await stream.aclose()
        return builder.result()

    def astream(self, messages: str | Sequence[Message], **options: Any) -> AsyncGenerator[RelayEvent, None]:
        """`stream` for async code."""
        return stream_in_thread(lambda cancelled: self._drive(messages, self._checked(options), cancelled))

    def close(self) -> None:
        """Free the models. Idempotent."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _checked(self, options: Mapping[str, Any]) -> RelayOptions:
        return RelayOptions.of({**self._defaults, **options}, where="Relay")

    def _drive(
        self, messages: str | Sequence[Message], checked: RelayOptions, cancelled: threading.Event | None = None
    ) -> Generator[RelayEvent, None, None]:
        constraint = checked.constraint(self.engine.capabilities)
        request = GenerationRequest(
            messages=checked_messages(messages),
            tools=checked.offered_tools,
            sampling=checked.sampling,
            enable_thinking=checked.enable_thinking,
            template_options=checked.template_options,
            speculation=checked.effective_speculation,
            constraint=constraint if self.engine.capabilities.constraints else None,
        )
        # Bad input raises here, at the call, not at the first `next`.
        return self._events(request, checked, constraint, cancelled)

    def _events(
        self,
        request: GenerationRequest,
        options: RelayOptions,
        constraint: AnswerConstraint | None,
        cancelled: threading.Event | None,
    ) -> Generator[RelayEvent, None, None]:
        with closing(self.engine.open(request, cancelled=cancelled)) as session:
            generation = _Generation(self, session, options, constraint, cancelled)
            yield from generation.events()


class _Generation:
    """One generation being driven."""

    def __init__(
        self,
        relay: Relay,
        session: Session,
        options: RelayOptions,
        constraint: AnswerConstraint | None,
        cancelled: threading.Event | None,
    ) -> None:
        capabilities = relay.engine.capabilities
        self._relay = relay
        self._session = session
        self._cancelled = cancelled
        self._solo = Role(options.effective_mode) if options.effective_mode != "relay" else None
        rules = options.rules(
            relay.profile,
            capabilities,
            session.prompt_tokens,
            constraint=constraint,
            shortest_answer=session.shortest_answer,
            thinks=not session.prompt_text.rstrip().endswith(relay.profile.close_tag),
        )
        self._machine = RelayMachine(rules, session.prompt_text)
        self._constraint = constraint
        self._tools = options.offered_tools
        self._recorder = Recorder(capabilities, self._solo)
        self._written: list[str] = []
        self._answer: list[str] = []
        self._runs = 0
        self._degraded = False

    def events(self) -> Iterator[RelayEvent]:
        while not isinstance(ask := self._machine.ask(), Done):
            if self._cancelled is not None and self._cancelled.is_set():
                return
            if isinstance(ask, Inject):
                step = self._machine.injected(self._session.inject(ask.text))
                if step.cut is not None:
                    self._session.rollback(step.cut.drop)
                yield from self._tell(step.outputs)
            else:
                yield from self._run(ask)
        self._recorder.stop()
        yield self._recorder.finish(
            prompt_tokens=self._session.prompt_tokens,
            large_s_per_token=self._relay.engine.large_alone_s_per_token(),
            prices=self._relay.prices,
            reason=ask.reason,
            notes=(*self._machine.notes, *self._notes_on_answer(ask)),
            degraded=self._degraded,
        )

    def _notes_on_answer(self, ask: Done) -> Iterator[str]:
        if ask.empty_answer:
            yield "the answer is empty"
        elif wrong := check_answer(self._constraint, "".join(self._answer), self._tools):
            yield wrong

    def _run(self, ask: Write) -> Iterator[RelayEvent]:
        author = self._solo or ask.author
        run = Run(
            author,
            ask.phase,
            ask.max_tokens,
            self._runs,
            self._machine.would_cut,
            opening=ask.opening,
            open_tag=ask.open_tag,
            finish=ask.finish,
            left=ask.left,
        )
        self._runs += 1
        self._recorder.run_begins(ask.segment)
        chunks: Iterator[Chunk] = iter(())
        try:
            chunks = self._session.write(run)
            for chunk in chunks:
                if self._cancelled is not None and self._cancelled.is_set():
                    return
                self._recorder.pieces_came(ask.segment)
                outputs, cut = self._feed(chunk)
                if cut is not None:
                    _close(chunks)
                    self._session.rollback(cut.drop)
                    self._recorder.run_ends(ask.segment, self._session.take_stats())
                yield from self._tell(outputs)
                if cut is not None:
                    return
        except EngineError as error:
            yield from self._survive(error, author, ask.segment)
        finally:
            _close(chunks)

    def _feed(self, chunk: Chunk) -> tuple[Sequence[Output], Cut | None]:
        """What the policy makes of a chunk: what may be told, and the cut if the run is over."""
        step = self._machine.feed(chunk.pieces)
        cut = step.cut
        # A turn that ends in a cue word, both seen at once, did not mean to hand over.
        ends_in_cue = cut is not None and cut.reason is SwitchReason.CUE and not cut.drop and chunk.stop is Stop.EOS
        if chunk.stop is None or not (cut is None or ends_in_cue):
            return step.outputs, cut
        last = self._machine.stopped(chunk.stop)
        return (*step.outputs, *last.outputs), last.cut or Cut(0, None)

    def _survive(self, error: EngineError, author: Role, segment: int) -> Iterator[RelayEvent]:
        if author is Role.LARGE or self._solo is not None:
            raise EngineError(str(error), partial="".join(self._written)) from error
        self._degraded = True
        step = self._machine.lose_small()
        if step.cut is not None:
            self._session.rollback(step.cut.drop)
        self._recorder.run_ends(segment, self._session.take_stats())
        yield from self._tell(step.outputs)

    def _tell(self, outputs: Sequence[Output]) -> Iterator[RelayEvent]:
        for event in self._recorder.events(outputs):
            if isinstance(event, TextDelta):
                self._written.append(event.text)
                if event.phase is Phase.ANSWER and not event.markup:
                    self._answer.append(event.text)
            yield event


def _close(chunks: Iterator[Any]) -> None:
    close = getattr(chunks, "close", None)
    if close is not None:
        close()
