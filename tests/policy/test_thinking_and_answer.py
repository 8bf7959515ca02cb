"""Cases about the two phases: who writes what, how the thinking ends, and how the answer does."""

from __future__ import annotations

import pytest

from relaygen_runtime.policy.steps import Done, Text, ThinkingEnded
from relaygen_runtime.vocabulary import FinishReason, Phase, Role, SwitchReason
from tests.policy.player import BARE_PROMPT, CLOSED_PROMPT, PROMPT, given, play, rules


class TestHowTheThinkingBegins:
    def test_the_prompt_opens_it(self) -> None:
        played = play(rules(), "Hm.</think>\n\n", "Two.", prompt=PROMPT)
        assert (played.thinking, played.answer) == ("Hm.", "Two.")

    @pytest.mark.parametrize("lead", ["", "\n", " \n "])
    def test_the_model_writes_the_tag(self, lead: str) -> None:
        played = play(rules(), f"{lead}<think>\nHm.</think>\n\n", "Two.", prompt=BARE_PROMPT)
        assert (played.thinking, played.answer) == ("Hm.", "Two.")

    def test_the_tag_that_the_model_writes_is_markup(self) -> None:
        played = play(rules(), "<think>\nHm.</think>", "Two.", prompt=BARE_PROMPT)
        marked = [text.text for text in played.outputs if isinstance(text, Text) and text.markup]
        assert "".join(marked) == "<think>\n</think>"

    @pytest.mark.parametrize(
        "pieces", [["<think>"], ["<think>Hm", "."], ["<", "think", ">\n", "Hm"], list("<think>Hm.")]
    )
    def test_however_the_tag_is_cut_into_tokens(self, pieces: list[str]) -> None:
        played = play(rules(), "".join(pieces), "Two.", prompt=BARE_PROMPT, split=given(pieces))
        assert played.segments[0].phase is Phase.THINKING
        assert "<" not in played.thinking

    @pytest.mark.parametrize("text", ["Two.", " Two.", "<b>Two</b>", "<thin", "<thin air"])
    def test_the_model_skips_it(self, text: str) -> None:
        played = play(rules("So,"), text, prompt=BARE_PROMPT)
        assert (played.thinking, played.answer, played.thinking_ended) == ("", text.strip(), None)
        assert played.done == Done(FinishReason.STOP)

    def test_the_large_model_that_skipped_it_writes_on(self) -> None:
        played = play(rules("So,"), "It is so. So, two.", prompt=BARE_PROMPT)
        assert played.briefs == [("large", "It is so. So, two.", "eos")]

    def test_the_prompt_closed_it(self) -> None:
        played = play(rules("So,"), "never asked", "So, two.", prompt=CLOSED_PROMPT)
        assert (played.answer, [write.author for write in played.writes]) == ("So, two.", [Role.SMALL])

    def test_nothing_is_told_before_it_is_clear(self) -> None:
        played = play(rules(), "<thin", prompt=BARE_PROMPT, split=list)
        assert [text.text for text in played.outputs if isinstance(text, Text)] == ["<thin"]

    def test_a_model_that_writes_nothing_at_all_gave_an_empty_answer(self) -> None:
        played = play(rules(), "", prompt=BARE_PROMPT)
        assert (played.done, played.text) == (Done(FinishReason.STOP, empty_answer=True), "")

    def test_other_tags_than_the_default(self) -> None:
        own = rules(open_tag="◁think▷", close_tag="◁/think▷", close_text="◁/think▷")
        played = play(own, "◁think▷Hm.◁/think▷", "Two.", prompt=BARE_PROMPT, split=list)
        assert (played.thinking, played.answer) == ("Hm.", "Two.")


