"""Asks a relay for an object of a pydantic class, in a way that holds whatever the models can do.

Owns the two routes: a call of one tool that is asked for by name, where the chat template knows tools and the class is
an object; else an answer held to the class's JSON schema, which is then shown in the prompt. Either way the grammar
holds the answer to the schema, and pydantic has the last word, because it may ask for more than a schema can say.
LlamaIndex's own programs differ between sync and async (system prompt) and cannot stream calls that stand in blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing, closing
from typing import Any, Generic

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole, ToolCallBlock
from llama_index.core.bridge.pydantic import ValidationError
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.program.function_program import get_function_tool
from llama_index.core.program.utils import FlexibleModel, create_flexible_model
from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.types import Model
from pydantic_core import from_json

__all__ = ["StructuredProgram"]

_NO_NAME = re.compile(r"[^a-zA-Z0-9_.-]")
_FORCED = ("tool_choice", "tool_required", "allow_parallel_tool_calls", "response_format", "tools")


class StructuredProgram(Generic[Model]):
    """One class to be filled in.

    Args:
        output_cls: The class.
        prompt: The prompt, with variables.
        llm: Who is asked.
        by_tool: Whether to ask for a tool call; None: where it can be.
    """

    def __init__(
        self,
        output_cls: type[Model],
        prompt: BasePromptTemplate,
        llm: FunctionCallingLLM,
        *,
        by_tool: bool | None = None,
    ) -> None:
        self._output_cls = output_cls
        self._prompt = prompt
        self._llm = llm
        self._schema = output_cls.model_json_schema()
        if by_tool is None:
            by_tool = self._schema.get("type") == "object" and llm.metadata.is_function_calling_model
        self._by_tool = by_tool

    def call(self, llm_kwargs: Mapping[str, Any] | None, variables: Mapping[str, Any]) -> Model:
        """Ask, and validate.

        Raises:
            ValueError: The answer was cut short, or pydantic asks for more than the schema says.
            SchemaError: The class's schema cannot be held; raised before anything is written.
        """
        return self._object(self._llm.chat(**self._arguments(llm_kwargs, variables)))

    async def acall(self, llm_kwargs: Mapping[str, Any] | None, variables: Mapping[str, Any]) -> Model:
        """`call` for async code."""
        return self._object(await self._llm.achat(**self._arguments(llm_kwargs, variables)))

    def stream(
        self, llm_kwargs: Mapping[str, Any] | None, variables: Mapping[str, Any]
    ) -> Generator[Model | FlexibleModel, None, None]:
        """The object as it grows; the last one is whole and validated."""
        responses = self._llm.stream_chat(**self._arguments(llm_kwargs, variables))
        written = ""
        with closing(responses):
            for response in responses:
                if response.raw is not None:
                    yield self._object(response)
                elif (text := self._text(response)) != written and (partial := self._partial(text)) is not None:
                    written = text
                    yield partial

    async def astream(
        self, llm_kwargs: Mapping[str, Any] | None, variables: Mapping[str, Any]
    ) -> AsyncGenerator[Model | FlexibleModel, None]:
        """`stream` for async code."""
        responses = await self._llm.astream_chat(**self._arguments(llm_kwargs, variables))
        written = ""
        async with aclosing(responses):
            async for response in responses:
                if response.raw is not None:
                    yield self._object(response)
                elif (text := self._text(response)) != written and (partial := self._partial(text)) is not None:
                    written = text
                    yield partial

    def _arguments(self, llm_kwargs: Mapping[str, Any] | None, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the chat that asks."""
        given = {name: value for name, value in (llm_kwargs or {}).items() if name not in _FORCED}
        messages = self._llm._extend_messages(self._prompt.format_messages(llm=self._llm, **variables))
        if self._by_tool:
            tool = get_function_tool(self._output_cls)
            tool.metadata.name = _NO_NAME.sub("_", tool.metadata.get_name())[:64]  # Page[int] is no name of a tool
            return self._llm._prepare_chat_with_tools(
                [tool], chat_history=messages, tool_choice=tool.metadata.get_name(), **given
            )
        schema = {"name": self._output_cls.__name__, "schema": self._schema}
        return {
            "messages": _with_schema(messages, self._schema),
            "response_format": {"type": "json_schema", "json_schema": schema},
            **given,
        }

    def _text(self, response: ChatResponse) -> str:
        """The JSON text so far."""
        if not self._by_tool:
            return response.message.content or ""
        for block in response.message.blocks:
            if isinstance(block, ToolCallBlock):
                return block.tool_kwargs if isinstance(block.tool_kwargs, str) else json.dumps(block.tool_kwargs)
        return ""

    def _object(self, response: ChatResponse) -> Model:
        text = self._text(response)
        try:
            return self._output_cls.model_validate_json(text)
        except ValidationError:
            cut = isinstance(response.raw, dict) and response.raw["finish_reason"] == "length"
            if text and not cut:
                raise
            kind, written = self._output_cls.__name__, text or response.message.content
            if cut:
                raise ValueError(
                    f"{kind}: the answer ended before the object was whole; raise max_tokens or answer_reserve. It had "
                    f"come to {written!r}"
                ) from None
            raise ValueError(f"{kind}: the model wrote no object but {written!r}") from None

    def _partial(self, text: str) -> Model | FlexibleModel | None:
        """What can be said of an object that is still being written."""
        try:
            value = from_json(text, allow_partial="trailing-strings")
        except ValueError:
            return None
        try:
            return self._output_cls.model_validate(value)
        except ValidationError:
            return create_flexible_model(self._output_cls).model_validate(value) if isinstance(value, dict) else None


def _with_schema(messages: list[ChatMessage], schema: dict[str, Any]) -> list[ChatMessage]:
    """The messages, with the demand behind the last user message: the models are to see what they will be held to."""
    kind = "a JSON object" if schema.get("type") == "object" else "JSON"
    demand = f"Answer with {kind} that follows this schema:\n{json.dumps(schema, ensure_ascii=False)}"
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.role == MessageRole.USER:
            asked = ChatMessage(
                role=message.role,
                content=f"{message.content or ''}\n\n{demand}",
                additional_kwargs=message.additional_kwargs,
            )
            return [*messages[:place], asked, *messages[place + 1 :]]
    return [*messages, ChatMessage(role=MessageRole.USER, content=demand)]
