"""What holds on real models, whatever they can do: forced calls and objects fit their schemas, by every way."""

from __future__ import annotations

import datetime
from enum import Enum
from typing import Any, Literal

import pytest
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.core.types import PydanticProgramMode
from pydantic import BaseModel, Field, RootModel

from relaygen_integrations.llama_index import RelayGenLLM

PROMPT = PromptTemplate("{who} is 41 years old and lives in Oslo.")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Paint(BaseModel):
    colour: Colour
    litres: int


class Entry(BaseModel):
    """An entry of a list."""

    name: str = Field(min_length=1, max_length=10)
    paint: Paint
    kind: Literal["a", "b"]
    tags: list[str] = Field(max_length=2)
    seen: datetime.date
    note: str | None = None


class Numbers(RootModel[list[int]]):
    """Some numbers."""


def book(title: str, year: int, lent: bool) -> str:
    """Enter a book."""
    return f"{title}, {year}"


def note() -> str:
    """Note that somebody was here."""
    return "noted"


BOOK, NOTE = FunctionTool.from_defaults(book), FunctionTool.from_defaults(note)


@pytest.mark.parametrize("mode", [PydanticProgramMode.DEFAULT, PydanticProgramMode.LLM])
@pytest.mark.parametrize("output_cls", [Entry, Numbers])
async def test_the_four_ways_give_the_same_sound_object(
    demo_llm: RelayGenLLM, output_cls: type[BaseModel], mode: PydanticProgramMode
) -> None:
    llm = demo_llm.model_copy(update={"pydantic_program_mode": mode})
    whole = llm.structured_predict(output_cls, PROMPT, who="Dana")

    assert isinstance(whole, output_cls)
    assert list(llm.stream_structured_predict(output_cls, PROMPT, who="Dana"))[-1] == whole
    assert await llm.astructured_predict(output_cls, PROMPT, who="Dana") == whole
    assert [p async for p in await llm.astream_structured_predict(output_cls, PROMPT, who="Dana")][-1] == whole


def test_a_structured_llm_answers_with_an_object(demo_llm: RelayGenLLM) -> None:
    response = demo_llm.as_structured_llm(Paint).chat([ChatMessage("We need 12 litres of red paint.")])

    assert isinstance(response.raw, Paint)
    assert Paint.model_validate_json(response.message.content or "") == response.raw


def test_an_object_is_whole_however_few_tokens_there_are(demo_llm: RelayGenLLM) -> None:
    short = demo_llm.model_copy(update={"max_tokens": 40})
    response = short.chat([ChatMessage("Red paint!")], response_format=Paint.model_json_schema())

    assert Paint.model_validate_json(response.message.content or "")


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"tool_required": True}, {"book", "note"}),
        ({"tool_choice": "book"}, {"book"}),
        ({"tool_choice": "note"}, {"note"}),
    ],
)
def test_a_call_that_is_asked_for_comes_and_is_sound(
    demo_llm: RelayGenLLM, asked: dict[str, Any], names: set[str]
) -> None:
    response = demo_llm.chat_with_tools([BOOK, NOTE], "Hello, how are you?", **asked)
    (call,) = demo_llm.get_tool_calls_from_response(response)

    assert call.tool_name in names
    assert set(call.tool_kwargs) == ({"title", "year", "lent"} if call.tool_name == "book" else set())


async def test_a_forced_call_streams_and_is_run(demo_llm: RelayGenLLM) -> None:
    *_, last = demo_llm.stream_chat_with_tools([BOOK], "Emma, 1815.", tool_choice="book")
    ran = await demo_llm.apredict_and_call([BOOK], "Emma, 1815.", tool_choice="book")

    (block,) = [block for block in last.message.blocks if isinstance(block, ToolCallBlock)]
    assert ran.sources[0].raw_input == {"args": (), "kwargs": block.tool_kwargs}


def test_tools_that_are_withheld_are_not_called(demo_llm: RelayGenLLM) -> None:
    response = demo_llm.chat_with_tools([NOTE], "Please call the tool.", tool_choice="none")

    assert demo_llm.get_tool_calls_from_response(response, error_on_no_tool_call=False) == []
