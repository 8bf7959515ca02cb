"""Short ways to a chat model on scripted models, and to what its streams say, for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, message_chunk_to_message

from relaygen_integrations.langchain import ChatRelayGen
from relaygen_runtime import ScriptedEngine
from tests.relay.scripts import scripted

LARGE = ("First multiply both of the numbers. So,", " Done.\n</think>\n\n")
SMALL = (" it is 12. And", "The result is 12.")
"""Four segments: large, small and large think, small answers."""
THINKING = "First multiply both of the numbers. So, it is 12. Done.\n"
ANSWER = "The result is 12."
CALL = '<tool_call>\n{"name": "look_up", "arguments": {"word": "relay"}}\n</tool_call>'


def look_up(word: str) -> str:
    """Look a word up.

    Args:
        word: What to look up.
    """
    return f"{word}: a race"


def chat(
    large: Sequence[str] = LARGE,
    small: Sequence[str] = SMALL,
    *,
    script: dict[str, Any] | None = None,
    **fields: Any,
) -> tuple[ChatRelayGen, ScriptedEngine]:
    """A chat model on a script, and its engine to look into."""
    relay, engine = scripted(large, small, **(script or {}))
    return ChatRelayGen(relay=relay, **fields), engine


def calling(answer: str = CALL, **fields: Any) -> ChatRelayGen:
    """A chat model whose large model thinks once and writes this answer, since tools are on offer."""
    return chat(["Look it up.\n</think>\n\n", answer], [], **fields)[0]


def added(chunks: Iterable[AIMessage]) -> AIMessageChunk:
    first, *rest = streamed(chunks)
    return first + rest


async def aadded(chunks: AsyncIterator[AIMessage]) -> AIMessageChunk:
    return added([chunk async for chunk in chunks])


def streamed(chunks: Iterable[AIMessage]) -> list[AIMessageChunk]:
    """All the chunks; a chat model with tools bound says of its stream only that it yields messages."""
    return [chunk for chunk in chunks if isinstance(chunk, AIMessageChunk)]


def said(message: BaseMessage) -> dict[str, Any]:
    """All of a message but its id and its clocks, in whatever way it came."""
    if isinstance(message, AIMessageChunk):
        message = message_chunk_to_message(message)
    data = message.model_dump(exclude={"id"})
    for segment in data["additional_kwargs"]["relay_segments"]:
        for name in ("started_s", "seconds", "first_token_s", "prefilled_tokens", "cached_tokens"):
            del segment[name]
    for summary in data["response_metadata"]["relay"]:
        for name in [name for name in summary if "second" in name or "speedup" in name or name.endswith("_s")]:
            del summary[name]
    return dict(data)
