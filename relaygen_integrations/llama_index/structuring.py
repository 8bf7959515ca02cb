"""The part of `RelayGenLLM` that fills in pydantic classes: `structured_predict` and its kin.

Owns the choice of a route from `pydantic_program_mode`, and the events around it. `as_structured_llm` is inherited and
ends here. Modes that name another library's program are LlamaIndex's own affair.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from typing import Any

from llama_index.core.instrumentation.events.llm import (
    LLMStructuredPredictEndEvent,
    LLMStructuredPredictStartEvent,
)
from llama_index.core.program.utils import FlexibleModel
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.types import Model, PydanticProgramMode
from llama_index_instrumentation import get_dispatcher

from relaygen_integrations.llama_index.settings import RelaySettings
from relaygen_integrations.llama_index.structured_program import StructuredProgram

__all__ = ["Structuring"]

_dispatcher = get_dispatcher(__name__)
_BY_TOOL = {PydanticProgramMode.DEFAULT: None, PydanticProgramMode.FUNCTION: True, PydanticProgramMode.LLM: False}


class Structuring(RelaySettings):
    """Answers that are objects of a class."""

    def structured_predict(
        self,
        output_cls: type[Model],
        prompt: BasePromptTemplate,
        llm_kwargs: dict[str, Any] | None = None,
        **prompt_args: Any,
    ) -> Model:
        """Fill in a class.

        Args:
            output_cls: The pydantic class.
            prompt: The prompt.
            llm_kwargs: Options of the call, as for `chat`.
            **prompt_args: The prompt's variables.

        Raises:
            SchemaError: The class's schema cannot be held; also a ValueError.
            ValueError: The answer was cut short, or pydantic asks for more than the schema says.
        """
        program = self._program(output_cls, prompt)
        if program is None:
            inherited: Model = super().structured_predict(output_cls, prompt, llm_kwargs, **prompt_args)
            return inherited
        _dispatcher.event(_start(output_cls, prompt, prompt_args))
        result = program.call(llm_kwargs, prompt_args)
        _dispatcher.event(LLMStructuredPredictEndEvent(output=result))
        return result

    async def astructured_predict(
        self,
        output_cls: type[Model],
        prompt: BasePromptTemplate,
        llm_kwargs: dict[str, Any] | None = None,
        **prompt_args: Any,
    ) -> Model:
        """`structured_predict` for async code."""
        program = await asyncio.to_thread(self._program, output_cls, prompt)  # may load the models
        if program is None:
            inherited: Model = await super().astructured_predict(output_cls, prompt, llm_kwargs, **prompt_args)
            return inherited
        _dispatcher.event(_start(output_cls, prompt, prompt_args))
        result = await program.acall(llm_kwargs, prompt_args)
        _dispatcher.event(LLMStructuredPredictEndEvent(output=result))
        return result

    def _structured_stream_call(
        self,
        output_cls: type[Model],
        prompt: PromptTemplate,
        llm_kwargs: dict[str, Any] | None = None,
        **prompt_args: Any,
    ) -> Generator[Model | list[Model] | FlexibleModel | list[FlexibleModel], None, None]:
        program = self._program(output_cls, prompt)
        if program is None:
            return super()._structured_stream_call(output_cls, prompt, llm_kwargs, **prompt_args)
        return program.stream(llm_kwargs, prompt_args)

    async def _structured_astream_call(
        self,
        output_cls: type[Model],
        prompt: PromptTemplate,
        llm_kwargs: dict[str, Any] | None = None,
        **prompt_args: Any,
    ) -> AsyncGenerator[Model | list[Model] | FlexibleModel | list[FlexibleModel], None]:
        program = await asyncio.to_thread(self._program, output_cls, prompt)
        if program is None:
            return await super()._structured_astream_call(output_cls, prompt, llm_kwargs, **prompt_args)
        return program.astream(llm_kwargs, prompt_args)

    def _program(self, output_cls: type[Model], prompt: BasePromptTemplate) -> StructuredProgram[Model] | None:
        mode = self.pydantic_program_mode
        if mode not in _BY_TOOL:
            return None
        return StructuredProgram(output_cls, prompt, self, by_tool=_BY_TOOL[mode])


def _start(
    output_cls: type[Any], prompt: BasePromptTemplate, prompt_args: dict[str, Any]
) -> LLMStructuredPredictStartEvent:
    return LLMStructuredPredictStartEvent(output_cls=output_cls, template=prompt, template_args=prompt_args)
