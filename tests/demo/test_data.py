"""The training conversations: deterministic, right, and blind to the held-out operands."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from relaygen_runtime.demo.data import arithmetic, operands
from relaygen_runtime.demo.data.conversation import (
    EASY_CLOSES,
    EASY_OPENS,
    SLIP_OPENS,
    Conversation,
    unmarked,
)
from relaygen_runtime.demo.data.mixture import conversation, long_conversation
from relaygen_runtime.demo.data.problems import grade, heldout_problems
from relaygen_runtime.demo.encoding import encode
from relaygen_runtime.demo.pair import pair_paths
from relaygen_runtime.demo.rendering import render
from relaygen_runtime.demo.tokenizer import read_tokenizer

_PRODUCT = re.compile(r"(\d+) (?:\*|x|times|×) (\d+)")
_CUES = ("So", "Now", "Next", "Therefore", "Thus", "Hence", "Wait")
_EASY = re.compile(f"(\\w+),{EASY_OPENS}(.*?){EASY_CLOSES}", re.DOTALL)


def _text(talk: Conversation) -> str:
    return unmarked(render(talk.messages, talk.tools))


def _expression_value(expression: str) -> int:
    numbers = [[int(n) for n in term.split(" * ")] for term in re.split(r" [+-] ", expression)]
    signs = [1] + [1 if sign == "+" else -1 for sign in re.findall(r" ([+-]) ", expression)]
    total = 0
    for sign, factors in zip(signs, numbers, strict=True):
        value = 1
        for factor in factors:
            value *= factor
        total += sign * value
    return total


def _thinkings() -> list[str]:
    messages = [message for index in range(1500) for message in conversation(5, index).messages]
    return [message["reasoning_content"] for message in messages if message.get("reasoning_content")]


def test_the_stream_is_a_function_of_seed_and_index() -> None:
    assert [conversation(3, i) for i in range(60)] == [conversation(3, i) for i in range(60)]
    assert [long_conversation(3, i) for i in range(10)] == [long_conversation(3, i) for i in range(10)]
    assert [conversation(3, i) for i in range(60)] != [conversation(4, i) for i in range(60)]


def test_no_held_out_product_is_ever_in_training() -> None:
    drawn = [conversation(1, i) for i in range(6000)] + [long_conversation(1, i) for i in range(300)]
    seen = 0
    for talk in drawn:
        for left, right in _PRODUCT.findall(_text(talk)):
            if int(right) % 10 and int(left) % 10 and int(left) > 11 and int(right) > 11:
                seen += 1
                assert not operands.is_held_out(int(left), int(right))
    assert seen > 3000


def test_no_held_out_multiplication_is_in_a_tool_call() -> None:
    seen = 0
    for index in range(3000):
        talk = conversation(1, index)
        if not talk.kind.startswith("calculator"):
            continue
        notes = {tool["function"]["name"]: tool["function"].get("description", "") for tool in talk.tools}
        for message in talk.messages:
            for call in message.get("tool_calls", ()):
                pair = re.findall(r'": (\d+)', json.dumps(call["function"]["arguments"]).replace("\\", ""))
                if re.search(r"[Mm]ultipl|product|a \* b", notes[call["function"]["name"]]) and len(pair) == 2:
                    seen += 1
                    assert not operands.is_held_out(int(pair[0]), int(pair[1]))
    assert seen > 100


@pytest.mark.parametrize("templates", ["seen", "unseen"])
def test_problems_use_held_out_operands_only(templates: str) -> None:
    for problem in heldout_problems(200, 0, "seen" if templates == "seen" else "unseen"):
        thinking = unmarked(problem.solution.messages[-1]["reasoning_content"])
        begun = re.findall(r"(?:product|value of|sum of) (\d+) (?:\*|and) (\d+)|, (\d+) and (\d+) are", thinking)
        pairs = [tuple(int(n) for n in groups if n) for groups in begun]
        if problem.kind != "follow_up":
            assert pairs
            assert operands.is_held_out(*pairs[0])


def test_problems_of_two_numbers_use_held_out_operands_only() -> None:
    for problem in heldout_problems(200, 0, "plain"):
        opening = unmarked(problem.solution.messages[-1]["reasoning_content"])
        left, right = re.findall(r"(\d+) [*+-] (\d+)", opening)[0]
        assert operands.is_held_out(int(left), int(right))


def test_about_a_tenth_of_the_pairs_is_held_out() -> None:
    pairs = [(a, b) for a in range(12, 100) for b in range(a, 100)]
    share = sum(operands.is_held_out(*pair) for pair in pairs) / len(pairs)
    assert 0.08 < share < 0.12
    assert operands.is_held_out(47, 36) is operands.is_held_out(36, 47)


@pytest.mark.parametrize("kind", arithmetic.KINDS)
def test_gold_answers_are_right(kind: str) -> None:
    for seed in range(150):
        worked = arithmetic.worked(Random(seed), kind, held_out=bool(seed % 2))
        assert worked.gold == _expression_value(worked.expression)
        assert worked.gold > 0
        assert grade(f"<think>\n{worked.thinking}\n</think>\n\n{worked.answer}", worked.gold)


@pytest.mark.parametrize("kind", arithmetic.KINDS)
def test_every_equation_of_a_trace_is_true_but_the_marked_slips(kind: str) -> None:
    for seed in range(150):
        thinking = arithmetic.worked(Random(seed), kind).thinking
        for left, sign, right, slip, value in re.findall(
            f"(?<![*+-] )\\b(\\d+) ([*+-]) (\\d+) = ({SLIP_OPENS}?)(\\d+)", thinking
        ):
            true = _expression_value(f"{left} {sign} {right}")
            assert (int(value) == true) is not bool(slip) or "Going back" in thinking


def test_some_traces_hold_a_slip_and_all_of_these_mend_it() -> None:
    slipped = [t for t in _thinkings() if SLIP_OPENS in t]
    assert len(slipped) > 50
    for thinking in slipped:
        assert "which is wrong" in thinking
        assert "Done afresh" in thinking


def test_easy_sentences_follow_a_cue_end_with_a_stop_and_hold_no_other_end() -> None:
    count = 0
    for thinking in _thinkings():
        for word, sentence in _EASY.findall(thinking):
            count += 1
            assert word in _CUES
            assert sentence.endswith(".")
            assert not re.search(r"[.!?]\s", sentence)
        assert not re.search(f"{EASY_CLOSES}[^\\s]", thinking)
    assert count > 2000


def test_easy_sentences_only_copy_numbers() -> None:
    count = 0
    for index in range(1500):
        text = render(conversation(5, index).messages)
        for match in _EASY.finditer(text):
            for number in re.findall(r"\d+", match.group(2)):
                count += 1
                assert re.search(rf"(?<!\d){number}(?!\d)", unmarked(text[: match.start()]))
    assert count > 2000


def test_six_tokens_of_hard_text_part_two_easy_sentences() -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    for thinking in _thinkings():
        for between in re.findall(f"(?:^|{EASY_CLOSES})([^{EASY_OPENS}]*){EASY_OPENS}", thinking):
            hard = re.sub(r"\s*\w+,$", "", unmarked(between))
            assert len(tokenizer.encode(hard).ids) >= 6, between


def test_the_small_model_is_given_more_than_a_third_of_a_trace() -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    easy = learnt = 0
    for problem in heldout_problems(150, 1):
        encoded = encode(tokenizer, problem.solution)
        learnt += sum(encoded.learnt)
        easy += sum(e and m for e, m in zip(encoded.easy, encoded.learnt, strict=True))
    assert 0.36 < easy / learnt < 0.48


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("<think>\n1 + 1\n</think>\n\nThe answer is 1,534.", True),
        ("There are 1534 apples, because 30 * 50 + 34 = 1534.", True),
        ("<think>\nThe answer is 1534", False),
        ("The answer is 1534 and not 12.", False),
        ("No number.", False),
        ("<think>\n1534\n</think>\n\nI do not know.", False),
    ],
)
def test_the_last_number_of_the_answer_decides(text: str, right: bool) -> None:
    assert grade(text, 1534) is right
