"""The result of one generation: the texts and the ledger, built from nothing but the event stream.

Owns the fold from events to a result, so that streaming and not streaming cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from relaygen_runtime.answer.tool_calls import InvalidCall, ToolCall, parse_answer
from relaygen_runtime.errors import PolicyError
from relaygen_runtime.events import RelayEvent, RelayFinished, TextDelta
from relaygen_runtime.ledger import Ledger
from relaygen_runtime.vocabulary import FinishReason, Phase

__all__ = ["RelayResult", "ResultBuilder"]


@dataclass(frozen=True, slots=True)
class RelayResult:
    """One answer.

    Attributes:
        answer: The answer, without think tags and the white space beside them.
        thinking: The thinking, likewise.
        text: Everything that was written, byte for byte.
        ledger: What it took, segment by segment.
        finish_reason: Why it ended.
        content: The answer outside of tool calls; the whole answer where no tools were on offer.
        tool_calls: The tool calls of the answer, in order.
        invalid_calls: Tool calls that are malformed or were cut short.
        notes: One sentence for each thing out of the ordinary.
        degraded: The small model failed and the large carried on alone.
    """

    answer: str
    thinking: str
    text: str
    ledger: Ledger
    finish_reason: FinishReason
    notes: tuple[str, ...] = ()
    degraded: bool = False
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    invalid_calls: tuple[InvalidCall, ...] = ()


class ResultBuilder:
    """Folds events into a `RelayResult`.

    Args:
        tool_format: How tool calls are written in the answer; None: there are none, and content is the answer.
    """

    def __init__(self, tool_format: str | None = None) -> None:
        self._tool_format = tool_format
        self._text: list[str] = []
        self._phases: dict[Phase, list[str]] = {Phase.THINKING: [], Phase.ANSWER: []}
        self._finished: RelayFinished | None = None

    def add(self, event: RelayEvent) -> None:
        """Take one event."""
        if isinstance(event, TextDelta):
            self._text.append(event.text)
            if not event.markup:
                self._phases[event.phase].append(event.text)
        elif isinstance(event, RelayFinished):
            self._finished = event

    @property
    def text(self) -> str:
        """What has been written so far."""
        return "".join(self._text)

    def result(self) -> RelayResult:
        """The result.

        Raises:
            PolicyError: `RelayFinished` has not come yet.
        """
        if self._finished is None:
            raise PolicyError("the event stream ended without RelayFinished")
        answer = "".join(self._phases[Phase.ANSWER])
        parsed = parse_answer(answer, self._tool_format)
        return RelayResult(
            answer=answer,
            thinking="".join(self._phases[Phase.THINKING]),
            text=self.text,
            ledger=self._finished.ledger,
            finish_reason=self._finished.finish_reason,
            notes=self._finished.notes,
            degraded=self._finished.degraded,
            content=parsed.content,
            tool_calls=parsed.tool_calls,
            invalid_calls=parsed.invalid_calls,
        )

    @classmethod
    def fold(cls, events: Iterable[RelayEvent], tool_format: str | None = None) -> RelayResult:
        """Consume a whole stream."""
        builder = cls(tool_format)
        for event in events:
            builder.add(event)
        return builder.result()
