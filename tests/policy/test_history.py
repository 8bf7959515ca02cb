"""Repetition loops, and text that only resembles one."""

from __future__ import annotations

import sys

import pytest

from relaygen_runtime.policy.history import History


def looping(text: str, least: int = 600, within: int = sys.maxsize) -> bool:
    history = History()
    found = False
    for character in text:
        history.add(character)
        if history.due:
            found = history.looping(least, within) or found
    return found


@pytest.mark.parametrize(
    "passage", ["x", "and so on, ", "0, ", "ab" * 50 + "c", "Wait, let me check that again. " * 4 + "Hm. "]
)
def test_one_passage_over_and_over_is_a_loop(passage: str) -> None:
    assert looping(passage * (1000 // len(passage) + 2))


@pytest.mark.parametrize(
    "text",
    [
        "=" * 199,
        "0 " * 99,
        "| 0 | 0 | 0 |\n" * 14,
        "\n".join(f"{n}. n = {n}, so n + 1 = {n + 1}" for n in range(200)),
        "".join(f"{n} " for n in range(2000)),
        ("a" * 199 + "b") * 3,
        "word " * 119,
    ],
)
def test_honest_text_is_none(text: str) -> None:
    assert not looping(text)


def test_a_passage_that_is_too_long_is_not_looked_for() -> None:
    passage = "".join(chr(0x4E00 + n) for n in range(250))
    assert not looping(passage * 8)


def test_a_loop_that_was_left_is_none_any_more() -> None:
    history = History()
    history.add("and so on, " * 90)
    history.add("".join(chr(0x4E00 + n) for n in range(100)))
    assert not history.looping(600, sys.maxsize)


def test_only_so_much_is_looked_at() -> None:
    history = History()
    history.add("and so on, " * 90)
    assert not history.looping(240, 200)
    assert history.looping(240, 300)


def test_four_times_are_needed() -> None:
    passage = "".join(chr(0x4E00 + n) for n in range(190))
    history = History()
    history.add("x" + passage * 3 + passage[:100])
    assert not history.looping(600, sys.maxsize)
    history.add(passage[100:])
    assert history.looping(600, sys.maxsize)


def test_a_repetition_that_breaks_before_it_is_long_enough_is_none() -> None:
    history = History()
    history.add("y" * 500 + "x" * 500)
    assert not history.looping(600, sys.maxsize)


def test_the_tail_is_the_text_s_end() -> None:
    history = History()
    assert (history.tail(3), history.tail(0)) == ("", "")
    history.add("ab")
    history.add("cd")
    assert (history.tail(3), history.tail(9), history.tail(0)) == ("bcd", "abcd", "")


def test_it_is_worth_looking_every_so_often_whatever_is_looked_up_in_between() -> None:
    history = History()
    for _ in range(64):
        assert not history.due
        history.add("x")
        history.tail(1)
    assert history.due


def test_a_fork_goes_its_own_way() -> None:
    history = History()
    history.add("ab")
    fork = history.fork()
    fork.add("c")
    assert (history.tail(9), fork.tail(9)) == ("ab", "abc")
