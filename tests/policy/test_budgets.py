"""Budgets and contexts: what is asked for, and what happens when it is used up."""

from __future__ import annotations

import pytest

from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.steps import Closed, Cut, Done, Inject, Write
from relaygen_runtime.vocabulary import FinishReason, Phase, Piece, Role, Stop, SwitchReason
from tests.policy.player import BARE_PROMPT, CLOSED_PROMPT, PROMPT, given, play, rules

LONG = "word " * 400
FULL = "the small model's context is full: the large carries on alone"


def machine_at_write(with_rules: Rules, prompt: str = PROMPT) -> RelayMachine:
    machine = RelayMachine(with_rules, prompt)
    assert isinstance(machine.ask(), Write)
    return machine


class TestThinkingBudget:
    def test_it_closes_the_thinking_and_an_answer_follows(self) -> None:
        played = play(rules(max_tokens=64, max_thinking_tokens=48), LONG, LONG, split=list)
        assert played.reasons == [SwitchReason.THINKING_BUDGET, SwitchReason.INJECTED, SwitchReason.MAX_TOKENS]
        assert played.answer
        assert played.done.reason is FinishReason.LENGTH

    def test_the_sum_is_exactly_what_was_granted(self) -> None:
        assert play(rules(max_tokens=64, max_thinking_tokens=48), LONG, LONG, split=list).tokens == 64

    def test_the_reason_is_length_even_if_the_answer_ended_by_itself(self) -> None:
        played = play(rules(max_tokens=64, max_thinking_tokens=20), LONG, "Two.")
        assert (played.answer, played.done.reason) == ("Two.", FinishReason.LENGTH)

    def test_a_note_tells(self) -> None:
        assert play(rules(max_thinking_tokens=20), LONG, "Two.").notes == (
            "the thinking reached its budget and was closed",
        )

    def test_a_small_segment_stops_there_too(self) -> None:
        played = play(rules("So,", max_thinking_tokens=8), "Hm. So,", [LONG, "Two."], split=list)
        assert played.reasons[:3] == [SwitchReason.CUE, SwitchReason.THINKING_BUDGET, SwitchReason.INJECTED]

    def test_a_cue_that_uses_it_up_hands_nothing_over(self) -> None:
        played = play(rules("So,", max_thinking_tokens=7), "Hm. So,", "Two.", split=list)
        assert played.reasons[0] is SwitchReason.THINKING_BUDGET

    @pytest.mark.parametrize("prompt", [PROMPT, BARE_PROMPT])
    def test_none_at_all_closes_it_at_once(self, prompt: str) -> None:
        played = play(rules(max_thinking_tokens=0), "<think>Hm", "Two.", prompt=prompt, split=given(["<think>", "Hm"]))
        assert (played.answer, played.thinking, played.done.reason) == ("Two.", "", FinishReason.STOP)

    def test_it_holds_for_thinking_that_the_model_opens_itself(self) -> None:
        pieces = ["<think>", *["a "] * 50]
        played = play(rules(max_thinking_tokens=10), "".join(pieces), "Two.", prompt=BARE_PROMPT, split=given(pieces))
        assert played.segments[0].tokens == 10

    def test_it_does_not_hold_for_an_answer_without_thinking(self) -> None:
        played = play(rules(max_tokens=100, max_thinking_tokens=5), "x" * 50, prompt=BARE_PROMPT, split=list)
        assert played.answer == "x" * 50

    def test_a_closing_text_that_does_not_fit_ends_everything(self) -> None:
        played = play(rules(max_tokens=22, max_thinking_tokens=20), LONG, "Two.", split=list)
        assert (played.tokens, played.done) == (20, Done(FinishReason.LENGTH, empty_answer=True))
        assert played.cuts[-1] == Cut(11, SwitchReason.MAX_TOKENS)

    def test_a_closing_text_that_fits_exactly_leaves_no_answer(self) -> None:
        played = play(rules(max_tokens=31, max_thinking_tokens=20), LONG, "Two.", split=list)
        assert (played.tokens, played.done) == (31, Done(FinishReason.LENGTH, empty_answer=True))

    def test_nothing_is_injected_where_nothing_fits(self) -> None:
        played = play(rules(max_tokens=20, max_thinking_tokens=20), LONG, "Two.")
        assert not any(isinstance(ask, Inject) for ask in played.asks)
        assert played.thinking_ended is not None
        assert played.thinking_ended.forced

    def test_eos_at_the_very_end_leaves_no_room_either(self) -> None:
        machine = machine_at_write(rules(max_tokens=1, max_thinking_tokens=1))
        assert machine.feed([Piece("x")]).cut == Cut(0, SwitchReason.MAX_TOKENS)
        assert machine.ask() == Done(FinishReason.LENGTH, empty_answer=True)


