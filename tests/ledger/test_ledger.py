"""Totals, savings and costs, all derived from the entries."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from relaygen_runtime import (
    CountSource,
    GpuHourPrice,
    Ledger,
    LedgerEntry,
    Phase,
    Prices,
    Role,
    SwitchReason,
    TokenPrice,
)

LARGE, SMALL = Role.LARGE, Role.SMALL


def entry(role: Role | None, tokens: int, seconds: float = 1.0, **fields: Any) -> LedgerEntry:
    defaults: dict[str, Any] = {
        "index": 0,
        "role": role,
        "model": None if role is None else f"the {role} one",
        "phase": Phase.THINKING,
        "reason": SwitchReason.CUE,
        "cue": None,
        "tokens": tokens,
        "started_s": 0.0,
        "seconds": seconds,
        "generated_tokens": tokens,
        "drafted_tokens": 0,
        "accepted_tokens": 0,
        "prefilled_tokens": 0,
        "cached_tokens": 0,
    }
    return LedgerEntry(**{**defaults, **fields})


def ledger(*entries: LedgerEntry, **fields: Any) -> Ledger:
    return Ledger(entries=entries, **{"prompt_tokens": 10, "seconds": 4.0, **fields})


def test_tokens_add_up_over_models_and_injected_text() -> None:
    taken = ledger(entry(LARGE, 70), entry(SMALL, 20), entry(None, 3), entry(SMALL, 7, phase=Phase.ANSWER))

    assert taken.tokens == 100
    assert [taken.tokens_by(role) for role in (LARGE, SMALL, None)] == [70, 27, 3]
    assert (taken.tokens_in(Phase.THINKING), taken.tokens_in(Phase.ANSWER)) == (93, 7)
    assert taken.small_share == pytest.approx(0.27)


def test_seconds_are_those_of_each_models_segments() -> None:
    taken = ledger(entry(LARGE, 1, seconds=2.5), entry(SMALL, 1, seconds=0.5), entry(LARGE, 1, seconds=1.0))

    assert (taken.seconds_by(LARGE), taken.seconds_by(SMALL)) == (3.5, 0.5)


def test_an_empty_ledger_has_no_share_and_no_switch() -> None:
    assert (ledger().tokens, ledger().small_share, ledger().switches) == (0, 0.0, 0)


def test_a_switch_is_a_change_of_author_and_injected_text_is_none() -> None:
    taken = ledger(entry(LARGE, 1), entry(SMALL, 1), entry(None, 1), entry(SMALL, 1), entry(LARGE, 1))

    assert taken.switches == 2


def test_generated_tokens_count_what_was_dropped_too() -> None:
    taken = ledger(entry(LARGE, 10, generated_tokens=12), entry(SMALL, 5, generated_tokens=6))

    assert (taken.tokens, taken.generated_tokens) == (15, 18)


def test_one_unknown_count_makes_the_sum_unknown_not_smaller() -> None:
    taken = ledger(entry(LARGE, 10), entry(SMALL, 5, generated_tokens=None, drafted_tokens=None, accepted_tokens=None))

    assert taken.generated_tokens is None
    assert taken.drafted_tokens is None
    assert taken.accepted_tokens is None
    assert taken.acceptance is None


def test_injected_text_has_no_counts_and_spoils_no_sum() -> None:
    taken = ledger(entry(LARGE, 10), entry(None, 3, generated_tokens=None, drafted_tokens=None))

    assert (taken.generated_tokens, taken.drafted_tokens) == (10, 0)


def test_acceptance_is_accepted_over_drafted_and_unknown_without_drafts() -> None:
    assert ledger(entry(LARGE, 9, drafted_tokens=8, accepted_tokens=6)).acceptance == 0.75
    assert ledger(entry(LARGE, 9)).acceptance is None
    assert ledger(entry(LARGE, 9, drafted_tokens=8, accepted_tokens=None)).acceptance is None


def test_the_saving_is_against_the_large_model_writing_the_same_tokens() -> None:
    taken = ledger(entry(LARGE, 60), entry(SMALL, 40), large_s_per_token=0.1, baseline_overhead_s=2.0)

    assert taken.estimated_large_alone_s == pytest.approx(12.0)
    assert taken.estimated_speedup == pytest.approx(3.0)
    assert taken.estimated_saved_s == pytest.approx(8.0)


def test_without_a_measured_speed_nothing_is_estimated() -> None:
    taken = ledger(entry(LARGE, 60))

    assert taken.estimated_large_alone_s is None
    assert taken.estimated_speedup is None
    assert taken.estimated_saved_s is None


def test_a_generation_that_took_no_time_has_no_speedup() -> None:
    assert ledger(entry(LARGE, 1), seconds=0.0, large_s_per_token=0.1).estimated_speedup is None


def test_the_cost_sums_the_models_that_wrote() -> None:
    prices = Prices(large=TokenPrice(input=1.0, output=10.0), small=GpuHourPrice(3600.0))
    taken = ledger(
        entry(LARGE, 100, generated_tokens=110, prefilled_tokens=1000), entry(SMALL, 50, seconds=0.25), prices=prices
    )

    assert taken.cost == pytest.approx((1000 * 1.0 + 110 * 10.0) / 1e6 + 0.25)


@pytest.mark.parametrize("unknown", ["prefilled_tokens", "cached_tokens", "generated_tokens"])
def test_a_missing_price_or_count_makes_the_cost_unknown_not_zero(unknown: str) -> None:
    both = Prices(large=TokenPrice(1, 1), small=TokenPrice(1, 1))

    assert ledger(entry(LARGE, 1), entry(SMALL, 1), prices=Prices(large=TokenPrice(1, 1))).cost is None
    missing: dict[str, Any] = {unknown: None}
    assert ledger(entry(LARGE, 1, **missing), entry(SMALL, 1), prices=both).cost is None


def test_a_model_that_wrote_nothing_needs_no_price() -> None:
    assert ledger(entry(LARGE, 1, prefilled_tokens=0), prices=Prices(large=TokenPrice(0, 1))).cost == pytest.approx(
        1e-6
    )


def test_the_large_alone_reads_the_prompt_once_and_writes_every_token() -> None:
    prices = Prices(large=TokenPrice(input=1.0, output=10.0))
    taken = ledger(entry(LARGE, 60), entry(SMALL, 40), prices=prices, prompt_tokens=500, large_s_per_token=0.1)

    assert taken.estimated_large_alone_cost == pytest.approx((500 + 1000) / 1e6)


@pytest.mark.parametrize("missing", [{"prices": Prices()}, {"prompt_tokens": None}, {"large_s_per_token": None}])
def test_the_large_alone_has_no_cost_where_a_part_of_it_is_unknown(missing: dict[str, Any]) -> None:
    known = {"prices": Prices(large=TokenPrice(1, 1)), "prompt_tokens": 5, "large_s_per_token": 0.1}

    assert ledger(entry(LARGE, 1), **{**known, **missing}).estimated_large_alone_cost is None


def test_the_summary_is_json_and_says_none_where_nothing_is_known() -> None:
    summary = ledger(entry(LARGE, 6), entry(SMALL, 4), prompt_tokens=None).summary()

    assert json.loads(json.dumps(summary)) == summary
    assert summary["tokens"] == 10
    assert summary["small_tokens"] == 4
    assert summary["prompt_tokens"] is None
    assert summary["cost"] is None


def test_entries_and_ledgers_cannot_be_changed() -> None:
    line = entry(LARGE, 1)

    assert line.source is CountSource.ENGINE
    with pytest.raises(dataclasses.FrozenInstanceError):
        line.tokens = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        ledger(line).seconds = 0.0  # type: ignore[misc]
