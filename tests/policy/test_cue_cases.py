"""Cases about switch cues: where a large segment hands over, and where it does not."""

from __future__ import annotations

import pytest

from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.steps import Cut, Done, Write
from relaygen_runtime.vocabulary import Piece, Role, Stop, SwitchReason
from tests.policy.player import PROMPT, given, play, rules, words

NO_SWITCH = [SwitchReason.EOS, SwitchReason.INJECTED]


def first_segment(cues: tuple[str, ...], text: str, **options: object) -> str:
    return play(rules(*cues, **options), [text], [" y. Z", "!"]).segments[0].text


@pytest.mark.parametrize("cue", ["now", "Other"])
def test_a_cue_inside_a_longer_word_does_not_switch(cue: str) -> None:
    played = play(rules(cue), ["We know that x = 2. Otherwise stop"], small=["!"])
    assert played.reasons == [*NO_SWITCH, SwitchReason.EOS]


@pytest.mark.parametrize(("cue", "end"), [("Now", "I know. Now"), ("Now,", "I know. Now,")])
def test_the_switch_falls_where_the_profile_s_cue_ends(cue: str, end: str) -> None:
    assert first_segment((cue,), "I know. Now, x is two") == end


def test_a_cue_between_asterisks_switches() -> None:
    assert first_segment(("Therefore,",), "Hm. **Therefore,** x") == "Hm. **Therefore,"


def test_a_chinese_cue_needs_no_space_around_it() -> None:
    played = play(rules("因此，"), ["所以因此，"], ["x=2。接着"], split=list)
    assert played.briefs[:2] == [("large", "所以因此，", "cue"), ("small", "x=2。", "sentence_end")]


def test_the_cue_is_named_as_the_profile_spells_it() -> None:
    assert play(rules("So "), ["Good. So the"], [" rest. A"]).segments[0].cue == "So "


def test_a_cue_that_ends_inside_a_token_is_cut_at_the_token_s_end() -> None:
    assert first_segment(("So ",), "Good. So the rest") == "Good. So the"


def test_a_cue_inside_a_token_is_judged_by_the_whole_token() -> None:
    played = play(rules("Now"), ["Hm Nowadays yes"], ["!"], split=given(["Hm", " Nowadays", " yes"]))
    assert played.reasons == [*NO_SWITCH, SwitchReason.EOS]


def test_of_two_cues_that_end_together_the_longest_is_named() -> None:
    assert play(rules("so,", "and so,"), ["Hm and so, x"], [" y. Z"]).segments[0].cue == "and so,"


def test_of_two_cues_in_one_token_the_one_complete_first_fires() -> None:
    played = play(rules("so,", "now,"), ["A so, now, x"], [" y. Z"], split=given(["A", " so, now,", " x"]))
    assert played.segments[0].cue == "so,"


def test_a_cue_split_over_several_tokens_fires_once_complete() -> None:
    played = play(rules("Therefore,"), ["Hm. Therefore, x"], [" y. Z"], split=given(["Hm. ", "There", "fore", ", x"]))
    assert played.segments[0].text == "Hm. Therefore, x"


@pytest.mark.parametrize("least", [0, 3, 5])
def test_no_cue_fires_within_the_first_tokens_of_a_large_segment(least: int) -> None:
    played = play(rules("So,", min_large_tokens=least), ["So," + " So," * 9], [" y. Z"])
    assert played.segments[0].tokens > least


@pytest.mark.parametrize(
    "shielded",
    [
        "```python\n# So, print\n``` ",
        "~~~\nSo, print\n~~~ ",
        "`So, x` ",
        "$x \\text{So, y}$ ",
        "$$x So, y$$ ",
        "\\(So, y\\) ",
        "\\[So, y\\] ",
        '<tool_call>{"say": "So, x"}</tool_call> ',
    ],
)
def test_a_cue_in_code_mathematics_or_a_tool_call_does_not_switch(shielded: str) -> None:
    assert first_segment(("So,",), f"Well.\n{shielded}So, x") == f"Well.\n{shielded}So,"


def test_a_price_is_not_mathematics() -> None:
    assert first_segment(("So,",), "It costs $5 each. So, x") == "It costs $5 each. So,"


def test_substring_matching_cuts_wherever_the_letters_stand() -> None:
    assert first_segment(("now",), "We know it", match="substring") == "We know"


def test_substring_matching_takes_nothing_back() -> None:
    played = play(rules("Now", match="substring"), ["Hm. Now", " we"], ["adays it rains. Z"])
    assert played.briefs[1] == ("small", "adays it rains.", "sentence_end")