class TestMaxTokens:
    @pytest.mark.parametrize("most", range(1, 40))
    def test_the_sum_never_passes_it(self, most: int) -> None:
        limits = rules("So,", max_tokens=most, max_thinking_tokens=max(0, most - 14), max_small_tokens=7)
        played = play(limits, ["Hm. So, x"] * 20, [" it is. Z"] * 20 + [LONG], split=list)
        assert played.tokens <= most

    def test_an_answer_is_cut_there(self) -> None:
        played = play(rules(max_tokens=5, max_thinking_tokens=1), "", "x" * 9, prompt=CLOSED_PROMPT, split=list)
        assert (played.answer, played.done.reason) == ("xxxxx", FinishReason.LENGTH)

    @pytest.mark.parametrize("text", ["x" * 9, "  <th"])
    def test_text_without_thinking_is_cut_there(self, text: str) -> None:
        played = play(rules(max_tokens=3, max_thinking_tokens=1), text, prompt=BARE_PROMPT, split=list)
        assert (played.text, played.done.reason) == (text[:3], FinishReason.LENGTH)

    def test_one_token_may_decide_and_use_it_up(self) -> None:
        played = play(
            rules(max_tokens=1, max_thinking_tokens=1), "Two. x", prompt=BARE_PROMPT, split=given(["Two.", " x"])
        )
        assert (played.text, played.done.reason) == ("Two.", FinishReason.LENGTH)

    def test_thinking_that_closes_on_the_last_token_has_no_answer(self) -> None:
        pieces = ["Hm", "</think>"]
        played = play(rules(max_tokens=2, max_thinking_tokens=2), "".join(pieces), "Two.", split=given(pieces))
        assert played.done == Done(FinishReason.LENGTH, empty_answer=True)

    def test_a_run_never_asks_for_more_than_is_left(self) -> None:
        played = play(rules("So,", max_tokens=60, max_thinking_tokens=40), ["Hm. So, x"] * 9, [" it is. Z"] * 9)
        left = 60
        for write in played.writes:
            assert 1 <= write.max_tokens <= left

    def test_a_large_run_is_granted_what_is_left_for_thinking(self) -> None:
        ask = RelayMachine(rules(max_thinking_tokens=77), PROMPT).ask()
        assert ask == Write(Role.LARGE, Phase.THINKING, 0, 77)

    def test_a_server_that_grants_less_is_asked_to_go_on(self) -> None:
        machine = machine_at_write(rules("So,"))
        machine.feed([Piece("x")])
        assert machine.stopped(Stop.MAX_TOKENS).cut is None
        assert isinstance(ask := machine.ask(), Write)
        assert (ask.segment, ask.resumes, ask.max_tokens) == (0, True, 2999)

    def test_a_small_model_that_is_granted_less_hands_back(self) -> None:
        machine = machine_at_write(rules("So,"))
        machine.feed([Piece("So,")])
        machine.ask()
        machine.feed([Piece(" 5"), Piece("!"), Piece(" ")])
        assert machine.stopped(Stop.MAX_TOKENS).cut == Cut(0, SwitchReason.MAX_SMALL_TOKENS)

    def test_where_tokens_are_estimated_the_engine_is_believed(self) -> None:
        machine = machine_at_write(rules(max_tokens=9, max_thinking_tokens=5))
        machine.feed([Piece("是", tokens=0), Piece("的", tokens=0)])
        assert machine.stopped(Stop.MAX_TOKENS).cut == Cut(0, SwitchReason.THINKING_BUDGET)

    def test_a_server_that_grants_nothing_is_full(self) -> None:
        machine = machine_at_write(rules("So,"))
        assert machine.stopped(Stop.MAX_TOKENS).cut == Cut(0, SwitchReason.CONTEXT)

    def test_an_opening_that_is_cut_off_goes_on(self) -> None:
        machine = machine_at_write(rules(), BARE_PROMPT)
        machine.feed([Piece("<thi")])
        machine.stopped(Stop.MAX_TOKENS)
        assert isinstance(machine.ask(), Write)
        machine.feed([Piece("nk>"), Piece("Hm")])
        assert machine.state.value == "large_thinking"


class TestMaxSmallTokens:
    def test_it_hands_back(self) -> None:
        played = play(rules("So,", max_small_tokens=3), ["Hm. So,", " x"], [" abcdef"], split=list)
        assert played.briefs[1] == ("small", " ab", "max_small_tokens")

    def test_it_is_what_the_small_model_is_granted(self) -> None:
        assert play(rules("So,", max_small_tokens=3), ["Hm. So,"], [" abc"]).writes[1].max_tokens == 3

    def test_it_falls_on_the_sentence_s_last_token(self) -> None:
        played = play(rules("So,", max_small_tokens=3), ["Hm. So,", " x"], [" a. Now"], split=list)
        assert played.briefs[1][1] == " a."

    def test_a_token_of_looking_ahead_is_not_counted(self) -> None:
        played = play(rules("So,", max_small_tokens=4), ["Hm. So,", " x"], [" a. Now"], split=list)
        assert (played.segments[1].tokens, played.segments[1].reason) == (3, SwitchReason.SENTENCE_END)


