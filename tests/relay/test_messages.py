"""Messages that no template can render are refused by their number, before a model is asked."""

from __future__ import annotations

from typing import Any

import pytest

from relaygen_runtime import MessagesError
from relaygen_runtime.messages import checked_messages
from tests.relay.scripts import scripted

USER = {"role": "user", "content": "?"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], r"messages: the list is empty"),
        (None, r"messages: expected a text or a list of messages .* got NoneType"),
        (5, r"messages: expected a text or a list of messages .* got int"),
        (b"?", r"messages: expected a text or a list of messages .* got bytes"),
        (USER, r"messages: expected a text or a list of messages .* got dict"),
        ([USER, "?"], r"messages\[1\]: expected a mapping with 'role' and 'content', got '\?'"),
        ([{"content": "?"}], r"messages\[0\]: expected a mapping with 'role'"),
        ([{"role": None, "content": "?"}], r"messages\[0\]: the role is None"),
        ([{"role": "user"}], r"messages\[0\]: it has no content"),
        ([{"role": "user", "content": None}], r"messages\[0\]: it has no content"),
        ([{"role": "user", "content": 5}], r"messages\[0\]: its content is of type int"),
        ([{"role": "user", "content": b"?"}], r"messages\[0\]: its content is of type bytes"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], "a part of type 'image_url'"),
        ([{"role": "user", "content": [5]}], "a part of type 'int'"),
        ("caf\udce9", r"messages\[0\]: character 3 of its content \('\\udce9'\) is half a character"),
    ],
)
def test_what_no_template_can_render_is_refused(messages: Any, words: str) -> None:
    with pytest.raises(MessagesError, match=words):
        checked_messages(messages)


def test_a_text_is_one_user_message() -> None:
    assert checked_messages("?") == [USER]


def test_any_iterable_of_messages_will_do() -> None:
    assert checked_messages(message for message in [USER]) == [USER]


def test_parts_of_text_are_joined() -> None:
    parts = [{"type": "text", "text": "a "}, {"text": "b "}, "c"]

    assert checked_messages([{"role": "user", "content": parts, "name": "x"}]) == [
        {"role": "user", "content": "a b c", "name": "x"}
    ]


def test_an_assistant_that_only_called_a_tool_needs_no_content() -> None:
    called: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": []}

    assert checked_messages([USER, called]) == [USER, called]


def test_a_relay_refuses_before_it_opens_a_session() -> None:
    relay, engine = scripted(["a"])

    with pytest.raises(MessagesError):
        relay.stream([{"role": "user", "content": 5}])

    assert engine.runs == []
