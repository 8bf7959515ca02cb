"""The held-out requests, and how replies to them are graded."""

from __future__ import annotations

import json

import pytest

from relaygen_runtime.demo.data import values
from relaygen_runtime.demo.data.conversation import Message, unmarked
from relaygen_runtime.demo.data.requests import grade_request, heldout_requests
from relaygen_runtime.demo.rendering import render

_CALL: Message = {
    "content": "",
    "tool_calls": [{"function": {"name": "find_song", "arguments": {"title": "Größe, 北", "n": 3}}}],
}


def _written(name: str, arguments: object) -> str:
    return "<tool_call>\n" + json.dumps({"name": name, "arguments": arguments}) + "\n</tool_call>"


def test_the_requests_are_a_function_of_their_seed() -> None:
    assert heldout_requests(40, 1) == heldout_requests(40, 1)
    assert heldout_requests(40, 1) != heldout_requests(40, 2)


def test_the_expected_reply_to_every_request_is_right() -> None:
    for request in heldout_requests(300, 0):
        whole = unmarked(render((*request.messages, request.expected), request.tools))
        reply = whole.rpartition("<|im_start|>assistant\n")[2].removesuffix("<|im_end|>\n")
        assert grade_request(reply, request.expected)


def test_the_names_of_called_tools_are_held_out_unless_they_calculate() -> None:
    for request in heldout_requests(300, 0):
        if request.kind.startswith("tool") and not request.kind.startswith("tool_answer"):
            for call in request.expected.get("tool_calls", ()):
                assert values.is_held_out_text(call["function"]["name"])


def test_a_request_ends_where_the_model_is_to_write() -> None:
    for request in heldout_requests(100, 0):
        assert request.messages[-1]["role"] in ("user", "tool")
        assert "assistant" in render(request.messages, request.tools, add_generation_prompt=True)


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        (_written("find_song", {"title": "Größe, 北", "n": 3}), True),
        ("<think>\nI call it.\n</think>\n\n" + _written("find_song", {"n": 3, "title": "Größe, 北"}), True),
        (_written("find_song", {"title": "Größe", "n": 3}), False),
        (_written("find_songs", {"title": "Größe, 北", "n": 3}), False),
        (_written("find_song", {"title": "Größe, 北", "n": 3, "tone": "x"}), False),
        (_written("find_song", {"title": "Größe, 北", "n": 3}) * 2, False),
        ("<think>\n" + _written("find_song", {"title": "Größe, 北", "n": 3}), False),
        ('<tool_call>\n{"name": "find_song", "arg\n</tool_call>', False),
        ("The song is here.", False),
    ],
)
def test_a_call_is_right_when_name_and_arguments_are(reply: str, right: bool) -> None:
    assert grade_request(reply, _CALL) is right


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ('{"b": [1], "a": "x"}', True),
        ('{"a": "x", "b": [1, 2]}', False),
        ('{"a": "x", "b": [1]} and more', False),
        ("", False),
    ],
)
def test_an_object_is_right_when_it_is_equal(reply: str, right: bool) -> None:
    assert grade_request(reply, {"content": '{"a": "x", "b": [1]}'}) is right


def test_an_action_is_right_whatever_the_thought_says() -> None:
    expected = {"content": 'Thought: I need add.\nAction: add\nAction Input: {"a": 1, "b": 2}'}
    assert grade_request('Thought: Hm.\nAction: add\nAction Input: {"b": 2, "a": 1}', expected)
    assert not grade_request('Thought: I need add.\nAction: add\nAction Input: {"a": 1, "b": 3}', expected)
    assert not grade_request("Thought: I can answer.\nAnswer: 3", expected)


def test_other_text_is_right_when_it_is_the_same() -> None:
    assert grade_request("<think>\nSo.\n</think>\n\nThe result of x is 4.", {"content": "The result of x is 4."})
    assert not grade_request("The result of x is 5.", {"content": "The result of x is 4."})
