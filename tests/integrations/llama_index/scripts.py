"""Short ways to a `RelayGenLLM` on scripted models, one text a call, and to the requests that reached them."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse

from relaygen_integrations.llama_index import RelayGenLLM
from relaygen_runtime import Engine, Relay, ScriptedEngine, Session
from relaygen_runtime.engines.base import GenerationRequest
from tests.relay.scripts import OPEN, cue_profile

QUESTION = [ChatMessage("How many are there?")]


class Playlist(ScriptedEngine):
    """Replays the next text at each call, the last one ever after; keeps what it was asked."""

    def __init__(self, texts: Sequence[str], **engine: Any) -> None:
        super().__init__(trace=texts[0], **{"prompt": OPEN, **engine})
        self.texts = list(texts)
        self.requests: list[GenerationRequest] = []

    def open(self, request: GenerationRequest, *, cancelled: Event | None = None) -> Session:
        self.trace = self.texts[min(len(self.requests), len(self.texts) - 1)]
        self.requests.append(request)
        return super().open(request, cancelled=cancelled)


def saying(*texts: str, options: dict[str, Any] | None = None, **engine: Any) -> tuple[RelayGenLLM, Playlist]:
    """An LLM whose calls are answered by these texts, and its engine to look into."""
    playlist = Playlist(texts, **engine)
    return on(playlist, **(options or {})), playlist


def on(engine: Engine, **fields: Any) -> RelayGenLLM:
    """An LLM on an engine."""
    return RelayGenLLM(relay=Relay(engine, cue_profile()), **fields)


def raw(response: ChatResponse | CompletionResponse) -> dict[str, Any]:
    """What the last chunk carries."""
    assert isinstance(response.raw, dict)
    return response.raw


def thought(thinking: str, answer: str) -> str:
    """What a model writes that thinks first, into a prompt that opens the thinking."""
    return f"{thinking}\n</think>\n\n{answer}"


def call_text(name: str, arguments: str) -> str:
    """A tool call as Qwen3 writes it."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
