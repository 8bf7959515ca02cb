"""What forced models say: the trace, with seeded errors of the small one."""

from __future__ import annotations

from collections.abc import Collection

import pytest
import torch

from benchmarks.forced.script import Agreement, Script, certain_script, doubtful_script

TRACE = list(range(100, 2100))
WORDS = (100, 5, 6, 7)
PROMPT = 10
END = 3


def script(rate: float = 0.8, certain: Collection[int] = (), **more: float) -> Script:
    agreement = Agreement(rate, **more)  # type: ignore[arg-type]  # fractions only
    return doubtful_script(PROMPT, TRACE, end=END, words=WORDS, agreement=agreement, certain=certain)


def preferred(made: Script) -> list[int]:
    return [row[0] for row in made.ids[PROMPT - 1 :]]


def wrong(made: Script) -> set[int]:
    return {place for place, (got, right) in enumerate(zip(preferred(made), TRACE, strict=False)) if got != right}


def test_the_last_prompt_position_says_the_first_token_and_the_last_token_the_end() -> None:
    made = certain_script(PROMPT, TRACE, end=END, words=WORDS)
    assert preferred(made) == [*TRACE, END]
    assert made.forced == [False] * (PROMPT - 1) + [True] * (len(TRACE) + 1)


@pytest.mark.parametrize("rate", [0.6, 0.8, 0.9])
def test_the_small_model_disagrees_as_often_as_it_is_told(rate: float) -> None:
    assert 1 - len(wrong(script(rate))) / len(TRACE) == pytest.approx(rate, abs=0.03)


def test_the_same_seed_disagrees_at_the_same_places_and_another_elsewhere() -> None:
    assert wrong(script()) == wrong(script())
    assert wrong(script()) != wrong(script(seed=1))


def test_a_higher_rate_disagrees_at_a_part_of_the_places() -> None:
    assert wrong(script(0.9)) < wrong(script(0.6))


def test_where_it_disagrees_the_right_token_is_its_second_choice_and_its_first_a_word() -> None:
    made = script()
    for place in wrong(made):
        first, second = made.ids[PROMPT - 1 + place]
        assert first in WORDS
        assert second == TRACE[place]


def test_it_neither_errs_nor_doubts_where_it_is_an_author() -> None:
    made = script(0.0, certain=range(50, 60))
    assert wrong(made) == set(range(len(TRACE))) - set(range(50, 60))
    top, other = made.values[PROMPT - 1 + 55]
    assert top - other > 10


def confidences(made: Script, places: Collection[int]) -> list[float]:
    rows = [made.values[PROMPT - 1 + place] for place in places]
    return [float(torch.tensor(row).softmax(0)[0]) for row in rows]


def test_it_is_unsure_at_most_of_its_errors_and_few_of_the_others() -> None:
    made = script()
    errors = wrong(made)
    unsure = [c < 0.7 for c in confidences(made, errors)]
    assert sum(unsure) / len(unsure) == pytest.approx(0.75, abs=0.08)
    unsure = [c < 0.7 for c in confidences(made, set(range(len(TRACE))) - errors)]
    assert sum(unsure) / len(unsure) == pytest.approx(0.05, abs=0.02)


def test_no_row_has_one_token_twice_and_all_logits_are_exact_in_bfloat16() -> None:
    made = script()
    assert all(first != second for first, second in made.ids[PROMPT - 1 :])
    values = torch.tensor(made.values)
    assert torch.equal(values.bfloat16().float(), values)