def test_without_cues_the_large_model_thinks_in_one_segment() -> None:
    assert play(rules(), ["So, now. Therefore, x."], ["!"]).reasons == [*NO_SWITCH, SwitchReason.EOS]


class TestTakingBack:
    def test_a_switch_inside_a_word_is_taken_back_and_no_byte_is_lost(self) -> None:
        played = play(
            rules("Now"), ["Hm. Nowhere near."], ["adays, yes", "!"], split=given(["Hm.", " Now", "here", " near."])
        )
        assert played.briefs[0] == ("large", "Hm. Nowhere near.", "eos")

    def test_the_small_model_s_token_is_dropped_and_nothing_of_it_is_told(self) -> None:
        machine = RelayMachine(rules("Now"), PROMPT)
        machine.ask()
        machine.feed([Piece("Hm.", 1), Piece(" Now", 2)])
        machine.ask()
        step = machine.feed([Piece(""), Piece("adays", 3), Piece(" it", 4)])
        assert (step.outputs, step.cut) == ((), Cut(drop=3, reason=None))

    def test_the_large_model_resumes_its_segment(self) -> None:
        played = play(rules("Now"), ["Hm. Now here"], ["adays", "!"], split=words)
        assert [(write.author, write.segment, write.resumes) for write in played.writes[:3]] == [
            (Role.LARGE, 0, False),
            (Role.SMALL, 1, False),
            (Role.LARGE, 0, True),
        ]

    def test_the_same_occurrence_does_not_fire_again(self) -> None:
        played = play(rules("Now"), ["Hm. Now here we are"], ["adays", "!"])
        assert SwitchReason.CUE not in played.reasons

    def test_a_longer_cue_that_begins_there_still_fires(self) -> None:
        played = play(
            rules("No", "Now,"), ["Hm. Now, x"], ["where", " y. Z"], split=given(["Hm.", " No", "w", ",", " x"])
        )
        assert played.segments[0].cue == "Now,"

    def test_nothing_is_told_of_the_switch_before_the_small_model_s_first_character(self) -> None:
        machine = RelayMachine(rules("Now"), PROMPT)
        machine.ask()
        assert [type(output).__name__ for output in machine.feed([Piece("Now")]).outputs] == ["Opened", "Text"]

    def test_where_a_word_cannot_go_on_any_character_confirms(self) -> None:
        assert play(rules("So,"), ["Hm. So,"], ["x is two. Z"]).briefs[1][0] == "small"

    def test_a_small_model_with_nothing_to_say_gives_the_segment_back(self) -> None:
        played = play(rules("So,"), ["Hm. So, we go on"], ["", "!"])
        assert played.briefs[0] == ("large", "Hm. So, we go on", "eos")


class TestEosAfterACue:
    def test_found_by_asking_the_small_model(self) -> None:
        played = play(rules("now"), ["That is it for now"], ["", "Fine."])
        assert played.briefs[0] == ("large", "That is it for now", "eos")

    @pytest.mark.parametrize("cue", ["now", "now,"])
    def test_told_with_the_cue(self, cue: str) -> None:
        machine = RelayMachine(rules(cue), PROMPT)
        machine.ask()
        assert machine.feed([Piece("for"), Piece(" now,"[: len(cue) + 1])]).cut == Cut(0, SwitchReason.CUE, cue)
        assert machine.stopped(Stop.EOS).cut == Cut(0, SwitchReason.EOS)


def test_no_ping_pong_when_the_large_model_begins_with_a_cue_every_time() -> None:
    played = play(rules("So,"), ["So, x"] * 50, [" it is. Z"] * 50)
    pairs = [segment for segment in played.segments if segment.reason is SwitchReason.CUE]
    assert len(pairs) == 50


def test_a_pair_that_never_gets_anywhere_still_comes_to_an_end() -> None:
    played = play(rules("So,", max_tokens=60, max_thinking_tokens=40), ["So,"] * 99, [" x. "] * 99)
    assert isinstance(played.done, Done)
    assert all(segment.tokens for segment in played.segments)


def test_a_full_small_context_passes_over_cues() -> None:
    machine = RelayMachine(rules("So,", small_room=20), PROMPT)
    machine.ask()
    assert machine.feed([Piece("x")] * 4 + [Piece(" So,")]).cut is None


def test_a_cue_is_asked_of_the_small_model_as_a_new_segment() -> None:
    machine = RelayMachine(rules("So,"), PROMPT)
    machine.ask()
    machine.feed([Piece("So,")])
    assert isinstance(ask := machine.ask(), Write)
    assert (ask.author, ask.segment, ask.max_tokens) == (Role.SMALL, 1, 128)
