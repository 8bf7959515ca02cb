"""Where the text is inside code, mathematics or a tool call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relaygen_runtime.policy.surroundings import SPECIAL, Surroundings


def shielded(text: str) -> bool:
    around = Surroundings()
    around.push(text)
    return around.shielded


@pytest.mark.parametrize(
    "text",
    [
        "$x",
        "$ x",
        "$5 + x",
        "$5x",
        "$5\\times",
        "$5 \\times",
        "$5=",
        "$$x",
        "$$\nx",
        "$$x$y",
        "$x\\$y",
        "\\(x",
        "\\(x\\]",
        "\\[x",
        "\\[x\\)",
        "\\[x\\\\)",
        "```\nx",
        "a ```\nx",
        "````\n```\nx",
        "~~~\nx",
        "  ~~~\nx",
        "~~~\n```\nx",
        "`x",
        "``x`y",
        "`$x",
        "<tool_call>x",
        "`<tool_call>x",
        "$x$$y",
    ],
)
def test_inside(text: str) -> None:
    assert shielded(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "$x$ y",
        "$5$ y",
        "$$x$$ y",
        "$$x$y$$ z",
        "$x\n\ny",
        "$$x\n\ny",
        "\\(x\n \ny",
        "\\[x\n\ny",
        "it costs $5 each",
        "it costs $5. So",
        "it costs $1,000.50, so",
        "it costs $5\nand",
        "it costs $5; `x` y",
        "it costs $5 `x` y",
        "it costs $5` y` z",
        "\\$x",
        "\\\\ x",
        "\\x",
        "\\(x\\) y",
        "\\[x\\] y",
        "```\nx\n```\ny",
        "```\nx\n````\ny",
        "~~~\nx\n~~~\ny",
        "about ~~~ y",
        "~ y",
        "`x` y",
        "``x`y`` z",
        "`x\ny",
        "<tool_call>x</tool_call> y",
        "<tool_call>$x`y</tool_call> z",
        "</tool_call> y",
        "a tool_call> y",
        "```\n<tool_call>\n```\ny",
        "a < b",
        "\\`x",
    ],
)
def test_outside(text: str) -> None:
    assert not shielded(text + "z")


def test_each_character_is_told_where_it_stands() -> None:
    assert Surroundings().push("a$x$b") == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("text", "in_code"), [("```\nx", True), ("`x", True), ("<tool_call>", True), ("$x", False), ("x", False)]
)
def test_only_code_and_tool_calls_are_code(text: str, in_code: bool) -> None:
    around = Surroundings()
    around.push(text)
    assert around.in_code is in_code


@given(
    st.lists(st.sampled_from([*SPECIAL, "x", " ", "5", "tool_call>", "</tool_call>", "(", ")", "[", "]"])),
    st.text("ab 5.", max_size=3),
)
def test_plain_text_changes_nothing_where_all_is_calm(fragments: list[str], plain: str) -> None:
    around = Surroundings()
    around.push("".join(fragments))
    if around.calm:
        before = around.fork()
        around.push(plain)
        assert {name: getattr(around, name) for name in around.__slots__} == {
            name: getattr(before, name) for name in before.__slots__
        }


@given(st.text("$`~\\\n<x 5()[]/tool_cal>"), st.integers(0, 20))
def test_it_reads_the_same_in_two_parts(text: str, at: int) -> None:
    whole, parts, fork = Surroundings(), Surroundings(), Surroundings()
    shields = whole.push(text)
    first = parts.push(text[:at])
    fork = parts.fork()
    assert first + parts.push(text[at:]) == shields
    assert first + fork.push(text[at:]) == shields
