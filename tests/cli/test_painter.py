"""The painter: legible without colours, true to the text, deaf to control characters."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from relaygen_runtime.cli.painter import Painter
from tests.relay.scripts import CUES, OPEN, scripted


def painted(large: list[str], small: list[str], *, plain: bool = True, prompt: str = OPEN, **options: Any) -> str:
    stream = io.StringIO()
    colours: Any = None if plain else "standard"
    console = Console(file=stream, color_system=colours, force_terminal=not plain, markup=False, highlight=False)
    console.soft_wrap = True
    painter = Painter(console, CUES, plain=plain)
    for event in scripted(large, small, prompt=prompt)[0].stream("?", **options):
        painter.show(event)
    painter.end()
    return stream.getvalue()


def test_marks_stand_where_the_author_changes() -> None:
    text = painted(["One two three four five. So,", " Done.\n</think>\n\n"], [" it is 12. And", "Twelve."])

    assert text == (
        "--- thinking ---\n[L] One two three four five. <<So,>> [S] it is 12. [L] Done.\n--- answer ---\n[S] Twelve.\n"
    )


def test_a_mark_does_not_stick_to_the_word_before_it() -> None:
    text = painted(["One two three four five. So,", "Done.\n</think>\n\n"], ["it is 12. And", "Twelve."])

    assert "<<So,>> [S] it is 12. [L] Done." in text


def test_held_back_characters_do_not_double_the_space_before_a_mark() -> None:
    text = painted(
        ["One two three four five. So,", " Then we are done with it.\n</think>"], [" it is 12. And", "Twelve."]
    )

    assert "[S] it is 12. [L] Then we" in text


def test_an_answer_without_thinking_has_no_thinking_header() -> None:
    text = painted(["<think>\n\n</think>\n\n"], ["Twelve."], prompt="?")

    assert text == "--- answer ---\n[S] Twelve.\n"


def test_thinking_that_was_closed_by_force_is_said_once() -> None:
    text = painted([" one two three four five six seven"], ["Twelve."], max_thinking_tokens=4)

    assert text.count("(thinking closed by force)") == 1
    assert text.endswith("--- answer ---\n[S] Twelve.\n")


@pytest.mark.parametrize("control", ["\x1b[31m", "\x07", "\x9b", "\r"])
def test_control_characters_of_a_model_never_reach_the_terminal(control: str) -> None:
    text = painted([f"One{control} two.\n</think>\n\n"], [f"Twel{control}ve."])

    assert control[0] not in text
    assert text.count("�") == 2


def test_a_cue_stands_out_in_colour() -> None:
    text = painted(["One two three four five. So,", " Done.\n</think>\n\n"], [" it is 12. And", "Twelve."], plain=False)

    assert "\x1b[1;7;36mSo,\x1b[0m" in text


def test_long_lines_are_not_broken() -> None:
    words = " word" * 100
    text = painted(["Short.\n</think>\n\n"], [f"A{words}."], loop_guard=False)

    assert f"A{words}." in text
