"""Objects for answers: three methods, every kind of schema, raw or parsed; the thinking stays thinking."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypedDict

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage
from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel, Field

from relaygen_integrations.langchain import (
    ChatRelayGen,
    RelayConfigurationError,
    RelaySchemaError,
    RelayUnknownOptionError,
)
from relaygen_runtime import Relay
from tests.integrations.langchain.chats import chat

TEXT = "Anna is 31 years old."
ANNA = '{"name": "Anna", "age": 31}'
CALLED = f'<tool_call>\n{{"name": "Person", "arguments": {ANNA}}}\n</tool_call>'
METHODS = ["json_schema", "function_calling", "json_mode"]


class Person(BaseModel):
    """A person."""

    name: str
    age: int = Field(description="In years.")


class PersonDict(TypedDict):
    """A person."""

    name: str
    age: int


class Tree(BaseModel):
    children: list[Tree]


class Starts(BaseCallbackHandler):
    def __init__(self) -> None:
        self.options: list[dict[str, Any]] = []

    def on_chat_model_start(self, *_: Any, options: Any = None, **kwargs: Any) -> None:
        self.options.append(options)


def asked(method: str, answer: str | None = None, **fields: Any) -> ChatRelayGen:
    given = answer or (CALLED if method == "function_calling" else ANNA)
    return chat(["Who is it?\n</think>\n\n", given], [given], **fields)[0]


@pytest.mark.parametrize("method", METHODS)
def test_a_pydantic_class_gives_an_instance(method: Any) -> None:
    assert asked(method).with_structured_output(Person, method=method).invoke(TEXT) == Person(name="Anna", age=31)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("schema", [PersonDict, Person.model_json_schema()])
def test_other_schemas_give_a_dictionary(method: Any, schema: Any) -> None:
    answer = CALLED.replace('"Person"', f'"{convert_to_json_schema(schema)["title"]}"') if "call" in method else None
    result = asked(method, answer).with_structured_output(schema, method=method).invoke(TEXT)

    assert result == {"name": "Anna", "age": 31}


@pytest.mark.parametrize("method", METHODS)
async def test_raw_message_and_parsed_object_come_together_where_asked(method: Any) -> None:
    chain = asked(method).with_structured_output(Person, method=method, include_raw=True)

    for result in (chain.invoke(TEXT), await chain.ainvoke(TEXT)):
        assert result["parsed"] == Person(name="Anna", age=31)
        assert result["parsing_error"] is None
        assert isinstance(result["raw"], AIMessage)
        assert result["raw"].additional_kwargs["reasoning_content"] == "Who is it?\n"


def test_an_answer_that_is_no_such_object_is_told_or_handed_over() -> None:
    llm = asked("json_schema", "Anna, who else?")

    with pytest.raises(OutputParserException):
        llm.with_structured_output(Person).invoke(TEXT)
    raw = llm.with_structured_output(Person, include_raw=True).invoke(TEXT)
    assert raw["parsed"] is None
    assert isinstance(raw["parsing_error"], OutputParserException)


@pytest.mark.parametrize("method", METHODS)
async def test_case_30_one_model_start_is_reported_with_the_format(method: Any) -> None:
    chain = asked(method).with_structured_output(Person, method=method)
    for way in ("invoke", "stream", "ainvoke", "astream"):
        starts = Starts()
        if way == "invoke":
            chain.invoke(TEXT, {"callbacks": [starts]})
        elif way == "stream":
            list(chain.stream(TEXT, {"callbacks": [starts]}))
        elif way == "ainvoke":
            await chain.ainvoke(TEXT, {"callbacks": [starts]})
        else:
            [_ async for _ in chain.astream(TEXT, {"callbacks": [starts]})]

        (options,) = starts.options
        told = options["ls_structured_output_format"]
        assert told["kwargs"]["method"] == method
        assert told["schema"] == convert_to_json_schema(Person)


@pytest.mark.parametrize("method", METHODS)
def test_case_30_on_real_models_the_object_is_the_answer_and_the_thinking_stays_thinking(
    demo_relay: Relay, method: Any
) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=500)
    result = llm.with_structured_output(Person, method=method, include_raw=True).invoke(TEXT)
    raw = result["raw"]

    assert isinstance(result["parsed"], Person)
    assert raw.usage_metadata["output_token_details"]["reasoning"] > 0
    assert raw.additional_kwargs["reasoning_content"]
    if method == "function_calling":
        assert raw.content == ""
    else:
        assert Person.model_validate_json(raw.content) == result["parsed"]


def test_json_mode_without_a_schema_gives_any_object(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=300)
    chain = llm.with_structured_output(None, method="json_mode")

    assert isinstance(chain.invoke("Give a JSON object with the keys 'name' and 'age'. Anna is 31."), dict)


def test_an_answer_is_held_to_its_schema_however_hot_the_sampling(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=1.5, max_tokens=300, enable_thinking=False)
    chain = llm.with_structured_output(Person)

    for seed in range(5):
        assert isinstance(chain.invoke(TEXT, seed=seed), Person)


def test_objects_grow_while_they_are_streamed() -> None:
    parts = list(asked("json_schema").with_structured_output(PersonDict).stream(TEXT))

    assert parts[-1] == {"name": "Anna", "age": 31}
    assert len(parts) > 1


def test_the_models_are_shown_the_schema_unless_told_not_to(demo_relay: Relay) -> None:
    def prompt_tokens(**fields: Any) -> int:
        llm = ChatRelayGen.demo(temperature=0, max_tokens=200, **fields)
        raw = llm.with_structured_output(Person, include_raw=True).invoke(TEXT)["raw"]
        return int(raw.usage_metadata["input_tokens"])

    assert prompt_tokens() > prompt_tokens(show_schema=False)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("schema", [Tree, {"title": "tree", "properties": {"t": {"$ref": "#"}}, "type": "object"}])
def test_a_schema_that_refers_to_itself_is_refused_before_any_token(method: Any, schema: Any) -> None:
    with pytest.raises(RelaySchemaError, match="recursive: it leads back into itself"):
        chat()[0].with_structured_output(schema, method=method)


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_strict_is_handed_on(method: Any) -> None:
    chain = asked(method).with_structured_output(Person, method=method, strict=True)
    kwargs = chain.first.kwargs  # type: ignore[attr-defined]
    schema = (
        kwargs["response_format"]["json_schema"]["schema"]
        if method == "json_schema"
        else kwargs["tools"][0]["function"]["parameters"]
    )

    assert schema["additionalProperties"] is False


def test_a_response_format_may_be_bound_by_hand_and_be_a_class() -> None:
    assert json.loads(asked("json_schema").bind(response_format=Person).invoke(TEXT).text)["age"] == 31
    assert json.loads(asked("json_schema").invoke(TEXT, response_format={"type": "json_object"}).text)["age"] == 31


class Plain:
    def __init__(self, depth: int) -> None:
        self.depth = depth


class Reported(BaseModel):
    """Report."""

    report: Callable[[int], int]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("strict", [None, True])
@pytest.mark.parametrize(
    ("schema", "reason"),
    [(list[int], r"list\[int\]"), (Plain, "the class Plain"), (Reported, "CallableSchema"), (int | str, r"int \| str")],
)
def test_what_no_schema_can_describe_is_refused_and_the_message_says_what_can_be(
    method: Any, strict: bool | None, schema: Any, reason: str
) -> None:
    with pytest.raises(RelaySchemaError, match=rf"cannot be made .*{reason}.*; give .*a TypedDict"):
        chat()[0].with_structured_output(schema, method=method, strict=strict)


def test_a_class_that_no_schema_can_describe_is_refused_at_a_call_too() -> None:
    with pytest.raises(RelaySchemaError, match="the class Plain"):
        chat()[0].invoke("?", response_format=Plain)


def test_what_cannot_work_is_refused_when_the_chain_is_made() -> None:
    llm, _ = chat()

    with pytest.raises(RelayConfigurationError, match="'json' is not one of json_schema"):
        llm.with_structured_output(Person, method="json")  # type: ignore[arg-type]
    with pytest.raises(RelayConfigurationError, match="only json_mode does without one"):
        llm.with_structured_output(None)
    with pytest.raises(RelayUnknownOptionError, match="did you mean 'include_raw'"):
        llm.with_structured_output(Person, include_raws=True)
    with pytest.raises(RelaySchemaError, match="cannot be made a JSON schema"):
        llm.with_structured_output({"no": "schema"})
