"""The protocol of the machine: what may be called when, and what it answers."""

from __future__ import annotations

from itertools import product

import pytest

from relaygen_runtime.errors import PolicyError
from relaygen_runtime.policy.diagram import mermaid
from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.states import READING, TRANSITIONS, Event, State, after
from relaygen_runtime.policy.steps import Closed, Cut, Done, Inject, Opened, Text, Write
from relaygen_runtime.vocabulary import FinishReason, Phase, Piece, Role, Stop, SwitchReason
from tests.policy.player import BARE_PROMPT, CLOSED_PROMPT, PROMPT, given, play, rules

ILLEGAL = [pair for pair in product(State, Event) if pair not in TRANSITIONS]


@pytest.mark.parametrize(("state", "event"), ILLEGAL)
def test_a_move_that_the_table_does_not_hold_raises(state: State, event: Event) -> None:
    with pytest.raises(PolicyError, match=f"{event.value!r} cannot happen in state {state.value!r}"):
        after(state, event)


@pytest.mark.parametrize(("state", "event"), TRANSITIONS)
def test_a_move_of_the_table_leads_where_it_says(state: State, event: Event) -> None:
    assert after(state, event) is TRANSITIONS[state, event]


def test_every_state_but_the_first_is_reached_and_every_state_but_the_last_is_left() -> None:
    assert set(TRANSITIONS.values()) == set(State) - {State.OPENING}
    assert {state for state, _ in TRANSITIONS} == set(State) - {State.DONE}


def test_models_write_in_all_states_but_three() -> None:
    assert set(State) - READING == {State.CLOSING, State.THINKING_OVER, State.DONE}


class TestDiagram:
    def test_it_begins_and_ends_where_a_generation_does(self) -> None:
        lines = mermaid().splitlines()
        assert (lines[0], lines[1], lines[-1]) == ("stateDiagram-v2", "    [*] --> opening", "    done --> [*]")

    def test_it_shows_every_move(self) -> None:
        diagram = mermaid()
        for (start, event), end in TRANSITIONS.items():
            assert any(
                line.startswith(f"    {start.value} --> {end.value}: ") and event.value in line
                for line in diagram.splitlines()
            )


