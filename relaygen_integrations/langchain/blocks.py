"""Content blocks of the ``"v1"`` format: which block a piece belongs to, and the index that holds its pieces together.

Owns the one index space that reasoning, text and tool calls share. A segment of thinking is a block of its own, and its
first piece names the model that wrote it; text is one block until a tool call stands in between.
"""

from __future__ import annotations

from typing import Any

from relaygen_runtime import SegmentStarted

__all__ = ["Blocks"]


class Blocks:
    """Numbers the blocks of one message."""

    def __init__(self) -> None:
        self._count = 0
        self._open: str | None = None
        self._index = 0
        self._segment: SegmentStarted | None = None
        self._calls: dict[int, int] = {}

    def segment_began(self, segment: SegmentStarted) -> None:
        """The next reasoning begins a block."""
        self._segment = segment
        if self._open == "reasoning":
            self._open = None

    def reasoning(self, text: str) -> dict[str, Any]:
        """A piece of reasoning."""
        block: dict[str, Any] = {"type": "reasoning", "reasoning": text}
        if self._open != "reasoning" and self._segment is not None and self._segment.role is not None:
            block["extras"] = {"model": self._segment.model, "role": str(self._segment.role)}
        return self._placed("reasoning", block)

    def text(self, text: str) -> dict[str, Any]:
        """A piece of the answer."""
        return self._placed("text", {"type": "text", "text": text})

    def call(self, number: int, *, name: str | None, args: str, identity: str | None) -> dict[str, Any]:
        """A piece of a tool call."""
        if number not in self._calls:
            self._calls[number] = self._new()
            self._open = None
        index = self._calls[number]
        return {"type": "tool_call_chunk", "id": identity, "name": name, "args": args, "index": index}

    def _placed(self, kind: str, block: dict[str, Any]) -> dict[str, Any]:
        if self._open != kind:
            self._open, self._index = kind, self._new()
        block["index"] = self._index
        return block

    def _new(self) -> int:
        self._count += 1
        return self._count - 1
