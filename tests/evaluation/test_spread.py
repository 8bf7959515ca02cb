"""A figure is the statistic of all rows; its interval covers it and shrinks as rows agree."""

from __future__ import annotations

import pytest

from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.evaluation.spread import bootstrap


def mean(rows: object) -> float:
    values = [row[0] for row in rows]  # type: ignore[attr-defined]
    return float(sum(values) / len(values))


def test_the_value_is_the_statistic_of_all_rows() -> None:
    assert bootstrap([(1.0,), (2.0,), (6.0,)], mean).value == 3.0


def test_the_interval_covers_the_value() -> None:
    figure = bootstrap([(float(i % 7),) for i in range(100)], mean)
    assert figure.low < figure.value < figure.high


def test_rows_that_agree_leave_no_spread() -> None:
    figure = bootstrap([(2.0,)] * 5, mean)
    assert (figure.low, figure.high) == (2.0, 2.0)


def test_the_same_rows_give_the_same_interval() -> None:
    rows = [(float(i),) for i in range(20)]
    assert bootstrap(rows, mean) == bootstrap(rows, mean)


def test_the_interval_of_a_proportion_is_near_the_textbook_one() -> None:
    # 95% of 400 right: standard error sqrt(0.95 * 0.05 / 400) = 0.0109, so about 0.929 to 0.971.
    figure = bootstrap([(float(i >= 20),) for i in range(400)], mean)
    assert figure.low == pytest.approx(0.929, abs=0.006)
    assert figure.high == pytest.approx(0.971, abs=0.006)


def test_no_rows_is_an_error_that_says_so() -> None:
    with pytest.raises(ConfigurationError, match="nothing was measured"):
        bootstrap([], mean)
