"""Objects of pydantic classes: by a forced call or by an answer held to the schema, whole and as they grow."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import ChatPromptTemplate, PromptTemplate
from llama_index.core.types import PydanticProgramMode
from pydantic import BaseModel, RootModel, ValidationError, field_validator

from relaygen_integrations.llama_index import RelayGenLLM
from tests.integrations.llama_index.scripts import Playlist, call_text, saying, thought

T = TypeVar("T")


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


class Numbers(RootModel[list[int]]):
    """Some numbers."""


class Adult(Person):
    @field_validator("age")
    @classmethod
    def _grown_up(cls, age: int) -> int:
        if age < 18:
            raise ValueError("too young")
        return age


DANA = '{"name": "Dana", "age": 41}'
PROMPT = PromptTemplate("Who is {who}?")


def by_call(answer: str = call_text("Person", DANA), **options: Any) -> tuple[RelayGenLLM, Playlist]:
    return saying(thought("It is Dana.", answer), options=options)


def by_schema(answer: str = DANA, **options: Any) -> tuple[RelayGenLLM, Playlist]:
    return saying(thought("It is Dana.", answer), tool_format=None, options=options)


@pytest.mark.parametrize("route", [by_call, by_schema])
class TestRoutes:
    async def test_the_four_ways_agree(self, route: Any) -> None:
        llm, _ = route()
        whole = [
            llm.structured_predict(Person, PROMPT, who="Dana"),
            list(llm.stream_structured_predict(Person, PROMPT, who="Dana"))[-1],
            await llm.astructured_predict(Person, PROMPT, who="Dana"),
            [p async for p in await llm.astream_structured_predict(Person, PROMPT, who="Dana")][-1],
        ]

        assert whole == [Person(name="Dana", age=41)] * 4

    def test_a_stream_shows_the_object_as_it_grows(self, route: Any) -> None:
        grown = list(route()[0].stream_structured_predict(Person, PROMPT, who="Dana"))

        names = [getattr(person, "name", None) for person in grown]
        assert "Dana" in names[:-1]
        assert names[0] != "Dana"
        assert grown[-1] == Person(name="Dana", age=41)

    @pytest.mark.filterwarnings("ignore:The `json` method is deprecated")  # StructuredLLM.stream_chat calls it
    async def test_a_structured_llm_answers_with_json(self, route: Any) -> None:
        structured = route()[0].as_structured_llm(Person)
        asked = [ChatMessage("Who is Dana? Not {this}.")]

        assert structured.chat(asked).raw == Person(name="Dana", age=41)
        assert structured.complete("Who?").text == '{"name":"Dana","age":41}'
        assert (await structured.achat(asked)).raw == Person(name="Dana", age=41)
        assert list(structured.stream_chat(asked))[-1].raw == Person(name="Dana", age=41)

    async def test_the_system_prompt_is_told_by_all_ways(self, route: Any) -> None:
        llm, engine = route(system_prompt="Be exact.")
        llm.structured_predict(Person, PROMPT, who="Dana")
        await llm.astructured_predict(Person, PROMPT, who="Dana")
        list(llm.stream_structured_predict(Person, PROMPT, who="Dana"))
        [p async for p in await llm.astream_structured_predict(Person, PROMPT, who="Dana")]

        assert [request.messages[0] for request in engine.requests] == [{"role": "system", "content": "Be exact."}] * 4

    def test_options_of_the_call_are_handed_on(self, route: Any) -> None:
        llm, engine = route()
        llm.structured_predict(Person, PROMPT, llm_kwargs={"temperature": 0.5, "tool_choice": "none"}, who="Dana")

        assert engine.requests[0].sampling.temperature == 0.5

    def test_pydantic_has_the_last_word(self, route: Any) -> None:
        child = '{"name": "Dana", "age": 4}'
        llm, _ = route(call_text("Adult", child) if route is by_call else child)

        with pytest.raises(ValidationError, match="too young"):
            llm.structured_predict(Adult, PROMPT, who="Dana")


def test_with_tools_the_class_is_a_tool_that_is_asked_for_by_name() -> None:
    llm, engine = by_call()
    llm.structured_predict(Person, PROMPT, who="Dana")
    (tool,) = engine.requests[0].tools

    assert tool["function"]["name"] == "Person"
    assert engine.requests[0].messages == [{"role": "user", "content": "Who is Dana?"}]


def test_without_tools_the_schema_is_shown_behind_the_last_question() -> None:
    llm, engine = by_schema()
    template = ChatPromptTemplate([ChatMessage("Who is {who}?"), ChatMessage("Well?", role="assistant")])
    llm.structured_predict(Person, template, who="Dana")
    asked = engine.requests[0].messages

    assert asked[0]["content"].startswith("Who is Dana?\n\nAnswer with a JSON object that follows this schema:\n{")
    assert asked[1]["content"] == "Well?"
    assert engine.requests[0].tools == ()


def test_a_class_that_is_no_object_goes_by_its_schema() -> None:
    llm, engine = by_call("[1, 2, 3]")

    assert llm.structured_predict(Numbers, PROMPT, who="Dana") == Numbers([1, 2, 3])
    assert engine.requests[0].tools == ()


class Page(BaseModel, Generic[T]):
    items: list[T]


def test_a_generic_class_is_a_tool_under_a_name_that_tools_may_have() -> None:
    llm, engine = by_call(call_text("Page_int_", '{"items": [1]}'))

    assert llm.structured_predict(Page[int], PROMPT, who="Dana") == Page(items=[1])
    assert engine.requests[0].tools[0]["function"]["name"] == "Page_int_"


def test_the_mode_chooses_the_route() -> None:
    llm, engine = by_call(DANA, pydantic_program_mode=PydanticProgramMode.LLM)

    assert llm.structured_predict(Person, PROMPT, who="Dana") == Person(name="Dana", age=41)
    assert engine.requests[0].tools == ()


def test_an_object_that_was_cut_short_says_what_to_raise() -> None:
    llm, _ = by_schema(max_tokens=14, answer_reserve=8)

    with pytest.raises(ValueError, match=r"Person: the answer ended before the object was whole; raise max_tokens"):
        llm.structured_predict(Person, PROMPT, who="Dana")


def test_an_answer_without_an_object_says_what_stands_there_instead() -> None:
    llm, _ = by_call("I do not know.")

    with pytest.raises(ValueError, match=r"Person: the model wrote no object but 'I do not know\.'"):
        llm.structured_predict(Person, PROMPT, who="Dana")
