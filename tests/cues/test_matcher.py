"""Finding strings in text that arrives bit by bit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from relaygen_runtime.cues.matcher import Automaton, CueMatcher, automaton

PATTERNS = st.lists(st.text("ab ", min_size=1, max_size=4), min_size=1, max_size=5)


@given(PATTERNS, st.text("ab c", max_size=40))
def test_it_finds_every_end_of_every_pattern(patterns: list[str], text: str) -> None:
    matcher = CueMatcher(Automaton(patterns), whole_words=False)
    expected = {
        end: max((pattern for pattern in patterns if text[:end].endswith(pattern)), key=len, default=None)
        for end in range(1, len(text) + 1)
    }
    assert dict(matcher.push(text, lambda _: "") or []) == {end: cue for end, cue in expected.items() if cue}


@given(PATTERNS, st.text("ab c", max_size=40), st.integers(0, 40))
def test_two_parts_are_read_like_one(patterns: list[str], text: str, at: int) -> None:
    whole = CueMatcher(Automaton(patterns), whole_words=False)
    parts = CueMatcher(Automaton(patterns), whole_words=False)
    found = list(parts.push(text[:at], lambda _: "") or [])
    found += [(at + offset, cue) for offset, cue in parts.fork().push(text[at:], lambda _: "") or []]
    assert found == (whole.push(text, lambda _: "") or [])


@given(PATTERNS, st.text("ab c", max_size=20))
def test_the_depth_is_the_longest_end_that_may_become_a_pattern(patterns: list[str], text: str) -> None:
    machine = Automaton(patterns)
    state = 0
    for character in text:
        state = machine.moves[state].get(character, 0)
    beginnings = {pattern[:size] for pattern in patterns for size in range(len(pattern) + 1)}
    assert machine.depth[state] == max(size for size in range(len(text) + 1) if text[len(text) - size :] in beginnings)


def test_finding_stops_at_the_first_end() -> None:
    machine = Automaton(["ab", "b"])
    assert machine.find(0, "xabab")[1:] == (3, "ab")
    assert machine.find(0, "xa")[1:] == (-1, "")


def test_the_same_patterns_are_built_once() -> None:
    assert automaton(("a", "b")) is automaton(("a", "b"))


def test_the_first_characters_are_those_that_begin_patterns() -> None:
    assert Automaton(["ab", "b"]).first_characters == {"a", "b"}


def find(text: str, *cues: str, behind: str = "") -> list[tuple[int, str]] | None:
    return CueMatcher(Automaton(cues), whole_words=True).push(text, lambda n: behind[-n:])


def test_a_cue_with_a_letter_before_it_in_the_same_token_is_none() -> None:
    assert find("know it", "now") is None


def test_a_cue_with_a_letter_after_it_is_none() -> None:
    assert find("Nowadays", "Now") is None


def test_a_cue_at_the_end_of_the_text_counts() -> None:
    assert find("k. Now", "Now") == [(6, "Now")]


def test_a_cue_at_the_beginning_is_judged_by_what_stands_behind_it() -> None:
    assert find("now", "now", behind="xk") is None
    assert find("now", "now", behind="x ") == [(3, "now")]
    assert find("now", "now") == [(3, "now")]


def test_a_cue_that_began_before_the_text_is_judged_by_what_stands_before_its_beginning() -> None:
    for before, found in (("k", None), (" ", [(2, "now")]), ("", [(2, "now")])):
        matcher = CueMatcher(Automaton(["now"]), whole_words=True)
        matcher.push(f"{before}n", lambda _: "")
        behind = f"{before}n"
        assert matcher.push("ow", lambda n, behind=behind: behind[-n:]) == found  # type: ignore[misc]


def test_a_shorter_cue_stands_in_where_the_longer_one_is_inside_a_word() -> None:
    assert find("sand so,", "nd so,", "so,") == [(8, "so,")]


def test_a_cue_that_ends_in_a_sign_may_be_followed_by_anything() -> None:
    assert find("So,x", "So,") == [(3, "So,")]
