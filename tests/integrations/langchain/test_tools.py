"""Tools and choices in every form that LangChain knows come to the same request, and wrong ones are refused at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableBinding
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from relaygen_integrations.langchain import (
    ChatRelayGen,
    RelayConfigurationError,
    RelaySchemaError,
    RelayToolChoiceError,
    RelayUnknownOptionError,
)
from relaygen_integrations.langchain.tools import relay_tools
from tests.integrations.langchain.chats import CALL, added, calling, chat, look_up

NAMED = {"type": "function", "function": {"name": "look_up"}}


class Word(BaseModel):
    """Look a word up."""

    word: str = Field(description="What to look up.")


class WordDict(TypedDict):
    """Look a word up."""

    word: str


@tool
def look_up_tool(word: str) -> str:
    """Look a word up."""
    return word


def bound(**choice: Any) -> dict[str, Any]:
    llm, _ = chat()
    binding = llm.bind_tools([look_up], **choice)
    assert isinstance(binding, RunnableBinding)
    return dict(binding.kwargs)


@pytest.mark.parametrize(
    "one",
    [
        look_up,
        look_up_tool,
        Word,
        WordDict,
        Word.model_json_schema(),
        {"name": "Word", "description": "Look a word up.", "parameters": Word.model_json_schema()},
        {"name": "Word", "description": "Look a word up.", "input_schema": Word.model_json_schema()},
        {"type": "function", "function": {"name": "Word", "parameters": Word.model_json_schema()}},
    ],
)
def test_a_tool_may_be_given_as_anything_that_langchain_takes_for_one(one: Any) -> None:
    (made,) = relay_tools([one])

    assert made["type"] == "function"
    assert made["function"]["name"].lower() in ("look_up", "look_up_tool", "word", "worddict")
    assert "word" in made["function"]["parameters"]["properties"]


@pytest.mark.filterwarnings("ignore:This API is in beta")
def test_a_chain_may_be_a_tool() -> None:
    chain = ChatPromptTemplate.from_template("{word}") | chat()[0] | StrOutputParser()
    (made,) = relay_tools([chain.as_tool(name="Word", description="Look a word up.")])

    assert "word" in made["function"]["parameters"]["properties"]


@pytest.mark.parametrize(
    ("choice", "asked"),
    [
        (None, None),
        (False, None),
        ("auto", "auto"),
        ("none", "none"),
        ("any", "required"),
        ("required", "required"),
        (True, "required"),
        ("look_up", NAMED),
        (NAMED, NAMED),
        ({"type": "tool", "name": "look_up"}, NAMED),
        ({"type": "any"}, "required"),
        ({"type": "auto"}, "auto"),
    ],
)
def test_a_choice_may_be_made_in_every_way(choice: Any, asked: Any) -> None:
    assert bound(tool_choice=choice).get("tool_choice") == asked


@pytest.mark.parametrize("choice", ["look", NAMED | {"function": {"name": "other"}}, 7, {"type": "function"}])
def test_a_choice_that_names_no_tool_is_refused_when_it_is_bound_and_at_a_call(choice: Any) -> None:
    llm, engine = chat()

    with pytest.raises(RelayToolChoiceError):
        llm.bind_tools([look_up], tool_choice=choice)
    with pytest.raises(RelayToolChoiceError):
        llm.bind_tools([look_up]).invoke("?", tool_choice=choice)
    assert engine.runs == []


def test_a_choice_without_tools_is_refused() -> None:
    with pytest.raises(RelayToolChoiceError):
        chat()[0].invoke("?", tool_choice="any")


def test_whether_calls_may_be_parallel_is_handed_on() -> None:
    assert bound(parallel_tool_calls=False)["parallel_tool_calls"] is False
    assert "parallel_tool_calls" not in bound()


def test_strict_tools_require_everything_and_allow_nothing_else() -> None:
    parameters = bound(strict=True)["tools"][0]["function"]["parameters"]

    assert parameters["additionalProperties"] is False
    assert parameters["required"] == ["word"]


def test_a_tool_that_a_hosted_provider_would_run_is_refused_by_name() -> None:
    with pytest.raises(RelaySchemaError, match="'web_search_preview' is run by a hosted provider"):
        chat()[0].bind_tools([{"type": "web_search_preview"}])


@pytest.mark.parametrize("odd", ["look_up", {"no": "tool"}, 7])
def test_what_is_no_tool_at_all_is_refused(odd: Any) -> None:
    with pytest.raises(RelaySchemaError, match=r"tools\[1\]: it cannot be made a tool"):
        chat()[0].bind_tools([look_up, odd])


class Plain:
    def __init__(self, depth: int) -> None:
        self.depth = depth


class Reported(BaseModel):
    """Report."""

    report: Callable[[int], int]


def dig(hole: Plain) -> str:
    """Dig a hole."""
    return str(hole.depth)


def fill(hole: Hole) -> str:  # type: ignore[name-defined]  # noqa: F821  (that is the point)
    """Fill a hole."""
    return str(hole)


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (dig, "Plain"),
        (tool(dig), "Plain"),
        (Reported, "CallableSchema"),
        (fill, "'Hole' is not defined"),
        (Plain, "the class Plain is neither pydantic's nor a TypedDict"),
        (list[int], r"list\[int\]"),
        (int, "the class int"),
    ],
)
def test_what_no_schema_can_describe_is_refused_and_the_message_says_what_can_be(odd: Any, reason: str) -> None:
    llm, engine = chat()

    for ask in (lambda: llm.bind_tools([odd]), lambda: llm.invoke("?", tools=[odd])):
        with pytest.raises(
            RelaySchemaError, match=rf"tools\[0\]: .*{reason}.*; give a function whose parameters"
        ) as told:
            ask()
        assert "errors.pydantic.dev" not in str(told.value)
    assert engine.runs == []


@pytest.mark.parametrize("no_list", [None, look_up, look_up_tool, Word, Word.model_json_schema(), "look_up", 7])
def test_what_is_no_list_of_tools_is_refused_and_the_message_asks_for_one(no_list: Any) -> None:
    with pytest.raises(RelayConfigurationError, match="is no list of tools; give a list"):
        chat()[0].bind_tools(no_list)


def test_an_unknown_argument_is_refused_when_it_is_bound() -> None:
    with pytest.raises(RelayUnknownOptionError, match="did you mean 'temperature'"):
        chat()[0].bind_tools([look_up], temprature=0)


def test_a_schema_that_no_answer_can_be_held_to_is_refused_before_any_token() -> None:
    odd = {"type": "object", "properties": {"x": {"not": {"type": "string"}}}}
    llm, engine = chat()

    with pytest.raises(RelaySchemaError, match="not"):
        llm.bind_tools([{"name": "odd", "description": "x", "parameters": odd}]).invoke("?")
    assert engine.runs == []


class Tree(BaseModel):
    children: list[Tree]


def plant(tree: Tree) -> str:
    """Plant a tree."""
    return str(tree)


@pytest.mark.parametrize("recursive", [Tree, plant, tool(plant), Tree.model_json_schema()])
def test_a_tool_whose_schema_refers_to_itself_is_refused_before_any_token(recursive: Any) -> None:
    with pytest.raises(RelaySchemaError, match=r"'#/[$]defs/Tree' is recursive"):
        chat()[0].bind_tools([recursive])


def test_with_no_calls_wanted_what_looks_like_one_is_text() -> None:
    llm, _ = chat(["Look it up.\n</think>\n\n"], [CALL])
    message = llm.bind_tools([look_up], tool_choice="none").invoke("?")

    assert (message.tool_calls, message.content) == ([], CALL)


def test_where_the_template_knows_no_tools_an_answer_is_text() -> None:
    llm = calling(script={"tool_format": None})

    assert llm.bind_tools([look_up]).invoke("?").content == CALL


def test_ids_of_calls_differ_from_each_other_and_from_call_to_call() -> None:
    llm = calling(f"{CALL}\n{CALL}").bind_tools([look_up])
    calls = llm.invoke("?").tool_calls + llm.invoke("?").tool_calls

    assert len({call["id"] for call in calls}) == 4


def test_binding_nothing_is_no_tools_at_all() -> None:
    llm, _ = chat()

    assert llm.bind_tools([]).invoke("?").content == "The result is 12."


def test_streaming_may_be_switched_off_for_tools_alone() -> None:
    llm = calling(disable_streaming="tool_calling")

    assert len(list(llm.bind_tools([look_up]).stream("?"))) == 1


def test_case_13_a_call_inside_the_thinking_is_never_a_call() -> None:
    thinking = f"I could write {CALL} here.\n</think>\n\n"
    for answer in ("No need.", CALL):
        llm, _ = chat([thinking, answer], [])
        message = llm.bind_tools([look_up]).invoke("?")
        full = added(llm.bind_tools([look_up]).stream("?"))

        assert len(message.tool_calls) == len(full.tool_calls) == (answer == CALL)
        assert CALL in message.additional_kwargs["reasoning_content"]


def test_case_12_a_stop_string_cuts_the_answer_and_never_the_thinking() -> None:
    script = ["I write\nObservation: here.\n</think>\n\n"], ["Act.\nObservation: none"]
    for llm, stop in ((chat(*script)[0], ["\nObservation"]), (chat(*script, stop=["\nObservation"])[0], None)):
        for message in (llm.invoke("?", stop=stop), added(llm.stream("?", stop=stop))):
            assert message.content == "Act."
            assert "\nObservation: here." in message.additional_kwargs["reasoning_content"]
            assert message.response_metadata["finish_reason"] == "stop"
            assert message.response_metadata["relay"][0]["finish_reason"] == "stop_string"


def test_stop_strings_may_be_bound_and_taken_away_at_a_call() -> None:
    llm: ChatRelayGen = chat(["Hm.\n</think>\n\n"], ["one two"], stop=[" two"])[0]

    assert llm.invoke("?").content == "one"
    assert llm.invoke("?", stop=[]).content == "one two"
    assert llm.bind(stop=["ne"]).invoke("?").content == "o"
