"""However the tokens arrive, the same switches fall at the same places and the same text comes out."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.steps import Closed, Done, Inject, Opened, Text, ThinkingEnded
from relaygen_runtime.vocabulary import Phase, Piece, Stop
from tests.policy.player import BARE_PROMPT, CLOSED_PROMPT, PROMPT, Played, Player, Split, play, rules
from tests.policy.traces import needs_traces, qwen_rules, tokens, traces

FRAGMENTS = [
    *("So,", "So ", " So", ",", " now", "Now", "adays", "know", " Therefore,", "There", "fore", "and so,", "因此，"),
    *(".", "!", "?", "...", "。", " ", "\n", "\n\n", ". ", "5", "!", " =", "e.g", "Fig", "1. ", "“", ")", "**"),
    *("$", "$5", "\\(", "\\)", "`", "```", "\n```\n", "<tool_call>", "</tool_call>", "<", "</", "think>", "</think>"),
    *("</think>Two", "ink>x", "<think>x</think>y", "</think>\n\n", " ok</think> 2"),
    *("<think>", "x", " word", "Word", "是", "STOP", "ST", "OP", ""),
]
CUES = ("So,", "So ", "now", "Now", "Now,", "Therefore,", "so,", "and so,", "因此，")
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=60)
LIMITS = st.tuples(st.sampled_from(["word", "substring"]), st.integers(0, 5), st.integers(1, 70))
CONSTRAINTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"constrained": True}, {"tool_tags": ("<tool_call>", "</tool_call>")}]
)
PROMPTS = st.sampled_from([PROMPT, BARE_PROMPT, CLOSED_PROMPT])


def told(played: Played) -> tuple[object, ...]:
    """What was told, however finely."""
    texts: dict[tuple[int, Phase, bool], str] = {}
    for output in played.outputs:
        if isinstance(output, Text):
            key = (output.segment, output.phase, output.markup)
            texts[key] = texts.get(key, "") + output.text
    others = [output for output in played.outputs if isinstance(output, Opened | Closed | ThinkingEnded)]
    return texts, others, played.done, played.notes


def in_groups(seed: int) -> Callable[[], int]:
    sizes = random.Random(seed)
    return lambda: sizes.choice((1, 1, 2, 3, 7, 30))


@settings(max_examples=300, deadline=None)
@given(TEXTS, PROMPTS, st.integers(0, 99), LIMITS, CONSTRAINTS)
def test_any_grouping_of_any_tokens_tells_the_same(
    pieces: list[str], prompt: str, seed: int, limits: tuple[str, int, int], constraint: dict[str, Any]
) -> None:
    match, least, most = limits

    def run(groups: Callable[[], int]) -> Played:
        with_rules = rules(
            *CUES,
            match=match,
            min_large_tokens=least,
            max_tokens=most,
            max_thinking_tokens=most * 3 // 4,
            stop=("STOP",),
            **constraint,
        )
        player = Player(
            RelayMachine(with_rules, prompt), trace="".join(pieces), split=lambda text: _as(pieces, text), groups=groups
        )
        return player.play()

    one_by_one = run(lambda: 1)
    assert told(run(in_groups(seed))) == told(one_by_one)
    assert told(run(lambda: 1000)) == told(one_by_one)
    assert one_by_one.tokens <= most


def _as(pieces: list[str], text: str) -> list[str]:
    return list(pieces) if text == "".join(pieces) else [text]


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(0, 99))
def test_text_of_unknown_tokens_is_read_character_by_character(fragments: list[str], seed: int) -> None:
    def run(groups: Callable[[], int]) -> Played:
        machine = RelayMachine(rules(*CUES, min_large_tokens=2, max_small_tokens=9), PROMPT)
        return Player(machine, trace="".join(fragments), split=list, tokens=0, groups=groups).play()

    assert told(run(in_groups(seed))) == told(run(lambda: 1))


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6), PROMPTS, CONSTRAINTS)
def test_the_texts_told_are_the_pieces_kept(
    large: list[list[str]], small: list[list[str]], prompt: str, constraint: dict[str, Any]
) -> None:
    limits = rules(*CUES, max_tokens=90, max_thinking_tokens=70, **constraint)
    kept = _drive(RelayMachine(limits, prompt), large, small)
    assert kept[0] == kept[1]


def _drive(machine: RelayMachine, large: list[list[str]], small: list[list[str]]) -> tuple[str, str]:
    """Play with plain lists of pieces, rolling back as a driver does; returns what was kept and what was told."""
    sequence: list[str] = []
    told_texts: list[str] = []
    scripts = {"large": iter(large), "small": iter(small)}
    while not isinstance(ask := machine.ask(), Done):
        if isinstance(ask, Inject):
            sequence.append(ask.text)
            step = machine.injected([Piece(ask.text)])
        else:
            pieces = [Piece(text) for text in next(scripts[ask.author.value], [])][: ask.max_tokens]
            sequence += [piece.text for piece in pieces]
            step = machine.feed(pieces)
            if step.cut is None:
                told_texts += [output.text for output in step.outputs if isinstance(output, Text)]
                step = machine.stopped(Stop.EOS)
        told_texts += [output.text for output in step.outputs if isinstance(output, Text)]
        if step.cut is not None and step.cut.drop:
            del sequence[-step.cut.drop :]
    return "".join(sequence), "".join(told_texts)


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, max_size=8), st.lists(TEXTS, max_size=8), PROMPTS)
def test_every_segment_makes_progress(large: list[list[str]], small: list[list[str]], prompt: str) -> None:
    played = play(rules(*CUES), ["".join(text) for text in large], ["".join(text) for text in small], prompt=prompt)
    assert all(segment.text and segment.tokens for segment in played.segments)
    assert len(played.writes) <= 4 * (len(large) + len(small)) + 3 * played.tokens + 5


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from([PROMPT, CLOSED_PROMPT]), st.integers(0, 8), st.integers(1, 40), CONSTRAINTS)
def test_looking_ahead_tells_what_feeding_does(
    pieces: list[str], prompt: str, ahead: int, most: int, constraint: dict[str, Any]
) -> None:
    limits = rules(*CUES, max_tokens=most, max_thinking_tokens=most, max_small_tokens=6, stop=("STOP",), **constraint)
    machine = RelayMachine(limits, prompt)
    rest = [Piece(text) for text in pieces]
    while rest and not isinstance(machine.ask(), Done | Inject):
        drafts = rest[: ahead + 1]
        grown = [machine.would_cut(drafts[: number + 1]) for number in range(len(drafts))]
        assert machine.would_cut(drafts) == grown[-1]
        step = machine.feed(drafts)
        kept = None if step.cut is None else max(0, len(drafts) - step.cut.drop)
        assert grown[-1] == kept
        del rest[: len(drafts)]


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, max_size=6), CONSTRAINTS)
def test_a_held_answer_begins_right_after_the_closing_tag(turns: list[list[str]], constraint: dict[str, Any]) -> None:
    machine = RelayMachine(rules(*CUES, **constraint), PROMPT)
    sequence: list[str] = []
    script = iter(turns)
    while not isinstance(ask := machine.ask(), Done):
        if isinstance(ask, Inject):
            sequence.append(ask.text)
            machine.injected([Piece(ask.text)])
        elif ask.phase is Phase.ANSWER:
            rest = "".join(sequence).rpartition("</think>")[2]
            assert not constraint or not rest.strip()
            return
        else:
            pieces = next(script, [])
            sequence += pieces
            step = machine.feed([Piece(text) for text in pieces])
            cut = step.cut or machine.stopped(Stop.EOS).cut
            if cut is not None and cut.drop:
                del sequence[-cut.drop :]


@needs_traces
class TestRealTraces:
    @pytest.mark.parametrize("number", range(15))
    def test_the_joined_text_is_the_trace(self, number: int) -> None:
        played = Player(RelayMachine(qwen_rules(), PROMPT), trace=traces()[number], split=tokens).play()
        assert played.text == traces()[number]

    @pytest.mark.parametrize("number", range(15))
    def test_nothing_of_the_answer_is_in_the_thinking(self, number: int) -> None:
        thinking, answer = traces()[number].split("</think>")
        played = Player(RelayMachine(qwen_rules(), PROMPT), trace=traces()[number], split=tokens).play()
        assert (played.thinking, played.answer) == (thinking.lstrip(), answer.lstrip())

    @pytest.mark.parametrize("number", range(15))
    def test_no_loop_is_suspected(self, number: int) -> None:
        for prompt in (PROMPT, CLOSED_PROMPT):
            played = Player(RelayMachine(qwen_rules(), prompt), trace=traces()[number], split=tokens).play()
            assert "loop" not in played.reasons

    @pytest.mark.parametrize("number", range(15))
    def test_no_switch_stands_inside_a_word(self, number: int) -> None:
        played = Player(RelayMachine(qwen_rules(), PROMPT), trace=traces()[number], split=tokens).play()
        ends = [segment.text for segment in played.segments]
        assert not [pair for pair in pairwise(ends) if pair[0][-1].isalnum() and pair[1][0].isalnum()]

    @settings(max_examples=40, deadline=None)
    @given(st.data())
    def test_any_grouping_of_any_slice_tells_the_same(self, data: st.DataObject) -> None:
        trace = data.draw(st.sampled_from(traces()))
        start = data.draw(st.integers(0, len(trace) - 1))
        text = trace[start : start + 1500]
        split: Split = tokens if data.draw(st.booleans()) else list
        seed = data.draw(st.integers(0, 99))

        def run(groups: Callable[[], int]) -> Played:
            return Player(RelayMachine(qwen_rules(), PROMPT), trace=text, split=split, groups=groups).play()

        one_by_one = told(run(lambda: 1))
        assert told(run(in_groups(seed))) == one_by_one
        assert told(run(lambda: 10_000)) == one_by_one
