"""What a price makes of counts and seconds."""

from __future__ import annotations

import pytest

from relaygen_runtime import ConfigurationError, GpuHourPrice, Prices, Role, TokenPrice


def test_token_price_charges_read_cached_and_written_tokens_apart() -> None:
    price = TokenPrice(input=2.0, output=6.0, cached_input=0.5)

    assert price.cost(read=1_000_000, cached=2_000_000, written=500_000, seconds=99.0) == pytest.approx(2.0 + 1.0 + 3.0)


def test_cached_tokens_cost_what_read_ones_do_where_no_other_price_is_given() -> None:
    assert TokenPrice(input=2.0, output=0.0).cost(read=0, cached=500_000, written=0, seconds=0) == pytest.approx(1.0)


def test_gpu_hours_are_charged_by_the_second_and_tokens_play_no_part() -> None:
    assert GpuHourPrice(3.6).cost(read=10**9, cached=10**9, written=10**9, seconds=1000) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (lambda: TokenPrice(input=-1, output=0), "price.input"),
        (lambda: TokenPrice(input=0, output=-1), "price.output"),
        (lambda: TokenPrice(input=0, output=0, cached_input=-1), "price.cached_input"),
        (lambda: GpuHourPrice(-0.1), "price.dollars_per_hour"),
    ],
)
def test_a_negative_price_is_refused_by_name(build: object, named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        build()  # type: ignore[operator]


def test_each_role_has_its_own_price_and_none_is_unknown() -> None:
    prices = Prices(large=GpuHourPrice(4.0))

    assert prices.of(Role.LARGE) == GpuHourPrice(4.0)
    assert prices.of(Role.SMALL) is None
