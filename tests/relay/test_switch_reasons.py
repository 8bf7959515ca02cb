"""Every reason for which a segment can end, through a relay on scripted models."""

from __future__ import annotations

from typing import Any

import pytest

from relaygen_runtime import FinishReason, RelayResult, SwitchReason
from tests.relay.scripts import scripted

START = "First multiply both of the numbers. So,"
END = " All is known now.\n</think>\n\n"
ANSWER = "The answer is 12."


def first(reason: SwitchReason, result: RelayResult) -> Any:
    found = [entry for entry in result.ledger.entries if entry.reason is reason]
    assert found, [str(entry.reason) for entry in result.ledger.entries]
    return found[0]


def test_a_switch_cue_hands_over_and_is_named() -> None:
    relay, _ = scripted([START, END], [" it is 12. And", ANSWER])

    entry = first(SwitchReason.CUE, relay.generate("?"))

    assert (entry.role, entry.cue, entry.text) == ("large", "So,", START)


def test_a_sentence_end_hands_back_without_the_token_that_proved_it() -> None:
    relay, _ = scripted([START, END], [" it is 12. And", ANSWER])

    entry = first(SwitchReason.SENTENCE_END, relay.generate("?"))

    assert (entry.role, entry.text, entry.cue) == ("small", " it is 12.", None)
    assert entry.generated_tokens == entry.tokens + 1


def test_the_closing_tag_ends_the_thinking_whoever_writes_it() -> None:
    by_large, _ = scripted([START, END], [" it is 12. And", ANSWER])
    by_small, _ = scripted([START], [" all is known\n</think>\n\n", ANSWER])

    assert first(SwitchReason.THINKING_END, by_large.generate("?")).role == "large"
    assert first(SwitchReason.THINKING_END, by_small.generate("?")).role == "small"


def test_eos_of_the_small_model_in_the_thinking_hands_back() -> None:
    relay, _ = scripted([START, END], [" it is twelve", ANSWER])

    result = relay.generate("?")

    entry = first(SwitchReason.EOS, result)
    assert (entry.role, entry.phase, entry.text) == ("small", "thinking", " it is twelve")
    assert result.answer == ANSWER


def test_eos_ends_the_answer() -> None:
    relay, _ = scripted([START, END], [" it is 12. And", ANSWER])

    result = relay.generate("?")

    assert result.ledger.entries[-1].reason is SwitchReason.EOS
    assert result.finish_reason is FinishReason.STOP


def test_max_small_tokens_hands_back() -> None:
    relay, _ = scripted([START, END], [" one two three four five six seven eight", ANSWER])

    entry = first(SwitchReason.MAX_SMALL_TOKENS, relay.generate("?", max_small_tokens=4))

    assert (entry.role, entry.text, entry.tokens) == ("small", " one two three four", 4)


def test_a_repetition_loop_of_the_small_model_hands_back() -> None:
    relay, _ = scripted([START, END], [" and again" * 100, ANSWER])

    result = relay.generate("?", max_small_tokens=2000)

    assert first(SwitchReason.LOOP, result).role == "small"
    assert result.answer == ANSWER


def test_a_repetition_loop_goes_on_without_the_guard() -> None:
    relay, _ = scripted([START, END], [" and again" * 100, ANSWER])

    result = relay.generate("?", max_small_tokens=2000, loop_guard=False)

    assert SwitchReason.LOOP not in [entry.reason for entry in result.ledger.entries]


def test_a_repetition_loop_in_the_answer_ends_it_and_says_so() -> None:
    relay, _ = scripted([START, END], [" it is 12. And", " and again" * 500])

    assert relay.generate("?").finish_reason is FinishReason.LOOP


def test_the_thinking_budget_closes_the_thinking_with_an_injected_tag() -> None:
    relay, _ = scripted([" one two three four five six seven eight nine ten eleven twelve"], [ANSWER])

    result = relay.generate("?", max_thinking_tokens=8)

    assert first(SwitchReason.THINKING_BUDGET, result).role == "large"
    injected = first(SwitchReason.INJECTED, result)
    assert (injected.role, injected.model) == (None, None)
    assert "</think>" in injected.text
    assert result.answer == ANSWER
    assert result.notes


def test_max_tokens_ends_the_answer() -> None:
    relay, _ = scripted([START, END], [" it is 12. And", " word" * 200])

    result = relay.generate("?", max_tokens=60, loop_guard=False)

    assert result.ledger.entries[-1].reason is SwitchReason.MAX_TOKENS
    assert result.finish_reason is FinishReason.LENGTH
    assert result.ledger.tokens == 60


def test_a_full_context_of_the_small_model_leaves_the_rest_to_the_large() -> None:
    relay, engine = scripted(
        [START, f"{' and on it goes' * 8}. So, we are done, Now that all is known.\n</think>\n\n", ANSWER],
        [" it is 12. And", " it is 13. And"],
        large_context=500,
        small_context=60,
    )

    result = relay.generate("?", max_tokens=200)

    assert result.answer == ANSWER
    assert [str(run.author) for run in engine.runs] == ["large", "small", "large", "large"]
    assert all(run.max_tokens >= 1 for run in engine.runs)
    assert len([note for note in result.notes if "context" in note]) == 1


def test_a_stop_string_ends_the_answer_and_is_not_part_of_it() -> None:
    relay, _ = scripted([START, END], [" it is 12. And", "The answer is 12.\nObservation: none"])

    result = relay.generate("?", stop=["\nObservation"])

    assert result.ledger.entries[-1].reason is SwitchReason.STOP_STRING
    assert result.finish_reason is FinishReason.STOP_STRING
    assert result.answer == "The answer is 12."


@pytest.mark.parametrize("group", [1, 2, 7, 1000])
def test_the_size_of_the_chunks_changes_nothing(group: int) -> None:
    script: dict[str, Any] = {
        "large": [START, " So it stands. Therefore,", END],
        "small": [" it is 12. And", " we are done. Now", ANSWER],
    }
    one, many = (scripted(**script, group=size)[0].generate("?") for size in (1, group))

    facts = [[(e.role, e.phase, e.reason, e.cue, e.tokens, e.text) for e in r.ledger.entries] for r in (one, many)]
    assert facts[0] == facts[1]
    assert one.text == many.text
