"""`ChatRelayGen`: a LangChain chat model whose answers two models write.

Owns the class and the methods that LangChain asks of a chat model; each is a few lines, and the work is in the modules
beside it. Refuses to load anything before the first call.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, closing
from typing import Any, Literal, Self, cast

from langchain_core.callbacks import (
    AsyncCallbackManager,
    AsyncCallbackManagerForLLMRun,
    CallbackManager,
    CallbackManagerForLLMRun,
)
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig

from relaygen_integrations.langchain.call import CALL_NAMES, Call, prepared
from relaygen_integrations.langchain.chat_run import ChatRun, offer, taken, watch
from relaygen_integrations.langchain.chunks import joined
from relaygen_integrations.langchain.errors import as_langchain_errors
from relaygen_integrations.langchain.fields import checked_names
from relaygen_integrations.langchain.generation import aevents_of, events_of
from relaygen_integrations.langchain.identity import RelayIdentity
from relaygen_integrations.langchain.layers import Layer
from relaygen_integrations.langchain.observers import Audience
from relaygen_integrations.langchain.structured_output import structured
from relaygen_integrations.langchain.tools import Tool, relay_choice, relay_tools
from relaygen_integrations.pairs import DEMO_LARGE, DEMO_PROFILE, DEMO_SMALL
from relaygen_runtime import RelayEvent

__all__ = ["ChatRelayGen"]


class ChatRelayGen(RelayIdentity):
    """A chat model whose answers a large and a small model write together.

    Setup:
        ``pip install "relaygen[torch,langchain]"``. Models run in this process; there is no key and no server.

    Instantiate:
        Name a pair and its cue profile; nothing is loaded until the first call, and all chat models of this process
        that name the same pair share it.

        .. code-block:: python

            from relaygen_integrations.langchain import ChatRelayGen

            llm = ChatRelayGen(large="Qwen/Qwen3-32B", small="Qwen/Qwen3-1.7B", profile="qwen3", temperature=0)
            llm = ChatRelayGen.demo()  # the embedded toy pair
            llm = ChatRelayGen(relay=relay)  # a relay of your own

    Invoke:
        .. code-block:: python

            message = llm.invoke("What is 37 * 24 + 118?")
            message.content  # the answer
            message.additional_kwargs["reasoning_content"]  # the thinking
            message.usage_metadata
            message.response_metadata["relay"]  # who wrote how much, seconds, cost

    Stream:
        .. code-block:: python

            for chunk in llm.stream("What is 37 * 24 + 118?"):
                print(chunk.text, end="", flush=True)

    Tools:
        .. code-block:: python

            llm.bind_tools([add, multiply]).invoke("What is 37 * 24 + 118?").tool_calls
            llm.with_structured_output(Person).invoke("Anna is 31.")

    Options are the fields below (docs/langchain.md has them in a table), and may be given at a call too.
    """

    def __init__(self, **fields: Any) -> None:
        # Aliases, and `profile=` for what is the field `cue_profile`, are known at run time only.
        super().__init__(**fields)

    @classmethod
    def demo(cls, **fields: Any) -> Self:
        """The embedded pair: a demonstration and a test bed, good at its own small field and at nothing else."""
        return cls(**{"large": DEMO_LARGE, "small": DEMO_SMALL, "profile": DEMO_PROFILE, **fields})

    def bind_tools(
        self,
        tools: Sequence[Tool],
        *,
        tool_choice: str | bool | Mapping[str, Any] | None = None,
        strict: bool | None = None,
        parallel_tool_calls: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """A chat model that may, or has to, call tools.

        Args:
            tools: Functions, pydantic classes, typed dictionaries, LangChain tools, or JSON schemas.
            tool_choice: ``"auto"`` (the default), ``"none"``, ``"any"``, ``"required"`` or True (at least one call),
                or a tool's name, also in OpenAI's or Anthropic's form (that tool, once).
            strict: Every parameter required and none besides. Arguments keep to their schema in any case.
            parallel_tool_calls: False: at most one call.
            **kwargs: Further arguments of the calls: options, ``response_format``.

        Raises:
            RelayToolChoiceError: The choice names no tool on offer.
            RelaySchemaError: A tool that is no function with a schema.
            RelayConfigurationError: The tools are no list.
            RelayUnknownOptionError: An argument that does not exist.
        """
        with as_langchain_errors():
            bound = checked_names(kwargs, valid=CALL_NAMES, where=f"{type(self).__name__}.bind_tools")
            made = relay_tools(tools, strict=strict)
            choice = relay_choice(tool_choice, made)
        if choice is not None:
            bound["tool_choice"] = choice
        if parallel_tool_calls is not None:
            bound["parallel_tool_calls"] = parallel_tool_calls
        return self.bind(tools=made, **bound)

    def with_structured_output(
        self,
        schema: Any = None,
        *,
        method: Literal["json_schema", "function_calling", "json_mode"] = "json_schema",
        include_raw: bool = False,
        strict: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, Any]:
        """A chain that answers with an object.

        Args:
            schema: A pydantic class (the result is an instance), a TypedDict, a function in OpenAI's form or a JSON
                schema (the result is a dictionary).
            method: ``"json_schema"`` and ``"json_mode"``: the answer itself keeps to the schema, if there is one;
                ``"function_calling"``: a call of a tool that is the schema.
            include_raw: The result is a dictionary with ``raw`` (the message), ``parsed`` and ``parsing_error``.
            strict: Every property required and none besides.
            **kwargs: None; unknown ones are refused.

        Raises:
            RelaySchemaError: The schema is none of these.
            RelayConfigurationError: The method does not exist, or has no schema to work with.
            RelayUnknownOptionError: An argument that does not exist.
        """
        with as_langchain_errors():
            checked_names(
                kwargs, valid=("method", "include_raw", "strict"), where=f"{type(self).__name__}.with_structured_output"
            )
            return structured(self, schema, method=method, include_raw=include_raw, strict=strict)

    def stream(
        self,
        input: LanguageModelInput,
        config: RunnableConfig | None = None,
        *,
        stop: list[str] | None = None,
        **kwargs: Any,
    ) -> Iterator[AIMessageChunk]:
        """See `BaseChatModel.stream`. Leaving the loop ends the generation."""
        config, handover = watch(config, CallbackManager, self.callbacks)
        chunks = cast("Generator[AIMessageChunk, None, None]", super().stream(input, config, stop=stop, **kwargs))
        try:
            with handover.on_offer():
                first = next(chunks, None)
            if first is not None:
                yield first
                yield from chunks
        finally:
            chunks.close()
            handover.close()

    async def astream(
        self,
        input: LanguageModelInput,
        config: RunnableConfig | None = None,
        *,
        stop: list[str] | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[AIMessageChunk]:
        """See `BaseChatModel.astream`. Leaving the loop, or cancelling the task, ends the generation."""
        config, handover = watch(config, AsyncCallbackManager, self.callbacks)
        own = cast("AsyncGenerator[AIMessageChunk, None]", super().astream(input, config, stop=stop, **kwargs))
        chunks = Layer(own)
        try:
            with handover.on_offer():
                first = await anext(chunks, None)
            if first is not None:
                yield first
                async for chunk in chunks:
                    yield chunk
        finally:
            await chunks.aclose()
            await handover.aclose()

    def _should_stream(
        self,
        *,
        async_api: bool,
        run_manager: CallbackManagerForLLMRun | AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> bool:
        streams = super()._should_stream(async_api=async_api, run_manager=run_manager, **kwargs)
        if streams and run_manager is not None:
            offer(run_manager)  # LangChain opens the stream next, and does not hand it over
        return streams

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        audience = Audience(taken(run_manager).run)
        call = self._prepared(messages, stop, kwargs)
        with closing(events_of(call, audience)) as events:
            return _result(call, list(events))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        audience = Audience(taken(run_manager).run)
        call = await self._aprepared(messages, stop, kwargs)
        async with aclosing(aevents_of(call, audience)) as events:
            return _result(call, [event async for event in events])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        handover = taken(run_manager)
        handover.opened = self._chunks(messages, stop, handover.run, kwargs)
        return handover.opened

    def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        handover = taken(run_manager)
        chunks = self._achunks(messages, stop, handover.run, kwargs)
        if not handover.closes:
            return chunks
        handover.aopened = Layer(chunks)
        return handover.aopened

    def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, run: ChatRun | None, given: dict[str, Any]
    ) -> Generator[ChatGenerationChunk, None, None]:
        call = self._prepared(messages, stop, given)
        chunks = call.chunks(with_usage=call.stream_usage)
        with closing(events_of(call, Audience(run))) as events:
            for event in events:
                yield from chunks.of(event)

    async def _achunks(
        self, messages: list[BaseMessage], stop: list[str] | None, run: ChatRun | None, given: dict[str, Any]
    ) -> AsyncGenerator[ChatGenerationChunk, None]:
        call = await self._aprepared(messages, stop, given)
        chunks = call.chunks(with_usage=call.stream_usage)
        async with aclosing(Layer(aevents_of(call, Audience(run)))) as events:
            async for event in events:
                for chunk in chunks.of(event):
                    yield chunk

    def _prepared(self, messages: list[BaseMessage], stop: list[str] | None, given: dict[str, Any]) -> Call:
        with as_langchain_errors():
            return prepared(self, self.get_relay(), messages, stop, given)

    async def _aprepared(self, messages: list[BaseMessage], stop: list[str] | None, given: dict[str, Any]) -> Call:
        if not self.is_ready:
            await asyncio.to_thread(self.get_relay)  # minutes, in which the loop has other work
        return self._prepared(messages, stop, given)


def _result(call: Call, events: Sequence[RelayEvent]) -> ChatResult:
    """What a stream's chunks add up to, made of as few of them as possible."""
    chunks = call.chunks(with_usage=True)
    return generate_from_stream(chunk for event in joined(events) for chunk in chunks.of(event))
