"""Builds the responses of one answer from the relay's events: every chunk holds all that came so far.

Owns what LlamaIndex sees of an answer: one text block, the thinking in a block of its own, tool calls in theirs; a
`delta` of answer text alone; the thinking's delta in the response's ``additional_kwargs["thinking_delta"]``. The
message's own ``additional_kwargs`` stay empty, because they are printed into prompts. A malformed call is text.
"""

from __future__ import annotations

from collections.abc import Iterator

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ContentBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from relaygen_integrations.llama_index.usage import raw_response
from relaygen_runtime import Phase, RelayEvent, RelayFinished, TextDelta, ToolCallParser
from relaygen_runtime.answer.call_events import ArgumentsDelta, CallFinished, CallStarted, ContentDelta, InvalidCall
from relaygen_runtime.answer.tool_calls import AnswerPart

__all__ = ["Assembly"]


class Assembly:
    """One answer in the making.

    Args:
        model: The model's name.
        tool_format: How the answer may call tools; None: it is text whatever it looks like.
    """

    def __init__(self, model: str, tool_format: str | None = None) -> None:
        self._model = model
        self._parser = ToolCallParser(tool_format)
        self._thinking = ""
        self._text = ""
        self._calls: dict[int, ToolCallBlock] = {}

    def add(self, event: RelayEvent) -> Iterator[ChatResponse]:
        """Take one event; the chunk that it makes, if it makes one."""
        if isinstance(event, TextDelta):
            if event.markup or not event.text:
                return
            if event.phase is Phase.THINKING:
                self._thinking += event.text
                yield self._response("", thinking_delta=event.text)
                return
            parts = self._parser.feed(event.text)
            if parts:
                yield self._response(self._take(parts))
        elif isinstance(event, RelayFinished):
            delta = self._take(self._parser.finish())
            last = self._response(delta, thinking_tokens=event.ledger.tokens_in(Phase.THINKING))
            last.raw = raw_response(event, self._model, called=bool(self._calls))
            yield last

    def _take(self, parts: list[AnswerPart]) -> str:
        """What the parts add to the text; calls are noted."""
        delta = ""
        for part in parts:
            if isinstance(part, ContentDelta):
                delta += part.text
            elif isinstance(part, CallStarted):
                self._calls[part.index] = ToolCallBlock(tool_call_id=part.id, tool_name=part.name, tool_kwargs="")
            elif isinstance(part, ArgumentsDelta):
                self._lengthen(part)
            elif isinstance(part, CallFinished):
                call = part.call
                self._calls[call.index] = ToolCallBlock(
                    tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.parsed
                )
            elif isinstance(part, InvalidCall):
                self._calls.pop(part.index, None)
                delta += part.text
        self._text += delta
        return delta

    def _lengthen(self, part: ArgumentsDelta) -> None:
        block = self._calls[part.index]
        written = block.tool_kwargs if isinstance(block.tool_kwargs, str) else ""
        # A new block: the old one stands in chunks that a reader may have kept.
        self._calls[part.index] = block.model_copy(update={"tool_kwargs": written + part.text})

    def _response(
        self, delta: str, *, thinking_delta: str | None = None, thinking_tokens: int | None = None
    ) -> ChatResponse:
        blocks: list[ContentBlock] = []
        if self._thinking:
            blocks.append(ThinkingBlock(content=self._thinking, num_tokens=thinking_tokens))
        blocks.append(TextBlock(text=self._text))
        blocks.extend(self._calls.values())
        return ChatResponse(
            message=ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks),
            delta=delta,
            additional_kwargs={} if thinking_delta is None else {"thinking_delta": thinking_delta},
        )
