"""Where the thinking ends and the answer begins, whatever the models do (cases 9 to 16 of the situations list)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from relaygen_runtime import FinishReason, Phase, RelayResult, Role, SwitchReason
from relaygen_runtime.engines.scripted import EOS
from tests.relay.scripts import TOOL, scripted

ASKED = "<|user|>?<|assistant|>"
THOUGHT = "Multiply both of the numbers. So,"


@pytest.mark.parametrize(
    ("prompt", "opening"),
    [
        (ASKED + "<think>\n", ""),
        (ASKED + "<think>", "\n"),
        (ASKED, "<think>\n"),
        (ASKED, "\n<think>\n"),
    ],
    ids=["prompt opens, with a line", "prompt opens", "the model opens", "the model opens after a blank"],
)
def test_the_thinking_is_found_wherever_it_is_opened(prompt: str, opening: str) -> None:
    relay, _ = scripted(
        [f"{opening}{THOUGHT}", " That is all.\n</think>\n\n"], [" it is 12. And", "The answer is 12."], prompt=prompt
    )

    result = relay.generate("?")

    assert result.thinking.strip() == f"{THOUGHT} it is 12. That is all."
    assert result.answer == "The answer is 12."
    assert "think>" not in result.thinking + result.answer


def test_a_model_that_skips_the_thinking_answers_at_once() -> None:
    relay, _ = scripted(["Twelve, of course. So, that is it."], prompt=ASKED)

    result = relay.generate("?")

    assert (result.thinking, result.answer) == ("", "Twelve, of course. So, that is it.")


def test_thinking_switched_off_in_the_prompt_goes_straight_to_the_answer() -> None:
    relay, _ = scripted(small=["The answer is 12."], prompt=ASKED + "<think>\n\n</think>\n\n")

    result = relay.generate("?", enable_thinking=False)

    assert (result.thinking, result.answer) == ("", "The answer is 12.")
    assert [entry.phase for entry in result.ledger.entries] == ["answer"]


def by_small(*small: str, large: Sequence[str] = (), **options: Any) -> RelayResult:
    relay, _ = scripted(large, small)
    return relay.generate("?", **options)


def test_eos_of_the_small_model_in_the_thinking_is_dropped_and_the_large_takes_over() -> None:
    result = by_small(" it is", "Twelve.", large=[THOUGHT, " simply twelve.\n</think>\n\n"])

    assert result.thinking.strip() == f"{THOUGHT} it is simply twelve."
    assert result.answer == "Twelve."


def test_eos_of_the_large_model_closes_the_thinking_and_an_answer_follows() -> None:
    result = by_small("Twelve.", large=[f"We have it already, twelve.{EOS}"])

    assert result.answer == "Twelve."
    assert SwitchReason.INJECTED in [entry.reason for entry in result.ledger.entries]
    assert result.notes


def test_eos_of_both_models_everywhere_ends_with_a_reason_for_the_empty_answer() -> None:
    result = by_small(EOS, EOS, EOS, large=[f"{THOUGHT}{EOS}", EOS, EOS])

    assert result.answer == ""
    assert any("empty" in note for note in result.notes)
    assert len(result.ledger.entries) < 10


@pytest.mark.parametrize(
    ("group", "small"), [(1, [EOS, "Twelve."]), (1000, ["Twelve."])], ids=["seen later", "seen with the cue"]
)
def test_eos_right_after_a_cue_word_is_no_switch(group: int, small: list[str]) -> None:
    relay, _ = scripted([f"Everything there is to know is known Now{EOS}", EOS], small, group=group)

    result = relay.generate("?")

    assert SwitchReason.CUE not in [entry.reason for entry in result.ledger.entries]
    assert result.answer == "Twelve."


@pytest.mark.parametrize("max_tokens", [16, 32, 64, 100])
def test_a_small_budget_still_leaves_an_answer_and_is_never_passed(max_tokens: int) -> None:
    relay, engine = scripted([f"{THOUGHT} it is 12. " * 40] * 40, [" it is 12. And"] * 40 + [" word" * 100])

    result = relay.generate("?", max_tokens=max_tokens)

    assert result.finish_reason is FinishReason.LENGTH
    assert result.ledger.tokens <= max_tokens
    assert result.answer.strip()
    assert all(run.max_tokens >= 1 for run in engine.runs)


def test_one_token_is_enough_to_end_in_order() -> None:
    result = by_small("Twelve.", large=["Multiply both of them."], max_tokens=1)

    assert result.finish_reason is FinishReason.LENGTH
    assert result.ledger.tokens <= 1


def test_a_closing_tag_that_does_not_fit_any_more_is_taken_back() -> None:
    relay, _ = scripted(["one two three four five six"], ["Twelve."])

    result = relay.generate("?", max_tokens=5, max_thinking_tokens=4)

    assert result.finish_reason is FinishReason.LENGTH
    assert result.ledger.tokens <= 5
    assert "</think>" not in result.text
    assert any("empty" in note for note in result.notes)


def test_a_callers_stop_string_cuts_the_answer_and_not_the_thinking() -> None:
    result = by_small(
        " it is 12. And",
        "Final: 12\nObservation: x",
        large=[THOUGHT, " A line.\nObservation: none\nThat is all.\n</think>\n\n"],
        stop=["\nObservation"],
    )

    assert "\nObservation: none" in result.thinking
    assert result.answer == "Final: 12"


def test_a_stop_string_that_comes_in_pieces_is_never_shown() -> None:
    relay, _ = scripted(["Short.\n</think>\n\n"], ["Final 12 STOP here"], split=list, options={"stop": ["STOP here"]})

    assert relay.generate("?").answer == "Final 12 "


def test_a_tool_call_in_the_thinking_stays_in_the_thinking() -> None:
    call = '<tool_call>\n{"name": "add", "arguments": {"So, ": 1}}\n</tool_call>'
    result = by_small("Twelve.", large=[f"I could write {call} but I need not.\n</think>\n\n"])

    assert call in result.thinking
    assert "tool_call" not in result.answer
    assert SwitchReason.CUE not in [entry.reason for entry in result.ledger.entries]


def test_a_second_closing_tag_is_text_of_the_answer() -> None:
    result = by_small("The tag </think> is text here.", large=["Short.\n</think>\n\n"])

    assert result.answer == "The tag </think> is text here."
    assert [entry.phase for entry in result.ledger.entries].count(Phase.ANSWER) == 1


@pytest.mark.parametrize("answerer", ["small", "large", "auto"])
def test_the_answerer_is_who_was_asked_for(answerer: str) -> None:
    relay, _ = scripted(["Short it is.\n</think>\n\n", "By the large."], ["By the small."])

    result = relay.generate("?", answerer=answerer)

    expected = Role.LARGE if answerer == "large" else Role.SMALL
    assert result.ledger.entries[-1].role is expected
    assert result.answer == f"By the {expected}."


def test_tools_make_the_large_model_answer() -> None:
    relay, _ = scripted(["Short it is.\n</think>\n\n", "By the large."], ["By the small."])

    assert relay.generate("?", tools=[TOOL]).answer == "By the large."


@pytest.mark.parametrize("before", ["It stands so. So ", "A line.\n\n", "", "Nothing more to say. So,"])
def test_text_that_was_written_is_never_changed(before: str) -> None:
    relay, _ = scripted([f"{before}", " The end.\n</think>\n\n"], [" it is 12. And", "Twelve.", "Twelve."])

    result = relay.generate("?")

    assert result.text.startswith(before)
    assert "".join(entry.text for entry in result.ledger.entries) == result.text


def test_text_in_scripts_of_many_bytes_passes_whole() -> None:
    thinking = "因此我们有二。✓ שלום 👩‍👩‍👧 好的。"
    relay, _ = scripted([f"{thinking}\n</think>\n\n"], ["答案是 12 👍"], split=list)

    result = relay.generate("?")

    assert result.thinking.strip() == thinking
    assert result.answer == "答案是 12 👍"
