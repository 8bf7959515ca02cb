"""Tool calls are read out of an answer, however it arrives, and nothing of it is ever lost."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relaygen_runtime import ConfigurationError
from relaygen_runtime.answer.tool_calls import (
    AnswerPart,
    ArgumentsDelta,
    CallFinished,
    CallStarted,
    ContentDelta,
    InvalidCall,
    ToolCall,
    ToolCallParser,
    parse_answer,
)


def ids() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"id{next(numbers)}"


def read(pieces: list[str]) -> list[AnswerPart]:
    parser = ToolCallParser(id_factory=ids())
    return [part for piece in pieces for part in parser.feed(piece)] + parser.finish()


def joined(parts: list[AnswerPart]) -> list[AnswerPart]:
    """The parts, with neighbouring deltas put together."""
    whole: list[AnswerPart] = []
    for part in parts:
        last = whole[-1] if whole else None
        if isinstance(part, ContentDelta) and isinstance(last, ContentDelta):
            whole[-1] = ContentDelta(last.text + part.text)
        elif isinstance(part, ArgumentsDelta) and isinstance(last, ArgumentsDelta):
            whole[-1] = ArgumentsDelta(part.index, last.text + part.text)
        else:
            whole.append(part)
    return whole


def call(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": {json.dumps(name)}, "arguments": {arguments}}}\n</tool_call>'


def test_a_call_is_told_as_it_comes() -> None:
    parser = ToolCallParser(id_factory=ids())

    assert parser.feed('Let me see.\n<tool_call>\n{"name": "look') == [ContentDelta("Let me see.")]
    assert parser.feed('_up", "arg') == [CallStarted(0, "id0", "look_up")]
    assert parser.feed('uments": {"q": "a') == [ArgumentsDelta(0, '{"q": "a')]
    assert parser.feed('b"}') == [ArgumentsDelta(0, 'b"}')]
    assert parser.feed("}\n</tool_call>") == [CallFinished(ToolCall(0, "id0", "look_up", '{"q": "ab"}'))]
    assert parser.finish() == []


def test_several_calls_follow_each_other() -> None:
    answer = parse_answer(f"{call('f', '{}')}\n{call('g', '{}')}", id_factory=ids())

    assert [(found.index, found.id, found.name) for found in answer.tool_calls] == [(0, "id0", "f"), (1, "id1", "g")]
    assert answer.content == ""


@pytest.mark.parametrize(
    "arguments",
    [
        '{"a": "}</tool_call>"}',
        '{"a": "\\"}{"}',
        '{"a": {"b": [1, {"c": "]"}]}}',
        '{"a": "<tool_call>"}',
        '{ "a" : 1 }',
    ],
)
def test_braces_quotes_and_tags_in_strings_are_text(arguments: str) -> None:
    (found,) = parse_answer(call("f", arguments)).tool_calls

    assert found.arguments == arguments
    assert found.parsed == json.loads(arguments)


@pytest.mark.parametrize(
    ("inside", "arguments"),
    [
        ('{"arguments": {"a": 1}, "name": "f"}', '{"a": 1}'),
        ('{"name":"f"}', "{}"),
        ('{"id": 7, "name": "f", "note": [true, "x"], "arguments": {}}', "{}"),
        ('{"n\\u0061me": "f", "arguments": {}, "ok": null}', "{}"),
    ],
)
def test_the_envelope_may_come_in_other_orders(inside: str, arguments: str) -> None:
    (found,) = parse_answer(f"<tool_call>{inside}</tool_call>").tool_calls

    assert (found.name, found.arguments) == ("f", arguments)


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        (f"\n\n{call('f', '{}')}\n", ""),
        (f"Before.\n\n{call('f', '{}')}", "Before."),
        (f"{call('f', '{}')}\n\nAfter.\n", "After.\n"),
        (f"Before.\n{call('f', '{}')}\nAfter.", "Before.\nAfter."),
        ("No call. \n", "No call. \n"),
        ("a <tool", "a <tool"),
        ("  ", "  "),
    ],
)
def test_white_space_beside_calls_is_not_content(answer: str, content: str) -> None:
    assert parse_answer(answer).content == content


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        ("f(x)", "expected a JSON object"),
        ('{name: "f"}', "expected a key"),
        ('{"name" "f"}', "expected ':'"),
        ('{"name": 3, "arguments": {}}', "the name is no string"),
        ('{"name": "", "arguments": {}}', "the name is empty"),
        ('{"name": "f", "name": "g"}', "the name is given twice"),
        ('{"name": "f", "arguments": {}, "arguments": {}}', "given twice"),
        ('{"arguments": {}}', "names no tool"),
        ('{"name": "f", "arguments": "{}"}', "no JSON object"),
        ('{"name": "f", "arguments": {"a": tru}}', "is no JSON"),
        ('{"name": "f", "arguments": {"a": NaN}}', "NaN"),
        ('{"name": "f", "arguments": {"a": [1}}', "expected ']'"),
        ('{"name": "f", "arguments": {"a": "\n"}}', "line break"),
        ('{"name": "f\n", "arguments": {}}', "line break"),
        ('{"name": "f", "arguments": {"a": "\\ud800"}}', "half a character"),
        ('{"name": "f", "arguments": {"a": ' + "[" * 5000 + "]" * 5000 + "}}", "nested too deeply"),
        ('{"name": "f", "arguments": {}} and more', "expected </tool_call>"),
        ('{"name": "f", "arguments": {}}}', "expected </tool_call>"),
        ('{"name": "f" "arguments": {}}', "expected ','"),
        ('{"name": "f", "a": ?}', "expected a value"),
        ('{"name": "f", "a": 1_0}', "in a number"),
        ('{"name": "f", "a": 01}', "is no JSON"),
        ('{"na\\qme": "f"}', "a key is no JSON string"),
    ],
)
def test_a_malformed_call_is_kept_whole_and_what_follows_is_read(inside: str, error: str) -> None:
    bad = f"<tool_call>{inside}</tool_call>"

    answer = parse_answer(f"{bad}\n{call('g', '{}')}", id_factory=ids())

    (invalid,) = answer.invalid_calls
    assert (invalid.index, invalid.id, invalid.text) == (0, "id0", bad)
    assert error in invalid.error
    assert [(found.index, found.name) for found in answer.tool_calls] == [(1, "g")]


@pytest.mark.parametrize("end", [12, 20, 30, 45, 50, 55])
def test_a_call_that_is_cut_short_is_kept(end: int) -> None:
    text = call("f", '{"a": "some text"}')[:end]

    (invalid,) = parse_answer(text).invalid_calls

    assert (invalid.text, invalid.error) == (text, "the answer ends inside the call")


def test_a_call_that_lacks_its_closing_tag_alone_is_whole() -> None:
    assert parse_answer('<tool_call>{"name": "f", "arguments": {}}\n</tool').tool_calls[0].name == "f"


def test_a_call_that_opens_inside_a_broken_one_is_read() -> None:
    answer = parse_answer(f"<tool_call>oh {call('g', '{}')}")

    assert answer.invalid_calls[0].text == "<tool_call>oh "
    assert [found.name for found in answer.tool_calls] == ["g"]


def test_an_invalid_call_keeps_the_name_and_identity_that_were_told() -> None:
    parts = read(['<tool_call>{"name": "f", "arguments": {"a": 1'])

    assert parts[0] == CallStarted(0, "id0", "f")
    assert isinstance(parts[-1], InvalidCall)
    assert (parts[-1].id, parts[-1].name) == ("id0", "f")


def test_identities_are_made_up_like_openais() -> None:
    first, second = parse_answer(call("f", "{}") * 2).tool_calls

    assert first.id != second.id
    assert first.id.startswith("call_")
    assert len(first.id) == len("call_") + 24


def test_without_a_format_everything_is_content() -> None:
    assert parse_answer(call("f", "{}"), None).content == call("f", "{}")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="tool_format: 'xml' is not known"):
        ToolCallParser("xml")


_SCRAPS = st.sampled_from(
    [
        "<tool_call>",
        "</tool_call>",
        "\n",
        " ",
        "{",
        "}",
        '"',
        "\\",
        '"name": "f"',
        ", ",
        '"arguments": ',
        "{}",
        "x",
        "<",
        "漢",
    ]
)
_CALLS = st.builds(call, st.sampled_from(["f", "g.h"]), st.dictionaries(st.text(), st.text()).map(json.dumps))
_ANSWERS = st.lists(_SCRAPS | _CALLS, max_size=12).map("".join)


@given(_ANSWERS, st.data())
def test_however_it_is_cut_the_same_is_told(answer: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=8)))
    pieces = [answer[a:b] for a, b in itertools.pairwise([0, *cuts, len(answer)])]

    assert joined(read(pieces)) == joined(read([answer])) == joined(read(list(answer)))


@given(_ANSWERS)
def test_nothing_but_white_space_and_envelopes_is_lost(answer: str) -> None:
    parts = joined(read(list(answer)))

    rest = answer
    for part in parts:
        if isinstance(part, ContentDelta | InvalidCall):
            begin = rest.index(part.text)
            rest = rest[begin + len(part.text) :]
        elif isinstance(part, CallFinished):
            begin = rest.index(part.call.arguments)
            rest = rest[begin + len(part.call.arguments) :]
    told = {part.index: "" for part in parts if isinstance(part, CallStarted)}
    for part in parts:
        if isinstance(part, ArgumentsDelta):
            told[part.index] += part.text
        elif isinstance(part, CallFinished):
            assert told[part.call.index] == part.call.arguments
