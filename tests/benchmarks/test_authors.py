"""A dry run of the policy finds the small model's tokens."""

from __future__ import annotations

import pytest

from benchmarks.forced.authors import authors_of
from benchmarks.forced.scenario import options_for
from relaygen_runtime.engines.scripted import split_words
from relaygen_runtime.vocabulary import Role

TEXT = "<think>\nOkay, this is hard to see. Therefore, it is two. That was easy enough to see.</think>\n\nTwo."


def test_the_sentence_after_a_cue_is_the_small_models_and_so_is_its_look_ahead() -> None:
    pieces = split_words(TEXT)
    found = authors_of(pieces, "qwen3", **options_for(100))
    written = [piece for place, piece in enumerate(pieces) if place in found.small]
    assert "".join(written).startswith(", it is two. That") or "".join(written).startswith(" it is two. That")
    assert found.ledger.tokens == len(pieces)
    assert len(found.small) > found.ledger.tokens_by(Role.SMALL)


def test_a_switch_that_is_taken_back_counts_as_the_small_models_look_ahead() -> None:
    pieces = ["<think>", "We", " go", " on", " and", " on", " Now", "here", " to", " be", " seen", ".", "</think>", "A"]
    found = authors_of(pieces, "qwen3", **options_for(100))
    assert pieces.index("here") in found.small
    assert pieces.index(" be") not in found.small


def test_a_text_that_would_be_closed_by_force_is_refused() -> None:
    with pytest.raises(RuntimeError, match="nothing may be injected"):
        authors_of(split_words(TEXT), "qwen3", max_tokens=20, max_thinking_tokens=8)
