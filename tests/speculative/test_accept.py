"""Greedy acceptance yields the target's tokens, sampled acceptance its distribution."""

from __future__ import annotations

import pytest
import torch

from relaygen_runtime.speculative import Verdict, accept_greedy, accept_sampled, draw
from tests.speculative.statistics import chi_square_p


def one_hot(*tokens: int, vocabulary: int = 5) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor(tokens), vocabulary).float()


@pytest.mark.parametrize(
    ("best", "draft", "expected"),
    [
        ([3], [], Verdict(0, 3)),
        ([1, 2], [1], Verdict(1, 2)),
        ([1, 2], [0], Verdict(0, 1)),
        ([1, 2, 3, 4], [1, 2, 3], Verdict(3, 4)),
        ([1, 2, 3, 4], [1, 0, 3], Verdict(1, 2)),
    ],
)
def test_greedy_drafts_stand_up_to_the_first_that_is_not_the_best(
    best: list[int], draft: list[int], expected: Verdict
) -> None:
    verdict = Verdict(*accept_greedy(one_hot(*best), torch.tensor(draft, dtype=torch.long)).tolist())
    assert verdict == expected


def test_a_sampled_draft_stands_with_probability_p_over_q() -> None:
    target, proposal = torch.tensor([[0.3, 0.7], [0.5, 0.5]]), torch.tensor([[0.6, 0.4]])
    draft = torch.tensor([0])
    for test, accepted in ((0.0, 1), (0.49, 1), (0.51, 0), (0.99, 0)):
        verdict = accept_sampled(target, proposal, draft, torch.tensor([test]), torch.tensor([0.1, 0.1]))
        assert int(verdict[0]) == accepted


def test_after_a_rejection_only_the_residual_is_drawn_from() -> None:
    target, proposal = torch.tensor([[0.3, 0.3, 0.4], [1.0, 0, 0]]), torch.tensor([[0.6, 0.1, 0.3]])
    for uniform, token in ((0.0, 1), (0.6, 1), (0.7, 2)):  # residual 0, 0.2, 0.1
        verdict = accept_sampled(target, proposal, torch.tensor([0]), torch.tensor([0.9]), torch.tensor([uniform, 0.0]))
        assert verdict.tolist() == [0, token]


def test_after_full_acceptance_the_target_is_drawn_from() -> None:
    target, proposal = torch.tensor([[1.0, 0, 0], [0, 0, 1.0]]), torch.tensor([[1.0, 0, 0]])
    verdict = accept_sampled(target, proposal, torch.tensor([0]), torch.tensor([0.99]), torch.tensor([0.5, 0.5]))
    assert verdict.tolist() == [1, 2]


def test_a_rejection_by_rounding_still_draws_a_possible_token() -> None:
    target = torch.tensor([[0.5, 0.5], [0.5, 0.5]])
    verdict = accept_sampled(target, target[:1] * 2, torch.tensor([0]), torch.tensor([0.99]), torch.tensor([0.7, 0]))
    assert verdict.tolist() == [0, 1]


@pytest.mark.parametrize("drafts", [0, 1, 3])
def test_what_comes_out_has_the_targets_distribution(drafts: int) -> None:
    torch.manual_seed(drafts)
    vocabulary, rounds = 6, 4000
    target = torch.rand(drafts + 1, vocabulary).pow(3)
    target[:, 2] = 0  # filtered away
    target /= target.sum(-1, keepdim=True)
    proposal = torch.rand(drafts, vocabulary).pow(3)
    proposal[:, 4] = 0
    proposal /= proposal.sum(-1, keepdim=True)
    counts = torch.zeros(drafts + 1, vocabulary)
    for _ in range(rounds):
        draft = draw(proposal, torch.rand(drafts))
        accepted, token = accept_sampled(target, proposal, draft, torch.rand(drafts), torch.rand(drafts + 1)).tolist()
        for place, chosen in enumerate([*draft[:accepted].tolist(), token]):
            counts[place, chosen] += 1
    for place in range(drafts + 1):
        assert chi_square_p(counts[place], target[place]) > 1e-4
