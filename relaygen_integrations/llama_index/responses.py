"""A relay's events as LlamaIndex's responses: a stream of chunks, or the last of them.

Owns the driving, once for sync and once for async code, and that whoever stops reading ends the generation. What a
chunk holds is `assembly`'s to say.
"""

from __future__ import annotations

from contextlib import aclosing, closing

from llama_index.core.base.llms.types import ChatResponse, ChatResponseAsyncGen, ChatResponseGen

from relaygen_integrations.deadline import astream_within, stream_within
from relaygen_integrations.llama_index.assembly import Assembly
from relaygen_integrations.llama_index.plan import pair_name
from relaygen_integrations.llama_index.request import Request
from relaygen_runtime import PolicyError, Relay

__all__ = ["aresponses", "awhole", "responses", "whole"]


def responses(relay: Relay, request: Request) -> ChatResponseGen:
    """The chunks of one answer; closing the generator frees the pair.

    Raises:
        RequestError: What the relay cannot serve; raised here and not by the first chunk, except under a timeout.
    """
    if request.timeout_s is None:
        events = relay.stream(request.messages, **request.options)
    else:
        events = stream_within(relay, request.timeout_s, request.messages, request.options)
    assembly = _assembly(relay, request)

    def chunks() -> ChatResponseGen:
        with closing(events):
            for event in events:
                if request.listen is not None:
                    request.listen(event)
                yield from assembly.add(event)

    return chunks()


def aresponses(relay: Relay, request: Request) -> ChatResponseAsyncGen:
    """`responses` for async code."""
    if request.timeout_s is None:
        events = relay.astream(request.messages, **request.options)
    else:
        events = astream_within(relay, request.timeout_s, request.messages, request.options)
    assembly = _assembly(relay, request)

    async def chunks() -> ChatResponseAsyncGen:
        async with aclosing(events):
            async for event in events:
                if request.listen is not None:
                    request.listen(event)
                for response in assembly.add(event):
                    yield response

    return chunks()


def whole(chunks: ChatResponseGen) -> ChatResponse:
    """The last chunk, which holds everything."""
    last: ChatResponse | None = None
    with closing(chunks):
        for chunk in chunks:
            last = chunk
    return _undivided(last)


async def awhole(chunks: ChatResponseAsyncGen) -> ChatResponse:
    """`whole` for async code."""
    last: ChatResponse | None = None
    async with aclosing(chunks):
        async for chunk in chunks:
            last = chunk
    return _undivided(last)


def _undivided(last: ChatResponse | None) -> ChatResponse:
    if last is None:
        raise PolicyError("the event stream ended without RelayFinished")
    last.delta = None
    return last


def _assembly(relay: Relay, request: Request) -> Assembly:
    capabilities = relay.engine.capabilities
    name = pair_name(capabilities.large_model, capabilities.small_model)
    return Assembly(name, capabilities.tool_format if request.offers_tools else None)
