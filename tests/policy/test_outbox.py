"""Outputs that wait, are hidden, or turn out to be a tag."""

from __future__ import annotations

from relaygen_runtime.policy.outbox import Outbox
from relaygen_runtime.policy.steps import Closed, Output, Text
from relaygen_runtime.vocabulary import Phase, Role, SwitchReason

CLOSED = Closed(0, SwitchReason.CUE, 1)


def text(content: str, *, markup: bool = False) -> Text:
    return Text(0, Role.LARGE, Phase.THINKING, content, markup)


def outbox(*outputs: Output) -> Outbox:
    box = Outbox()
    for output in outputs:
        box.put(output)
    return box


def test_everything_comes_out_in_order() -> None:
    assert outbox(text("a"), CLOSED, text("b")).take(0) == (text("a"), CLOSED, text("b"))


def test_the_last_characters_wait_with_what_follows_them() -> None:
    box = outbox(text("abc"), CLOSED)
    assert (box.take(2), box.take(0)) == ((text("a"),), (text("bc"), CLOSED))


def test_they_may_span_outputs() -> None:
    box = outbox(text("abc"), CLOSED, text("d"))
    assert (box.take(2), box.take(0)) == ((text("ab"),), (text("c"), CLOSED, text("d")))


def test_more_characters_than_there_are_all_wait() -> None:
    assert outbox(text("a"), text("b")).take(9) == ()


def test_an_output_that_ends_where_the_waiting_begins_comes_out() -> None:
    assert outbox(text("a"), text("b")).take(1) == (text("a"),)


def test_hidden_characters_are_gone_and_the_rest_stays() -> None:
    box = outbox(text("abc"), CLOSED, text("d"))
    box.hide(2)
    assert box.take(0) == (text("ab"), CLOSED)


def test_marked_characters_become_markup() -> None:
    box = outbox(text("ab"), CLOSED, text("c"))
    box.mark(2)
    assert box.take(0) == (text("a"), text("b", markup=True), CLOSED, text("c", markup=True))


def test_hiding_or_marking_more_than_there_is_takes_all() -> None:
    box = outbox(text("a"))
    box.mark(9)
    assert box.take(0) == (text("a", markup=True),)
    box.put(text("b"))
    box.hide(9)
    assert box.take(0) == ()