class TestAsking:
    def test_it_says_the_same_until_something_is_fed(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        assert machine.ask() is machine.ask()

    def test_feeding_nothing_changes_nothing(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        asked = machine.ask()
        machine.feed([])
        assert machine.ask() is asked

    def test_in_the_middle_of_a_run_it_asks_for_the_rest(self) -> None:
        machine = RelayMachine(rules("So,", max_thinking_tokens=10), PROMPT)
        machine.ask()
        machine.feed([Piece("a"), Piece("b")])
        assert machine.ask() == Write(Role.LARGE, Phase.THINKING, 0, 8, resumes=True)

    def test_injecting_is_asked_for_until_it_is_done(self) -> None:
        machine = RelayMachine(rules(), PROMPT)
        machine.ask()
        machine.stopped(Stop.EOS)
        assert machine.ask() == machine.ask() == Inject("\n</think>\n\n")

    def test_done_stays_done(self) -> None:
        machine = RelayMachine(rules(), CLOSED_PROMPT)
        machine.ask()
        machine.feed([Piece("Two.")])
        machine.stopped(Stop.EOS)
        assert machine.ask() == machine.ask() == Done(FinishReason.STOP)

    def test_an_opening_is_asked_of_the_large_model_with_all_that_is_left(self) -> None:
        ask = RelayMachine(rules(max_tokens=50, max_thinking_tokens=20), BARE_PROMPT).ask()
        assert ask == Write(Role.LARGE, Phase.THINKING, 0, 50, opening=True)


class TestOutOfOrder:
    def test_pieces_that_nobody_asked_for_raise(self) -> None:
        with pytest.raises(PolicyError, match="no run is open"):
            RelayMachine(rules(), PROMPT).feed([Piece("x")])

    def test_pieces_after_a_cut_raise(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        machine.feed([Piece("So,")])
        with pytest.raises(PolicyError, match="no run is open"):
            machine.feed([Piece(" x")])

    @pytest.mark.parametrize("stop", [Stop.MAX_TOKENS, Stop.CONTEXT])
    def test_a_stop_after_a_cut_raises(self, stop: Stop) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        machine.feed([Piece("So,")])
        with pytest.raises(PolicyError, match="no run is open"):
            machine.stopped(stop)

    def test_eos_after_a_cue_that_dropped_pieces_raises(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        machine.feed([Piece("So,"), Piece(" x")])
        with pytest.raises(PolicyError, match="no run is open"):
            machine.stopped(Stop.EOS)

    def test_eos_after_a_cue_counts_once(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        machine.feed([Piece("So,")])
        machine.stopped(Stop.EOS)
        with pytest.raises(PolicyError, match="no run is open"):
            machine.stopped(Stop.EOS)

    def test_injecting_out_of_turn_raises(self) -> None:
        with pytest.raises(PolicyError, match="nothing is to be injected"):
            RelayMachine(rules(), PROMPT).injected([Piece("</think>")])

    def test_trying_drafts_on_no_run_raises(self) -> None:
        with pytest.raises(PolicyError, match="no run is open"):
            RelayMachine(rules(), PROMPT).would_cut([Piece("x")])


class TestOutputs:
    def test_a_segment_is_opened_by_its_first_text_and_closed_after_its_last(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        machine.feed([Piece("Hm."), Piece(" So,")])
        machine.ask()
        assert machine.feed([Piece(" x")]).outputs == (
            Closed(0, SwitchReason.CUE, 2, "So,"),
            Opened(1, Role.SMALL, Phase.THINKING),
            Text(1, Role.SMALL, Phase.THINKING, " x"),
        )

    def test_pieces_after_a_cue_are_dropped(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        assert machine.feed([Piece("So,"), Piece(" x"), Piece(" y")]).cut == Cut(2, SwitchReason.CUE, "So,")

    def test_what_may_be_a_tag_waits(self) -> None:
        machine = RelayMachine(rules(), PROMPT)
        machine.ask()
        texts = [text.text for text in machine.feed([Piece("a</th")]).outputs if isinstance(text, Text)]
        texts += [text.text for text in machine.feed([Piece("e b")]).outputs if isinstance(text, Text)]
        assert texts == ["a", "</th", "e b"]

    def test_what_waited_comes_out_when_the_run_ends(self) -> None:
        assert play(rules(), "a</th").text == "a</th\n</think>\n\n"

    def test_what_is_injected_has_no_author(self) -> None:
        assert play(rules(), "a").segments[1].author is None


class TestIncompleteCharacters:
    @pytest.mark.parametrize("stop", [Stop.EOS, Stop.CONTEXT])
    def test_bytes_that_complete_no_character_are_dropped_at_the_end(self, stop: Stop) -> None:
        machine = RelayMachine(rules(), PROMPT)
        machine.ask()
        machine.feed([Piece("x"), Piece(""), Piece("")])
        step = machine.stopped(stop)
        assert step.cut is not None
        assert step.cut.drop == 2
        assert Closed(0, SwitchReason(stop.value), 1) in step.outputs

    def test_a_character_that_was_completed_is_kept_whole(self) -> None:
        machine = RelayMachine(rules("因，"), PROMPT)
        machine.ask()
        cut = machine.feed([Piece(""), Piece("因"), Piece(""), Piece(""), Piece("，"), Piece("x")]).cut
        assert cut == Cut(1, SwitchReason.CUE, "因，")

    def test_a_limit_inside_a_character_drops_its_bytes(self) -> None:
        machine = RelayMachine(rules(max_tokens=9, max_thinking_tokens=3), PROMPT)
        machine.ask()
        step = machine.feed([Piece("x"), Piece(""), Piece("")])
        assert (step.cut, step.outputs[-1]) == (
            Cut(2, SwitchReason.THINKING_BUDGET),
            Closed(0, SwitchReason.THINKING_BUDGET, 1),
        )

    def test_a_small_model_that_completes_no_character_gives_the_segment_back(self) -> None:
        machine = RelayMachine(rules("So,", max_small_tokens=2), PROMPT)
        machine.ask()
        machine.feed([Piece("So,")])
        machine.ask()
        assert machine.feed([Piece(""), Piece("")]).cut == Cut(2, None)
        assert machine.state is State.LARGE_THINKING

    def test_they_are_dropped_with_what_was_looked_ahead(self) -> None:
        pieces = [" it", " is", " 5", "!", " ", "", "", "是", "x"]
        played = play(rules("So,"), ["Hm. So,", " y"], ["".join(pieces)], split=lambda t: pieces if "是" in t else [t])
        assert (played.cuts[0].drop, played.cuts[1].drop, played.segments[1].tokens) == (0, 4, 4)

    def test_an_answer_waits_for_them(self) -> None:
        machine = RelayMachine(rules(max_tokens=2, max_thinking_tokens=1), CLOSED_PROMPT)
        machine.ask()
        assert machine.feed([Piece("x"), Piece("")]).cut == Cut(1, SwitchReason.MAX_TOKENS)

    def test_an_opening_waits_for_them(self) -> None:
        machine = RelayMachine(rules(max_tokens=2, max_thinking_tokens=1), BARE_PROMPT)
        machine.ask()
        assert machine.feed([Piece("<"), Piece("")]).cut == Cut(1, SwitchReason.MAX_TOKENS)


class TestLosingTheSmallModel:
    def test_in_the_middle_of_its_segment_the_large_one_carries_on(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        machine.feed([Piece("So,")])
        machine.ask()
        machine.feed([Piece(" x"), Piece(" 5"), Piece("!"), Piece(" ")])
        step = machine.lose_small()
        assert step.cut == Cut(0, SwitchReason.FAULT)
        assert step.outputs == (
            Text(1, Role.SMALL, Phase.THINKING, " "),
            Closed(1, SwitchReason.FAULT, 4),
        )
        assert machine.ask() == Write(Role.LARGE, Phase.THINKING, 2, 2995)

    def test_before_it_wrote_anything_the_large_one_resumes(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        machine.feed([Piece("So,")])
        machine.ask()
        machine.feed([Piece("")])
        assert machine.lose_small().cut == Cut(1, None)
        machine.ask()
        assert machine.feed([Piece(" y"), Piece(" So,")]).cut is None

    def test_in_its_answer_the_large_one_writes_the_rest(self) -> None:
        machine = RelayMachine(rules(), CLOSED_PROMPT)
        machine.ask()
        machine.feed([Piece("x")])
        assert machine.lose_small().cut == Cut(0, SwitchReason.FAULT)
        assert isinstance(ask := machine.ask(), Write)
        assert (ask.author, ask.phase) == (Role.LARGE, Phase.ANSWER)

    def test_while_the_large_one_writes_no_cue_fires_any_more(self) -> None:
        machine = RelayMachine(rules("So,"), PROMPT)
        machine.ask()
        assert machine.lose_small().cut is None
        assert machine.feed([Piece("So,")]).cut is None

    @pytest.mark.parametrize("prompt", [PROMPT, BARE_PROMPT])
    def test_before_anything_is_asked_it_is_never_asked(self, prompt: str) -> None:
        machine = RelayMachine(rules("So,"), prompt)
        machine.lose_small()
        machine.ask()
        pieces = [Piece(text) for text in ("<think>", "So,", " x", " So,", "</think>")]
        assert machine.feed(pieces).cut == Cut(0, SwitchReason.THINKING_END)
        assert isinstance(ask := machine.ask(), Write)
        assert (ask.author, machine.notes) == (Role.LARGE, ())

    def test_when_all_is_done_nothing_comes_of_it(self) -> None:
        machine = RelayMachine(rules(max_tokens=1, max_thinking_tokens=1), CLOSED_PROMPT)
        machine.ask()
        machine.feed([Piece("x")])
        assert machine.lose_small().cut is None


class TestLoops:
    LOOP = "and so on, " * 200

    def test_a_large_model_in_a_loop_has_its_thinking_closed(self) -> None:
        played = play(rules(), self.LOOP, "Two.", split=given([*["and so on, "] * 200]))
        assert played.reasons == [SwitchReason.LOOP, SwitchReason.INJECTED, SwitchReason.EOS]
        assert played.notes == ("the thinking went round in circles and was closed",)

    def test_a_small_one_hands_back(self) -> None:
        played = play(rules("So,", max_small_tokens=900), ["Hm. So,", " x</think>"], [self.LOOP, "Two."])
        assert played.reasons == [
            SwitchReason.CUE,
            SwitchReason.LOOP,
            SwitchReason.THINKING_END,
            SwitchReason.EOS,
        ]

    def test_an_answer_in_a_loop_ends(self) -> None:
        assert play(rules(), "", self.LOOP, prompt=CLOSED_PROMPT).done == Done(FinishReason.LOOP)

    def test_two_models_that_loop_together_come_to_an_end(self) -> None:
        played = play(rules("So,"), ["So, it"] * 400, [" it is two. Z"] * 400)
        assert played.reasons[-2] is SwitchReason.INJECTED
        assert SwitchReason.LOOP in played.reasons

    def test_the_guard_can_be_switched_off(self) -> None:
        played = play(rules("So,", loop_guard=False, max_small_tokens=999), [self.LOOP + "So,"], [self.LOOP, self.LOOP])
        assert SwitchReason.LOOP not in played.reasons