class TestContexts:
    def test_a_small_context_that_fills_up_leaves_the_large_model_alone_with_one_note(self) -> None:
        played = play(rules("So,", small_room=40), ["Hm. So, x", "y. So, z" * 30], [" it is. Z"] * 9, split=list)
        assert played.notes.count(FULL) == 1
        assert [write.author for write in played.writes[-1:]] == [Role.LARGE]

    def test_nothing_below_one_token_is_ever_asked_for(self) -> None:
        for room in range(60):
            limits = rules("So,", small_room=room, large_room=90, max_tokens=120, max_thinking_tokens=80)
            played = play(limits, ["Hm. So, x"] * 20, [" it is. Z"] * 20, split=list)
            assert all(write.max_tokens >= 1 for write in played.writes)

    def test_the_large_model_answers_where_the_small_one_has_no_room(self) -> None:
        played = play(rules(small_room=4), ["Hm.</think>", "Large."], ["Small."])
        assert (played.answer, played.notes) == ("Large.", (FULL,))

    def test_a_small_model_that_says_it_is_full_hands_back_and_is_not_asked_again(self) -> None:
        machine = machine_at_write(rules("So,"))
        machine.feed([Piece("So,")])
        machine.ask()
        machine.feed([Piece(" x")])
        step = machine.stopped(Stop.CONTEXT)
        assert (step.cut, machine.notes) == (Cut(0, SwitchReason.CONTEXT), (FULL,))
        machine.ask()
        assert machine.feed([Piece(" y"), Piece(" So,")]).cut is None

    def test_a_small_model_that_is_full_before_it_wrote_anything_is_not_asked_again(self) -> None:
        machine = machine_at_write(rules("So,"))
        machine.feed([Piece("So,")])
        machine.ask()
        assert machine.stopped(Stop.CONTEXT).cut == Cut(0, None)
        machine.ask()
        assert machine.feed([Piece(" y"), Piece(" So,")]).cut is None

    def test_the_room_that_the_rules_know_ends_a_small_answer(self) -> None:
        played = play(rules(small_room=30), ["Hm.</think>", "rest"], ["x" * 99], split=list)
        assert played.reasons[1:] == [SwitchReason.CONTEXT, SwitchReason.EOS]
        assert played.answer.endswith("xrest")

    def test_a_full_large_context_closes_the_thinking_if_the_small_model_can_answer(self) -> None:
        played = play(rules("So,", large_room=20), "x" * 99, "Two.", split=list)
        assert played.reasons == [SwitchReason.CONTEXT, SwitchReason.INJECTED, SwitchReason.EOS]
        assert played.answer == "Two."

    def test_it_ends_everything_if_not(self) -> None:
        played = play(rules(large_room=20, answerer=Role.LARGE), "x" * 99, split=list)
        assert played.done == Done(FinishReason.LENGTH, empty_answer=True)
        assert played.thinking_ended is not None

    def test_it_is_noticed_when_the_small_model_hands_back(self) -> None:
        played = play(rules("So,", large_room=12), ["Hm. So,"], [" it is. Z", "Two."], split=list)
        assert played.reasons == [SwitchReason.CUE, SwitchReason.SENTENCE_END, SwitchReason.INJECTED, SwitchReason.EOS]

    def test_a_full_large_context_ends_its_answer(self) -> None:
        played = play(rules(large_room=20, answerer=Role.LARGE), ["Hm.</think>", "x" * 99], split=list)
        assert (played.reasons[-1], played.done.reason) == (SwitchReason.CONTEXT, FinishReason.LENGTH)

    def test_nobody_answers_where_nobody_has_room(self) -> None:
        limits = rules(large_room=11, small_room=5)
        assert play(limits, "Hm.</think>", split=list).done == Done(FinishReason.LENGTH, empty_answer=True)

    def test_room_for_one_token_is_room_for_an_answer(self) -> None:
        played = play(rules(large_room=12, answerer=Role.LARGE), ["Hm.</think>", "xyz"], split=list)
        assert (played.answer, played.done.reason) == ("x", FinishReason.LENGTH)

    def test_a_small_answer_that_fills_its_context_stays_where_the_large_one_is_full_too(self) -> None:
        played = play(rules(large_room=20, small_room=40), "Hm.</think>", "x" * 99, split=list)
        assert played.done.reason is FinishReason.LENGTH
        assert len(played.answer) == 29

    def test_an_opening_that_meets_a_full_context_is_an_answer(self) -> None:
        machine = machine_at_write(rules(), BARE_PROMPT)
        machine.feed([Piece("<thi")])
        closed = [output for output in machine.stopped(Stop.CONTEXT).outputs if isinstance(output, Closed)]
        assert [output.reason for output in closed] == [SwitchReason.CONTEXT]
        assert machine.ask() == Done(FinishReason.LENGTH)
