"""`RelayGenLLM`: the language model that LlamaIndex's engines and agents are given.

Owns the eight endpoints (chat and complete, whole and streamed, sync and async), the way to a relay, and what pickles.
One stream of events serves all eight, so that they cannot differ. Refuses: fields (`settings`), what a call may hold
(`request`), what chunks hold (`assembly`), objects by schema (`structuring`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools.types import BaseTool

from relaygen_integrations.llama_index.completion import acompletions, as_completion, completions
from relaygen_integrations.llama_index.plan import metadata_of, pair_name
from relaygen_integrations.llama_index.request import Request, checked_request
from relaygen_integrations.llama_index.responses import aresponses, awhole, responses, whole
from relaygen_integrations.llama_index.source import Source
from relaygen_integrations.llama_index.structuring import Structuring
from relaygen_integrations.llama_index.told_stream import atold_stream, told_stream
from relaygen_integrations.llama_index.tools import selections, tool_options
from relaygen_runtime import ConfigurationError, Relay

__all__ = ["RelayGenLLM"]


class RelayGenLLM(Structuring):
    """A LlamaIndex LLM whose answers a large and a small model write together.

    The models are loaded by the first call that needs them, once per process for all objects that name the same pair
    with the same `engine_options`.

    Args:
        relay: A relay that is there already, instead of `large`, `small` and `profile`; its own defaults stay in force.
            Such an object cannot be pickled.
        **fields: The fields of this class; see docs/llama-index.md.

    Raises:
        UnknownOptionError: A field that does not exist; the message names the nearest valid one.
        ConfigurationError: A value that cannot work, or no pair.

    Example:
        ::

            llm = RelayGenLLM(large="Qwen/Qwen3-32B", small="Qwen/Qwen3-1.7B", profile="qwen3")
            index.as_query_engine(llm=llm).query("...")
    """

    _source: Source = PrivateAttr()

    def __init__(self, *, relay: Relay | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._source = Source(relay)
        self._source.check(self)

    @property
    def metadata(self) -> LLMMetadata:
        """What LlamaIndex may plan with; loads the models, since only they know."""
        relay = self._relay()
        return metadata_of(relay, self._source.options(self), context_window=self.context_window)

    def to_payload(self) -> dict[str, Any]:
        """What events say of this object; it does not wait for the models to be loaded."""
        if self._source.is_ready(self):
            return {"class_name": self.class_name(), **self.metadata.model_dump()}
        return {"class_name": self.class_name(), "model_name": pair_name(self.large, self.small)}

    @property
    def tokenizer(self) -> Callable[[str], Sequence[int]]:
        """The large model's, for LlamaIndex to count with: ``Settings.tokenizer = llm.tokenizer``. Loads the models.

        Raises:
            ConfigurationError: The engine has none.
        """
        engine = self._relay().engine
        tokens: Callable[[str], Sequence[int]] | None = getattr(engine, "token_ids", None)
        if tokens is None:
            raise ConfigurationError(f"tokenizer: the {engine.capabilities.name} engine has none to count with")
        return tokens

    def close(self) -> None:
        """Free the models, for everybody who named this pair; the next call loads them anew. Idempotent."""
        self._source.close(self)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Write one answer.

        Args:
            messages: The history.
            **kwargs: Options of `RelayOptions`, for this call: `temperature`, `tools`, `response_format`, ...

        Returns:
            The message: thinking, text and tool calls in blocks of their own; usage and segments in `raw`.

        Raises:
            RequestError: Messages or options that cannot be served; also a ValueError.
            EngineError: The large model failed; the error holds the partial text.
        """
        return whole(self._responses(checked_request(self, messages, kwargs)))

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        """Write one answer, chunk by chunk; arguments and errors as for `chat`.

        Every chunk holds all that came so far. `delta` is what came of the answer, the `thinking_delta` in
        `additional_kwargs` what came of the thinking. Closing the generator frees the pair.
        """
        return told_stream(
            llm_chat_callback(),
            self,
            messages,
            kwargs,
            lambda: self._responses(checked_request(self, messages, kwargs)),
        )

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """`chat` for async code; cancelling the task frees the pair."""
        return await awhole(await self._aresponses(checked_request(self, messages, kwargs)))

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """`stream_chat` for async code."""
        return await atold_stream(
            llm_chat_callback(),
            self,
            messages,
            kwargs,
            lambda: self._aresponses(checked_request(self, messages, kwargs)),
        )

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Answer a text as one user message; the completion is the answer, without the thinking.

        Args:
            prompt: The text.
            formatted: Whether `completion_to_prompt` was applied to it already.
            **kwargs: As for `chat`.
        """
        return as_completion(whole(self._responses(self._prompted(prompt, formatted, kwargs))))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """`complete`, chunk by chunk."""
        return told_stream(
            llm_completion_callback(),
            self,
            prompt,
            kwargs,
            lambda: completions(self._responses(self._prompted(prompt, formatted, kwargs))),
        )

    @llm_completion_callback()
    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """`complete` for async code."""
        return as_completion(await awhole(await self._aresponses(self._prompted(prompt, formatted, kwargs))))

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseAsyncGen:
        """`stream_complete` for async code."""

        async def opened() -> CompletionResponseAsyncGen:
            return acompletions(await self._aresponses(self._prompted(prompt, formatted, kwargs)))

        return await atold_stream(llm_completion_callback(), self, prompt, kwargs, opened)

    def get_tool_calls_from_response(
        self,
        response: ChatResponse,
        error_on_no_tool_call: bool = True,
        **kwargs: Any,  # noqa: ARG002  (LlamaIndex's signature)
    ) -> list[ToolSelection]:
        """The tool calls of a message that are whole.

        Raises:
            ValueError: There is none, and `error_on_no_tool_call` is set.
        """
        return selections(response, error_on_none=error_on_no_tool_call)

    def _prepare_chat_with_tools(  # noqa: PLR0917  (LlamaIndex's signature)
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,  # noqa: ARG002
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        tool_choice: str | Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """The arguments of the `chat` that offers these tools."""
        messages = list(chat_history or [])
        if user_msg is not None:
            told = ChatMessage(role=MessageRole.USER, content=user_msg) if isinstance(user_msg, str) else user_msg
            messages.append(told)
        options = tool_options(tools, tool_choice, required=tool_required, parallel=allow_parallel_tool_calls)
        return {"messages": messages, **options, **kwargs}

    def __getstate__(self) -> dict[str, Any]:
        self._source.refuse_pickling(type(self).__name__)
        return super().__getstate__()

    def _relay(self) -> Relay:
        return self._source.relay(self)

    def _prompted(self, prompt: str, formatted: bool, kwargs: dict[str, Any]) -> Request:
        if not formatted and self.completion_to_prompt is not None:
            prompt = self.completion_to_prompt(prompt)
        return checked_request(self, [ChatMessage(role=MessageRole.USER, content=prompt)], kwargs)

    def _responses(self, request: Request) -> ChatResponseGen:
        return responses(self._relay(), request)

    async def _aresponses(self, request: Request) -> ChatResponseAsyncGen:
        relay = self._relay() if self._source.is_ready(self) else await asyncio.to_thread(self._relay)
        return aresponses(relay, request)