class TestHowTheThinkingEnds:
    def test_the_large_model_writes_the_tag(self) -> None:
        played = play(rules("So,"), "Hm.</think>", "Two.")
        assert played.briefs == [("large", "Hm.</think>", "thinking_end"), ("small", "Two.", "eos")]

    def test_the_small_model_writes_the_tag(self) -> None:
        played = play(rules("So,"), "Hm. So,", [" two</think>", "Two."])
        assert played.reasons == [SwitchReason.CUE, SwitchReason.THINKING_END, SwitchReason.EOS]

    def test_it_is_said_once_with_its_tokens(self) -> None:
        pieces = ["Hm", ".", "</think>"]
        assert play(rules(), "".join(pieces), "Two.", split=given(pieces)).thinking_ended == ThinkingEnded(False, 3)

    @pytest.mark.parametrize(
        "pieces",
        [
            ["Hm", "...</thi", "nk>", "\n\nAnswer"],
            ["Hm...", "</think>\n\nAnswer"],
            list("Hm...</think>\n\nAnswer"),
            ["Hm...</think>\n\nAnswer"],
        ],
    )
    def test_nothing_of_the_answer_is_in_the_thinking_and_the_other_way_round(self, pieces: list[str]) -> None:
        played = play(rules(), "".join(pieces), "Answer", split=given(pieces))
        assert played.thinking == "Hm..."
        assert played.answer in ("Answer", "AnswerAnswer")
        assert "think" not in played.answer

    def test_what_follows_the_tag_in_its_token_is_the_answer_s_and_stays_in_the_segment(self) -> None:
        played = play(rules(), "Hm</think>Fi", "nal", split=given(["Hm", "</think>Fi"]))
        assert (played.answer, played.segments[0].text) == ("Final", "Hm</think>Fi")

    def test_cue_and_tag_in_one_token_end_the_thinking(self) -> None:
        played = play(
            rules("So,"), "Hm. So, therefore</think>Final", "!", split=given(["Hm. So, therefore</think>Final"])
        )
        assert played.reasons[0] is SwitchReason.THINKING_END

    def test_a_tag_that_two_models_write_together_counts(self) -> None:
        pieces = [" a", " b", "</"]
        limits = rules("So,", max_small_tokens=3)
        played = play(limits, ["Hm. So,", "think>"], ["".join(pieces), "Two."], split=given(pieces))
        assert (played.thinking, played.answer) == ("Hm. So, a b", "Two.")

    def test_a_second_tag_in_the_answer_is_text(self) -> None:
        assert play(rules(), "Hm.</think>", "Two.</think> Yes.").answer == "Two.</think> Yes."

    def test_eos_of_the_large_model_closes_it(self) -> None:
        played = play(rules("So,"), "Hm.", "Two.")
        assert played.briefs == [
            ("large", "Hm.", "eos"),
            ("injected", "\n</think>\n\n", "injected"),
            ("small", "Two.", "eos"),
        ]
        assert played.thinking_ended is not None
        assert played.thinking_ended.forced

    def test_eos_of_the_small_model_hands_back(self) -> None:
        played = play(rules("So,"), ["Hm. So,", " on.</think>"], [" it is", "Two."])
        assert played.briefs[1:3] == [("small", " it is", "eos"), ("large", " on.</think>", "thinking_end")]

    def test_eos_of_both_everywhere_comes_to_an_end(self) -> None:
        played = play(rules("So,"), "Hm. So,")
        assert played.done == Done(FinishReason.STOP, empty_answer=True)

    def test_a_large_model_with_nothing_to_add_closes_it(self) -> None:
        played = play(rules("So,"), ["Hm. So,", ""], [" two. Z", "Two."])
        assert played.reasons == [SwitchReason.CUE, SwitchReason.SENTENCE_END, SwitchReason.INJECTED, SwitchReason.EOS]

    def test_a_tool_call_in_the_thinking_stays_thinking(self) -> None:
        call = '<tool_call>{"a": "So, x"}</tool_call>'
        assert play(rules("So,"), f"Hm {call} x</think>", "Two.").thinking == f"Hm {call} x"


