"""Answers that a grammar holds: they are not cut where the grammar would not let them end."""

from __future__ import annotations

import pytest

from relaygen_runtime.policy.calls import Calls
from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.states import State
from relaygen_runtime.policy.steps import Closed, Cut, Done, Inject, Text, ThinkingEnded, Write
from relaygen_runtime.vocabulary import FinishReason, Phase, Piece, Role, Stop, SwitchReason
from tests.policy.player import BARE_PROMPT, CLOSED_PROMPT, PROMPT, given, play, rules

TAGS = ("<call>", "</call>")
LOOP = "and so on, "


def answering(*, prompt: str = CLOSED_PROMPT, answerer: Role = Role.LARGE, **options: object) -> RelayMachine:
    machine = RelayMachine(rules(answerer=answerer, max_thinking_tokens=0, **options), prompt)
    machine.ask()
    return machine


def pieces(*texts: str) -> list[Piece]:
    return [Piece(text) for text in texts]


def loop(machine: RelayMachine) -> Cut:
    for _ in range(200):
        step = machine.feed(pieces(LOOP))
        if step.cut is not None:
            return step.cut
    raise AssertionError("the loop was not noticed")


class TestStopStrings:
    def test_in_a_constrained_answer_they_are_text(self) -> None:
        played = play(rules(stop=("STOP",), constrained=True), "", '{"a": "STOP"}', prompt=CLOSED_PROMPT)
        assert (played.answer, played.done.reason) == ('{"a": "STOP"}', FinishReason.STOP)

    def test_in_a_tool_call_they_are_text(self) -> None:
        text = 'See <call>{"a": "STOP"}</call> and STOP now'
        played = play(rules(stop=("STOP",), tool_tags=TAGS), "", text, prompt=CLOSED_PROMPT)
        assert (played.answer, played.done.reason) == (
            'See <call>{"a": "STOP"}</call> and ',
            FinishReason.STOP_STRING,
        )

    @pytest.mark.parametrize("token", ["x<call>y</call>STOP", "<call>STOP</call>z STOP", "a STOP<call>"])
    def test_in_a_token_that_holds_tags_too_they_are_told_apart(self, token: str) -> None:
        machine = answering(stop=("STOP",), tool_tags=TAGS)
        step = machine.feed(pieces(token))
        assert "".join(text.text for text in step.outputs if isinstance(text, Text)) == token[
            : token.rindex("STOP")
        ].removesuffix("<call>")

    def test_one_that_begins_before_a_call_does_not_end_in_it(self) -> None:
        machine = answering(stop=("> ST",), tool_tags=TAGS)
        assert machine.feed(pieces("<call>", " STOP", "</call>", " STOP")).cut is None

    def test_looking_ahead_knows_what_is_inside_a_call(self) -> None:
        machine = answering(stop=("STOP",), tool_tags=TAGS)
        assert machine.would_cut(pieces("<call>", "STOP", "</call>", "STOP", "x")) == 4
        assert machine.would_cut(pieces("<call>", "STOP", "</call>", "x")) is None


class TestCalls:
    def test_an_opening_tag_is_outside_and_a_closing_tag_inside(self) -> None:
        assert Calls(TAGS).split("a<call>b</call>c") == [("a<call>", False), ("b</call>", True), ("c", False)]

    def test_a_tag_may_come_in_parts(self) -> None:
        calls = Calls(TAGS)
        assert [calls.split(part) for part in ("a<ca", "ll>b")] == [[("a<ca", False)], [("ll>", False), ("b", True)]]
        assert calls.inside

    def test_a_fork_stands_where_the_first_one_stood(self) -> None:
        calls = Calls(TAGS)
        calls.split("<ca")
        fork = calls.fork()
        calls.split("ll>")
        assert (calls.inside, fork.inside) == (True, False)
        fork.split("ll>")
        assert fork.inside


