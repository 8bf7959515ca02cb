"""A draw is a function of its distribution and its noise."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from relaygen_runtime.speculative import draw


def test_the_numbers_fall_into_the_intervals_of_the_cumulative_distribution() -> None:
    weights = torch.tensor([0.0, 0.25, 0.0, 0.5, 0.25, 0.0]).repeat(6, 1)
    uniforms = torch.tensor([0.0, 0.2499, 0.25, 0.7499, 0.75, 0.9999999])
    assert draw(weights, uniforms).tolist() == [1, 1, 3, 3, 4, 4]


def test_weights_need_no_normalising() -> None:
    weights = torch.tensor([[1.0, 3.0]])
    assert draw(weights, torch.tensor([0.2])).tolist() == [0]
    assert draw(weights * 1e-6, torch.tensor([0.3])).tolist() == [1]


@given(
    st.lists(st.sampled_from([0.0, 1e-30, 1e-9, 0.1, 1.0, 7.0]), min_size=1, max_size=30).filter(any),
    st.floats(0, 1),
)
def test_nothing_without_weight_is_ever_drawn(weights: list[float], uniform: float) -> None:
    drawn = int(draw(torch.tensor([weights]), torch.tensor([uniform])))
    assert weights[drawn] > 0
