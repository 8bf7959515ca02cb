"""Streams that LlamaIndex's callbacks are told of, and that end with their consumer.

Owns the order of endings. LlamaIndex's decorators wrap a stream to report its chunks, but leave the stream itself to
the garbage collector when the consumer stops early; a handler that keeps the exception would keep the pair busy for
good. Here the consumer's end closes both.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any, TypeVar

__all__ = ["atold_stream", "told_stream"]

T = TypeVar("T")


def told_stream(
    decorator: Callable[..., Any],
    llm: object,
    subject: Any,
    kwargs: dict[str, Any],
    open_stream: Callable[[], Generator[T, None, None]],
) -> Generator[T, None, None]:
    """Open a stream inside the callbacks.

    Args:
        decorator: `llm_chat_callback()` or `llm_completion_callback()`.
        llm: The object whose callback manager is told.
        subject: What it is told of: the messages or the prompt.
        kwargs: The call's options, told as well.
        open_stream: Opens the stream; what it raises is raised here.
    """
    opened: list[Generator[T, None, None]] = []

    @decorator
    def opening(_llm: object, _subject: Any, **_kwargs: Any) -> Generator[T, None, None]:
        opened.append(open_stream())
        return opened[0]

    told: Generator[T, None, None] = opening(llm, subject, **kwargs)

    def until_closed() -> Generator[T, None, None]:
        try:
            yield from told
        finally:
            opened[0].close()

    return until_closed()


async def atold_stream(
    decorator: Callable[..., Any],
    llm: object,
    subject: Any,
    kwargs: dict[str, Any],
    open_stream: Callable[[], Awaitable[AsyncGenerator[T, None]]],
) -> AsyncGenerator[T, None]:
    """`told_stream` for async code."""
    opened: list[AsyncGenerator[T, None]] = []

    @decorator
    async def opening(_llm: object, _subject: Any, **_kwargs: Any) -> AsyncGenerator[T, None]:
        opened.append(await open_stream())
        return opened[0]

    told: AsyncGenerator[T, None] = await opening(llm, subject, **kwargs)

    async def until_closed() -> AsyncGenerator[T, None]:
        try:
            async for item in told:
                yield item
        finally:
            await told.aclose()
            await opened[0].aclose()

    return until_closed()