class TestLoops:
    def test_a_constrained_answer_is_asked_to_finish(self) -> None:
        machine = answering(constrained=True)
        assert loop(machine) == Cut(0, None)
        ask = machine.ask()
        assert isinstance(ask, Write)
        assert (ask.author, ask.phase, ask.finish, ask.resumes) == (Role.LARGE, Phase.ANSWER, True, True)

    def test_and_ends_for_the_loop_once_the_engine_closed_it(self) -> None:
        machine = answering(constrained=True)
        loop(machine)
        machine.ask()
        machine.feed(pieces('"', "}"))
        step = machine.stopped(Stop.CLOSED)
        assert step.outputs[-1] == Closed(0, SwitchReason.LOOP, machine_tokens(step.outputs))
        assert machine.ask() == Done(FinishReason.LOOP)

    def test_even_where_its_last_token_fills_the_limit(self) -> None:
        machine = answering(constrained=True, max_tokens=80)
        loop(machine)
        ask = machine.ask()
        assert isinstance(ask, Write)
        assert machine.feed(pieces(*"x" * ask.max_tokens)).cut == Cut(0, SwitchReason.LOOP)
        assert machine.ask() == Done(FinishReason.LOOP)

    def test_the_closing_itself_may_go_round_in_circles(self) -> None:
        machine = answering(constrained=True)
        loop(machine)
        machine.ask()
        assert machine.feed(pieces(*["]}" * 20] * 40)).cut is None

    def test_the_small_model_s_answer_is_finished_too(self) -> None:
        machine = answering(constrained=True, answerer=Role.SMALL)
        loop(machine)
        ask = machine.ask()
        assert isinstance(ask, Write)
        assert (ask.author, ask.finish) == (Role.SMALL, True)

    def test_a_small_model_that_fails_at_it_leaves_it_to_the_large_one(self) -> None:
        machine = answering(constrained=True, answerer=Role.SMALL)
        loop(machine)
        machine.ask()
        assert machine.lose_small().cut == Cut(0, SwitchReason.FAULT)
        ask = machine.ask()
        assert isinstance(ask, Write)
        assert (ask.author, ask.finish) == (Role.LARGE, True)

    def test_inside_a_call_the_call_is_finished(self) -> None:
        machine = answering(tool_tags=TAGS)
        machine.feed(pieces("<call>"))
        assert loop(machine) == Cut(0, None)

    def test_beside_a_call_the_answer_is_cut_as_ever(self) -> None:
        machine = answering(tool_tags=TAGS)
        machine.feed(pieces("<call></call>"))
        assert loop(machine) == Cut(0, SwitchReason.LOOP)
        assert machine.ask() == Done(FinishReason.LOOP)

    def test_an_opening_that_turns_out_to_be_such_an_answer_is_finished(self) -> None:
        machine = answering(constrained=True, prompt=BARE_PROMPT)
        assert machine.feed(pieces(LOOP * 80)).cut == Cut(0, None)
        assert machine.state is State.LARGE_ANSWER


def machine_tokens(outputs: tuple[object, ...]) -> int:
    closed = outputs[-1]
    assert isinstance(closed, Closed)
    return closed.tokens


class TestEnds:
    def test_an_answer_that_the_engine_closed_was_too_long(self) -> None:
        machine = answering(constrained=True)
        machine.feed(pieces("{}"))
        assert machine.stopped(Stop.CLOSED).cut == Cut(0, SwitchReason.MAX_TOKENS)
        assert machine.ask() == Done(FinishReason.LENGTH)

    def test_an_empty_answer_that_a_grammar_allows_is_one(self) -> None:
        machine = answering(constrained=True, answerer=Role.SMALL)
        machine.stopped(Stop.EOS)
        assert machine.ask() == Done(FinishReason.STOP, empty_answer=True)

    def test_an_empty_one_that_only_might_have_held_calls_is_the_large_model_s_to_write(self) -> None:
        machine = answering(tool_tags=TAGS, answerer=Role.SMALL)
        machine.stopped(Stop.EOS)
        ask = machine.ask()
        assert isinstance(ask, Write)
        assert ask.author is Role.LARGE


