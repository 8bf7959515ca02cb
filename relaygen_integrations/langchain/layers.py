"""Asynchronous generators inside one another, of which the event loop knows the outermost alone.

Owns the keeping quiet. A loop that ends closes all generators it knows of at once; where several are layers of one
stream, the outer one closes the inner while the loop does, and asyncio logs an error for each. Refuses: to close
anything by itself. Whoever makes a layer closes it.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Self, TypeVar

__all__ = ["Layer"]

T = TypeVar("T")


class Layer(Generic[T]):
    """An asynchronous generator that the loop is not told of.

    Args:
        generator: Not yet begun.
        deep: Nor of the generators that its first step begins.
    """

    def __init__(self, generator: AsyncGenerator[T, None], *, deep: bool = False) -> None:
        self._generator = generator
        self._deep = deep

    def __aiter__(self) -> Self:
        return self

    def __anext__(self) -> Awaitable[T]:
        with _untold():  # Python tells the loop here, before the step is awaited
            step = self._generator.__anext__()
        if not self._deep:
            return step
        self._deep = False
        return _UntoldStep(step)

    def aclose(self) -> Awaitable[None]:
        """Close the generator."""
        with _untold():
            return self._generator.aclose()


class _UntoldStep(Generic[T]):
    """A step during which the loop is told of no generator; while the step waits, others are told as ever."""

    def __init__(self, step: Awaitable[T]) -> None:
        self._step = step

    def __await__(self) -> Generator[Any, Any, T]:
        steps = self._step.__await__()
        go_on: Callable[[Any], Any] = steps.send
        given: Any = None
        while True:
            try:
                with _untold():
                    waited = go_on(given)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]  # what the step came to
            try:
                go_on, given = steps.send, (yield waited)
            except BaseException as error:  # noqa: BLE001  (handed on into the step, whatever it is)
                go_on, given = steps.throw, error


@contextmanager
def _untold() -> Iterator[None]:
    told = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, None)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(*told)
