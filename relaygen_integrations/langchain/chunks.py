"""From a relay's events to LangChain's message chunks.

Owns what each chunk carries, so that the sum of all is the message: text and reasoning as they come, tool calls in
pieces, every finished segment, and usage, metadata and the end on the last chunk alone. Two formats: by default
``content`` is a text and reasoning goes into ``additional_kwargs``; in ``"v1"`` content is a list of blocks too.
Refuses: running anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import ToolCallChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.utils.json import parse_partial_json

from relaygen_integrations.langchain.blocks import Blocks
from relaygen_integrations.langchain.usage import response_metadata, segment_record, usage_of
from relaygen_runtime import (
    Capabilities,
    Phase,
    RelayEvent,
    RelayFinished,
    SegmentFinished,
    SegmentStarted,
    TextDelta,
)
from relaygen_runtime.answer.tool_calls import (
    AnswerPart,
    ArgumentsDelta,
    CallStarted,
    ContentDelta,
    InvalidCall,
    ToolCallParser,
)

__all__ = ["Chunks", "joined"]

Content = str | list[str | dict[str, Any]]

_SPOILERS = ("]", '"]', "}", '"}', '\\"]')


class Chunks:
    """Makes the chunks of one generation.

    Args:
        capabilities: Names of the models, and how they write tool calls.
        model_name: The pair's name, or that of the model that writes alone.
        reads_tools: Whether tools are on offer, so that calls are read out of the answer.
        v1: Whether content is a list of blocks.
        with_usage: Whether the last chunk tells the usage.
    """

    def __init__(
        self, capabilities: Capabilities, model_name: str, *, reads_tools: bool, v1: bool, with_usage: bool
    ) -> None:
        self._capabilities = capabilities
        self._model_name = model_name
        self._parser = ToolCallParser(capabilities.tool_format) if reads_tools else None
        self._blocks = Blocks() if v1 else None
        self._with_usage = with_usage
        self._arguments: dict[int, str] = {}
        self._notes: list[str] = []

    def of(self, event: RelayEvent) -> Iterator[ChatGenerationChunk]:
        """The chunks that this event comes to: none, one, or a few."""
        if isinstance(event, TextDelta):
            if event.markup:
                return
            if event.phase is Phase.THINKING:
                yield self._reasoning(event.text)
            elif self._parser is None:
                yield self._text(event.text)
            else:
                yield from self._parts(self._parser.feed(event.text))
        elif isinstance(event, SegmentFinished):
            yield _chunk(self._nothing(), additional_kwargs={"relay_segments": [segment_record(event)]})
        elif isinstance(event, SegmentStarted):
            if self._blocks is not None:
                self._blocks.segment_began(event)
        elif isinstance(event, RelayFinished):
            if self._parser is not None:
                yield from self._parts(self._parser.finish())
            yield self._last(event)

    def _nothing(self) -> Content:
        return "" if self._blocks is None else []

    def _text(self, text: str) -> ChatGenerationChunk:
        return _chunk(text if self._blocks is None else [self._blocks.text(text)])

    def _reasoning(self, text: str) -> ChatGenerationChunk:
        content: Content = "" if self._blocks is None else [self._blocks.reasoning(text)]
        return _chunk(content, additional_kwargs={"reasoning_content": text})

    def _parts(self, parts: Iterable[AnswerPart]) -> Iterator[ChatGenerationChunk]:
        for part in parts:
            if isinstance(part, ContentDelta):
                yield self._text(part.text)
            elif isinstance(part, CallStarted):
                yield self._call(part.index, "", name=part.name, identity=part.id)
            elif isinstance(part, ArgumentsDelta):
                yield self._call(part.index, part.text)
            elif isinstance(part, InvalidCall):
                yield self._invalid(part)

    def _call(
        self, number: int, args: str, *, name: str | None = None, identity: str | None = None
    ) -> ChatGenerationChunk:
        self._arguments[number] = self._arguments.get(number, "") + args
        if self._blocks is None:
            return _chunk("", tool_call_chunks=[ToolCallChunk(name=name, args=args, id=identity, index=number)])
        block = self._blocks.call(number, name=name, args=args, identity=identity)
        call = ToolCallChunk(name=name, args=args, id=identity, index=block["index"])
        return _chunk([block], tool_call_chunks=[call])

    def _invalid(self, part: InvalidCall) -> ChatGenerationChunk:
        """A call that nobody may make.

        LangChain completes JSON that is cut short, and would have the tool run with half of its arguments. So what
        cannot be read is made unreadable for it, too.
        """
        self._notes.append(f"the call of {part.name or 'a tool'} cannot be read: {part.error}")
        if part.index not in self._arguments:
            return self._call(part.index, part.text, name=part.name or "", identity=part.id)
        written = self._arguments[part.index]
        return self._call(part.index, next(end for end in _SPOILERS if not _completes(written + end)))

    def _last(self, event: RelayFinished) -> ChatGenerationChunk:
        told = response_metadata(
            event,
            model_name=self._model_name,
            capabilities=self._capabilities,
            calls_tools=bool(self._arguments),
            notes=self._notes,
        )
        usage = usage_of(event.ledger) if self._with_usage else None
        return _chunk(self._nothing(), response_metadata=told, usage_metadata=usage, chunk_position="last")


def joined(events: Iterable[RelayEvent]) -> Iterator[RelayEvent]:
    """The same events with neighbouring texts joined: less work where nobody watches them come."""
    held: list[TextDelta] = []
    for event in events:
        if held and not _goes_on(held[-1], event):
            yield _one(held)
            held = []
        if isinstance(event, TextDelta):
            held.append(event)
        else:
            yield event
    if held:
        yield _one(held)


def _goes_on(before: TextDelta, event: RelayEvent) -> bool:
    return isinstance(event, TextDelta) and (event.index, event.markup) == (before.index, before.markup)


def _one(deltas: list[TextDelta]) -> TextDelta:
    first = deltas[0]
    text = "".join(delta.text for delta in deltas)
    return TextDelta(first.index, first.role, first.phase, text, first.markup)


def _completes(arguments: str) -> bool:
    try:
        return isinstance(parse_partial_json(arguments), dict)
    except ValueError:
        return False


def _chunk(
    content: Content, *, response_metadata: Mapping[str, Any] | None = None, **fields: Any
) -> ChatGenerationChunk:
    told = dict(response_metadata or {})
    if not isinstance(content, str):
        told["output_version"] = "v1"  # on each, or LangChain takes the blocks for something to be translated
    return ChatGenerationChunk(message=AIMessageChunk(content=content, response_metadata=told, **fields))