class TestWhoAnswers:
    @pytest.mark.parametrize("answerer", list(Role))
    def test_the_one_that_the_rules_name(self, answerer: Role) -> None:
        played = play(rules(answerer=answerer), ["Hm.</think>", "Large."], ["Small."])
        assert played.answer == f"{answerer.value.title()}."

    def test_the_large_model_answers_in_a_segment_of_its_own(self) -> None:
        played = play(rules(answerer=Role.LARGE), ["Hm.</think>", "Large."])
        assert [(segment.number, segment.phase) for segment in played.segments] == [
            (0, Phase.THINKING),
            (1, Phase.ANSWER),
        ]

    def test_the_large_model_tries_where_the_small_one_said_nothing(self) -> None:
        played = play(rules(), ["Hm.</think>", "Large."], ["\n\n"])
        assert played.briefs[1:] == [("small", "\n\n", "eos"), ("large", "Large.", "eos")]

    def test_an_answer_that_nobody_gives_is_said_to_be_empty(self) -> None:
        assert play(rules(), ["Hm.</think>", " "], [""]).done == Done(FinishReason.STOP, empty_answer=True)


class TestStopStrings:
    def test_the_answer_ends_before_one(self) -> None:
        played = play(rules(stop=("\nObservation",)), "Hm.</think>", "Act.\nObservation: 5")
        assert (played.answer, played.done) == ("Act.", Done(FinishReason.STOP_STRING))

    def test_the_thinking_does_not(self) -> None:
        played = play(rules(stop=("\nObservation",)), "Hm.\nObservation: 5</think>", "Two.")
        assert played.thinking == "Hm.\nObservation: 5"

    @pytest.mark.parametrize("pieces", [["Act", "ab", "c"], list("Actabc"), ["Actabc"], ["Actabcd"]])
    def test_however_it_is_cut_into_tokens(self, pieces: list[str]) -> None:
        played = play(rules(stop=("abc",)), "Hm.</think>", "".join(pieces), split=given(pieces))
        assert played.answer == "Act"

    def test_what_only_began_like_one_is_told(self) -> None:
        assert play(rules(stop=("abc",)), "Hm.</think>", "Actabx ab").answer == "Actabx ab"

    def test_pieces_after_it_are_dropped(self) -> None:
        played = play(rules(stop=("b",)), "Hm.</think>", "abcd", split=list, groups=lambda: 99)
        assert played.cuts[-1].drop == 2

    def test_in_the_token_that_closed_the_thinking(self) -> None:
        pieces = ["Hm", "</think>Act abc"]
        played = play(rules(stop=("abc",)), "".join(pieces), split=given(pieces))
        assert (played.answer, played.done) == ("Act ", Done(FinishReason.STOP_STRING))

    def test_across_the_segment_that_closed_the_thinking(self) -> None:
        pieces = ["Hm", "</think>Act ab"]
        played = play(rules(stop=("abc",)), "".join(pieces), "cd", split=given(pieces))
        assert (played.answer, played.done.reason) == ("Act ", FinishReason.STOP_STRING)

    def test_in_an_answer_without_thinking(self) -> None:
        played = play(rules(stop=("abc",)), "Act abc", prompt=BARE_PROMPT)
        assert (played.answer, played.done.reason) == ("Act ", FinishReason.STOP_STRING)

    def test_in_text_that_might_have_become_the_open_tag(self) -> None:
        played = play(rules(stop=("<t",)), "<th", prompt=BARE_PROMPT, split=list)
        assert (played.answer, played.done) == ("", Done(FinishReason.STOP_STRING, empty_answer=True))

    @pytest.mark.parametrize("text", ["abc", " abc"])
    def test_an_answer_that_is_nothing_else_is_empty(self, text: str) -> None:
        played = play(rules(stop=("abc",)), "Hm.</think>", text, split=list)
        assert played.done == Done(FinishReason.STOP_STRING, empty_answer=True)


def test_white_space_at_the_beginning_of_a_phase_is_markup() -> None:
    played = play(rules(), "\n\n Hm.</think>", "\n\nTwo. \n")
    assert (played.thinking, played.answer) == ("Hm.", "Two. \n")


@pytest.mark.parametrize("prompt", ["", "x", "text <think> more"])
def test_a_prompt_that_ends_in_no_tag_leaves_it_to_the_model(prompt: str) -> None:
    assert play(rules(), "<think>Hm</think>", "Two.", prompt=prompt).thinking == "Hm"
