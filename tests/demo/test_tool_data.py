"""The conversations with tools and objects: calls fit their schemas, values stand in the request, nothing held out."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import jsonschema
import pytest

from relaygen_runtime.demo.data import calculators, copying, react, structured, tool_calls, tools, values
from relaygen_runtime.demo.data.conversation import Conversation, Message, unmarked
from relaygen_runtime.demo.data.mixture import conversation, long_conversation
from relaygen_runtime.demo.rendering import render

_RECIPES = (
    tool_calls.made_up,
    tool_calls.by_purpose,
    tool_calls.chained,
    calculators.calculator,
    structured.structured,
)


def _drawn(count: int) -> list[Conversation]:
    return [recipe(Random(seed)) for recipe in _RECIPES for seed in range(count)]


def _calls(message: Message) -> list[tuple[str, Any]]:
    functions = [call["function"] for call in message.get("tool_calls", ())]
    return [
        (f["name"], json.loads(f["arguments"]) if isinstance(f["arguments"], str) else f["arguments"])
        for f in functions
    ]


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [value] if isinstance(value, str) else []


def test_every_call_is_of_a_tool_on_offer_and_fits_its_schema() -> None:
    seen = 0
    for talk in _drawn(150):
        schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in talk.tools}
        for message in talk.messages:
            for name, arguments in _calls(message):
                seen += 1
                jsonschema.validate(arguments, schemas[name])
    assert seen > 600


def test_no_two_tools_on_offer_share_a_name() -> None:
    for talk in _drawn(100):
        names = [tool["function"]["name"] for tool in talk.tools]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("recipe", [tool_calls.made_up, tool_calls.by_purpose])
def test_every_text_in_a_call_stands_in_what_came_before(recipe: Any) -> None:
    for seed in range(200):
        talk = recipe(Random(seed))
        for at, message in enumerate(talk.messages):
            before = render(talk.messages[:at], talk.tools) if at else ""
            for _, arguments in _calls(message):
                for leaf in _leaves(arguments):
                    assert leaf in before or json.dumps(leaf, ensure_ascii=False)[1:-1] in before


def test_the_thinking_of_a_call_holds_the_arguments_that_the_answer_copies() -> None:
    for seed in range(200):
        for message in tool_calls.made_up(Random(seed)).messages:
            for _, arguments in _calls(message):
                if thinking := message.get("reasoning_content"):
                    assert json.dumps(arguments, ensure_ascii=False) in thinking


def test_parameters_that_are_not_required_are_sometimes_left_out() -> None:
    given = left_out = 0
    for seed in range(600):
        talk = tool_calls.made_up(Random(seed))
        schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in talk.tools}
        for name, arguments in (call for message in talk.messages for call in _calls(message)):
            optional = set(schemas[name]["properties"]) - set(schemas[name].get("required", ()))
            given += len(optional & set(arguments))
            left_out += len(optional - set(arguments))
    assert given > 20
    assert left_out > 20


def test_calculators_call_with_the_numbers_that_they_were_given_and_answer_with_the_last_result() -> None:
    for seed in range(200):
        talk = calculators.calculator(Random(seed))
        for at, message in enumerate(talk.messages):
            before = render(talk.messages[:at]) if at else ""
            for _, arguments in _calls(message):
                for number in arguments.values():
                    assert isinstance(number, str) or re.search(rf"(?<!\d){number}(?!\d)", before)
        if not talk.messages[-1].get("tool_calls"):
            assert talk.messages[-2]["content"] in talk.messages[-1]["content"]


def test_the_value_of_every_calculator_task_is_that_of_its_expression() -> None:
    for seed in range(300):
        task = calculators.task(Random(seed), held_out=False)
        assert task.steps[-1].value == eval(task.expression.replace("/", "//"))  # noqa: S307  # digits and signs alone


def test_objects_fit_the_schema_that_asks_for_them() -> None:
    seen = 0
    for seed in range(400):
        talk = structured.structured(Random(seed))
        if talk.kind.startswith("json_schema"):
            asked = "\n".join(m["content"] for m in talk.messages[:-1])
            schema = next(found for found in _objects(asked) if "properties" in found)
            seen += 1
            jsonschema.validate(json.loads(talk.messages[-1]["content"]), schema)
    assert seen > 80


def _objects(text: str) -> list[Any]:
    found, decoder = [], json.JSONDecoder()
    for match in re.finditer(r"\{", text):
        try:
            found.append(decoder.raw_decode(text, match.start())[0])
        except ValueError:
            continue
    return found


def test_agents_without_a_tool_format_write_an_action_or_an_answer() -> None:
    for seed in range(100):
        talk = react.react(Random(seed))
        reply = talk.messages[-1]["content"]
        assert reply.startswith("Thought: ")
        assert not talk.tools
        if "Action: " in reply:
            name, written = re.findall(r"Action: (.*)\nAction Input: (.*)", reply)[0]
            assert name in talk.messages[0]["content"]
            assert isinstance(json.loads(written), dict)
        else:
            assert "\nAnswer: " in reply


def test_without_thinking_only_the_last_turn_is_learnt() -> None:
    for index in range(1500):
        talk = conversation(5, index)
        if not talk.thinking:
            assert talk.trained_turns == 1
            assert "reasoning_content" not in talk.messages[-1]


def test_copies_hold_the_texts_of_the_request() -> None:
    for seed in range(100):
        talk = copying.copies(Random(seed))
        content = unmarked(talk.messages[-1]["content"])
        lines = content.split("\n") if content[0] not in "[{" else [str(leaf) for leaf in _leaves(json.loads(content))]
        assert all(line in talk.messages[0]["content"] for line in lines)


def test_no_held_out_text_is_an_argument_or_a_name_in_training() -> None:
    drawn = [conversation(1, i) for i in range(3000)] + [long_conversation(1, i) for i in range(100)]
    seen = 0
    for talk in drawn:
        for message in talk.messages:
            for name, arguments in _calls(message):
                if talk.kind.startswith("tool"):
                    seen += 1
                    assert not values.is_held_out_text(name)
                    for key, value in arguments.items():
                        if isinstance(value, str) and not _chosen(talk, name, key):
                            assert not values.is_held_out_text(value)
    assert seen > 500


def _chosen(talk: Conversation, name: str, key: str) -> bool:
    """Whether an argument is one of a few words that the schema lists."""
    for tool in talk.tools:
        if tool["function"]["name"] == name:
            return "enum" in json.dumps(tool["function"]["parameters"]["properties"][key])
    return False


def test_names_come_in_many_styles() -> None:
    names = {tools.made_up_tool(Random(seed)).name for seed in range(300)}
    assert len(names) > 280
    for style in (r"[a-z]+_[a-z]+", r"[a-z]+[A-Z][a-z]+", r"(?:[A-Z][a-z]+){2,}", r"[a-z]+-[a-z]+", r".*\d"):
        assert any(re.fullmatch(style, name) for name in names)


def test_values_are_of_many_scripts() -> None:
    text = "".join(values.text(Random(seed)) for seed in range(2000))
    for low, high in ((0x4E00, 0x9FA5), (0x0410, 0x044F), (0xAC00, 0xD7A3), (0x00C0, 0x017F), (0x1F300, 0x1F64F)):
        assert len({char for char in text if low <= ord(char) <= high}) > 25
