"""From chat responses to completions: the answer's text, and nothing of the thinking."""

from __future__ import annotations

from contextlib import aclosing, closing

from llama_index.core.base.llms.types import (
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
)

__all__ = ["acompletions", "as_completion", "completions"]


def as_completion(response: ChatResponse) -> CompletionResponse:
    """The same response, as the completion endpoints give it."""
    return CompletionResponse(
        text=response.message.content or "",
        delta=response.delta,
        raw=response.raw,
        additional_kwargs=dict(response.additional_kwargs),
    )


def completions(responses: ChatResponseGen) -> CompletionResponseGen:
    """Each chunk of a chat as a completion; closing it closes the chat."""
    with closing(responses):
        for response in responses:
            yield as_completion(response)


async def acompletions(responses: ChatResponseAsyncGen) -> CompletionResponseAsyncGen:
    """`completions` for async code."""
    async with aclosing(responses):
        async for response in responses:
            yield as_completion(response)