class TestAsking:
    def test_an_opening_says_so_and_names_the_tag(self) -> None:
        ask = RelayMachine(rules(open_tag="<t>"), BARE_PROMPT).ask()
        assert isinstance(ask, Write)
        assert (ask.opening, ask.open_tag) == (True, "<t>")

    def test_thinking_and_answers_are_no_openings(self) -> None:
        for prompt in (PROMPT, CLOSED_PROMPT):
            ask = RelayMachine(rules(), prompt).ask()
            assert isinstance(ask, Write)
            assert not ask.opening

    def test_what_is_left_is_more_than_the_small_model_s_context_holds(self) -> None:
        ask = RelayMachine(rules(small_room=90, max_tokens=500, max_thinking_tokens=0), CLOSED_PROMPT).ask()
        assert isinstance(ask, Write)
        assert (ask.author, ask.max_tokens, ask.left) == (Role.SMALL, 90, 500)

    def test_what_is_left_shrinks_with_what_is_written(self) -> None:
        machine = answering(max_tokens=500)
        machine.feed(pieces("a", "b"))
        ask = machine.ask()
        assert isinstance(ask, Write)
        assert (ask.max_tokens, ask.left) == (498, 498)


class TestTheClosingTag:
    """What stands behind it in the same token was written under no grammar."""

    @pytest.mark.parametrize("constraint", [{"constrained": True}, {"tool_tags": TAGS}])
    def test_is_written_anew_where_an_answer_begins_in_its_token(self, constraint: dict[str, object]) -> None:
        machine = RelayMachine(rules(**constraint), PROMPT)
        machine.ask()
        step = machine.feed(pieces("Hm.", "</thi", "nk>Two"))
        assert step.cut == Cut(1, SwitchReason.THINKING_END)
        assert step.outputs[-1] == Closed(0, SwitchReason.THINKING_END, 2)
        assert machine.ask() == Inject("nk>\n\n")
        ended = machine.injected(pieces("nk>", "\n\n")).outputs
        assert ThinkingEnded(forced=False, tokens=4) in ended
        assert all(text.markup for text in ended if isinstance(text, Text))

    def test_shows_no_part_of_itself_then(self) -> None:
        played = play(
            rules(constrained=True, answerer=Role.LARGE),
            ["Hm.</think>Two", "2"],
            split=given(["Hm.", "</thi", "nk>Two"]),
        )
        assert (played.thinking, played.answer, played.text) == ("Hm.", "2", "Hm.</think>\n\n2")
        assert played.notes == ()

    def test_keeps_what_stands_before_it_in_its_token(self) -> None:
        machine = RelayMachine(rules(constrained=True), PROMPT)
        machine.ask()
        machine.feed(pieces("Hm.", " ok</think>Two"))
        assert machine.ask() == Inject(" ok</think>\n\n")

    def test_may_be_followed_by_white_space(self) -> None:
        machine = RelayMachine(rules(constrained=True), PROMPT)
        machine.ask()
        assert machine.feed(pieces("Hm.", "</think>\n\n")).cut == Cut(0, SwitchReason.THINKING_END)

    def test_stands_with_whatever_follows_where_nothing_holds_the_answer(self) -> None:
        machine = RelayMachine(rules(), PROMPT)
        machine.ask()
        assert machine.feed(pieces("Hm.", "</think>Two")).cut == Cut(0, SwitchReason.THINKING_END)

    def test_is_written_anew_in_a_small_segment_too(self) -> None:
        machine = RelayMachine(rules("So,", constrained=True), PROMPT)
        machine.ask()
        machine.feed(pieces("So,"))
        machine.ask()
        assert machine.feed(pieces("</think>Two")).cut == Cut(1, SwitchReason.THINKING_END)
        assert machine.ask() == Inject("</think>\n\n")

    def test_is_written_anew_even_in_the_token_that_opened_the_thinking(self) -> None:
        machine = RelayMachine(rules(constrained=True), BARE_PROMPT)
        machine.ask()
        step = machine.feed(pieces("<th", "ink>x</think>Two"))
        assert (step.cut, [text.text for text in step.outputs if isinstance(text, Text)]) == (
            Cut(1, SwitchReason.THINKING_END),
            ["<th"],
        )
        assert machine.ask() == Inject("ink>x</think>\n\n")

    def test_looking_ahead_sees_that_its_token_is_dropped(self) -> None:
        machine = RelayMachine(rules(constrained=True), PROMPT)
        machine.ask()
        assert machine.would_cut(pieces("Hm.", "</think>Two", "x")) == 1
