"""Looking ahead of a run."""

from __future__ import annotations

import pytest

from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.probe import Probe
from relaygen_runtime.policy.steps import Text
from relaygen_runtime.vocabulary import Piece
from tests.policy.player import BARE_PROMPT, CLOSED_PROMPT, PROMPT, rules


@pytest.fixture
def machine() -> RelayMachine:
    begun = RelayMachine(rules("So,"), PROMPT)
    begun.ask()
    begun.feed([Piece("Hm.")])
    return begun


def pieces(*texts: str) -> list[Piece]:
    return [Piece(text) for text in texts]


def test_it_says_how_many_pieces_would_be_kept(machine: RelayMachine) -> None:
    assert machine.would_cut(pieces(" x", " So,", " y")) == 2


def test_it_says_none_where_nothing_would_be_cut(machine: RelayMachine) -> None:
    assert machine.would_cut(pieces(" x", " y")) is None


def test_it_leaves_the_run_as_it_was(machine: RelayMachine) -> None:
    machine.would_cut(pieces(" x</th", "ink>", " y"))
    step = machine.feed(pieces(" z"))
    assert (step.cut, [output.text for output in step.outputs if isinstance(output, Text)]) == (None, [" z"])


def test_other_drafts_start_anew(machine: RelayMachine) -> None:
    machine.would_cut(pieces(" x", " So,"))
    assert machine.would_cut(pieces(" x", " y")) is None


def test_fewer_drafts_start_anew(machine: RelayMachine) -> None:
    machine.would_cut(pieces(" x", " So,"))
    assert machine.would_cut(pieces(" x")) is None


def test_a_draft_that_was_tried_is_not_tried_again(machine: RelayMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    push = Probe.push

    def spy(probe: Probe, piece: Piece) -> bool:
        tried.append(piece.text)
        return push(probe, piece)

    monkeypatch.setattr(Probe, "push", spy)
    drafts = pieces(" a", " b", " c", " d")
    for number in range(1, 5):
        machine.would_cut(drafts[:number])
    assert tried == [" a", " b", " c", " d"]


def test_pushing_after_the_cut_changes_nothing(machine: RelayMachine) -> None:
    probe = machine.probe()
    assert [probe.push(piece) for piece in pieces(" So,", " x")] == [True, True]
    assert probe.kept == 1


def test_it_sees_the_end_of_a_small_model_s_sentence(machine: RelayMachine) -> None:
    machine.feed(pieces(" So,"))
    machine.ask()
    assert machine.would_cut(pieces(" x", " 5", "!", " ", "So")) == 3
    assert machine.would_cut(pieces("x")) is None


def test_it_sees_that_a_switch_would_be_taken_back() -> None:
    machine = RelayMachine(rules("Now"), PROMPT)
    machine.ask()
    machine.feed(pieces("Now"))
    machine.ask()
    assert machine.would_cut(pieces("adays", " x")) == 0


def test_it_sees_the_end_of_an_answer() -> None:
    machine = RelayMachine(rules(stop=("ab",)), CLOSED_PROMPT)
    machine.ask()
    assert machine.would_cut(pieces("x", "a", "b", "y")) == 3


def test_it_knows_nothing_beyond_the_opening() -> None:
    machine = RelayMachine(rules("So,"), BARE_PROMPT)
    machine.ask()
    probe = machine.probe()
    assert [probe.push(piece) for piece in pieces("<thi", "nk>", "So,")] == [False, False, False]
