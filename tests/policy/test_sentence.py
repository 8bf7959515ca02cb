"""Where a small segment's sentence ends."""

from __future__ import annotations

import pytest

from relaygen_runtime.policy.sentence import SentenceEnds
from relaygen_runtime.vocabulary import SwitchReason
from tests.policy.player import Split, given, play, rules, words

GOES_ON = [
    "So the ratio is 3.14 so far",
    " take e.g. 5 of them",
    " that is, i.e. The rest",
    " see Fig. 2 there",
    " by Eq. 3 it holds",
    " A vs. B is close",
    " ask Mr. Smith for it",
    " see No. 5 in it",
    " on p. 12 of it",
    " x, y, etc. are small",
    " by Smith et al. we know",
    " it is 5 p.m. there",
    " 1. First do this",
    "\n1. First do this",
    ":\n- 12. Then do that",
    " this; 2. that",
    " two ways: 1. this",
    "\na. First do this",
    "\n**3. Then** do that",
    " 5! = 120 and",
    " 5!! = 15 and",
    " n! / k! ways",
    " (n - 1)! * 2 ways",
    " 5! is large",
    " a.b(c) is called",
    " https://x.y/z is it",
    " is x?y odd",
    " $x = 1.5. y$ holds",
    " \\(a. b\\) holds",
    " \\[a. b\\] holds",
    " $$a. b$$ holds",
    " `a. b` is code",
    " and so on... until then",
    " and so on… until then",
    " 1 + 2 + ... + 9 of",
    " 1, 2, ..., n of",
    " one line\nand another",
    "\n\nLeading white space",
    " is it x != y then",
    " the file x.txt here",
    " **bold.**not the end",
]
ENDS = [
    (" It is two.", " Now x"),
    (" Is it two?", " Now x"),
    (" Great!", " now x"),
    (" it equals 5!", " So we"),
    (' he said "two."', " Now x"),
    (" (it is two.)", " Now x"),
    (" it is **two.**", " Now x"),
    (" Is it?!", " Now x"),
    (" Really??", " Now x"),
    (" Really?.", " Now x"),
    (" Hm...", " Then x"),
    (" Hm…", " Then x"),
    (" Hm..?", " then x"),
    (" so x = 3.", "\nNow x"),
    (" at 5 p.m.", " Then x"),
    (" apples, pears, etc.", " The rest"),
    (" the answer is no.", " Now x"),
    (" it costs $5.", " Now x"),
    (" it is $x$.", " Now x"),
    (" seen at https://x.y/z.", " Now x"),
    (" parallel to EG.", " now x"),
    (" made in the U.S.", " Now x"),
    (" x = 2。", "接着"),
    (" 是吗？", "接着"),
    (" 好！", "接着"),
    (" x.", " Now x"),
    (" 16.", " Now x"),
    (" the sum is: 70.", " Now x"),
    (" x = 2\n\n", "Now x"),
    (" x = 2\n \n", "Now x"),
    (" x = 5!", "\n\n= 2"),
    (" $x$\n\n", "Now x"),
    (" it is 5.。", "x"),
]
SPLITS: list[Split] = [words, list]


def small_segment(text: str, split: Split) -> tuple[str, SwitchReason | None]:
    played = play(rules("So,"), ["Hm. So,", " x"], [text], split=split)
    return played.segments[1].text, played.segments[1].reason


@pytest.mark.parametrize("split", SPLITS, ids=["words", "characters"])
@pytest.mark.parametrize("text", GOES_ON)
def test_what_only_looks_like_an_end_is_none(text: str, split: Split) -> None:
    assert small_segment(text, split) == (text, SwitchReason.EOS)


@pytest.mark.parametrize("split", SPLITS, ids=["words", "characters"])
@pytest.mark.parametrize(("text", "after"), ENDS)
def test_a_sentence_ends(text: str, after: str, split: Split) -> None:
    assert small_segment(text + after, split) == (text, SwitchReason.SENTENCE_END)


def test_what_the_small_model_wrote_to_look_ahead_is_dropped() -> None:
    played = play(rules("So,"), ["Hm. So,", " x"], [" It is. Now"], split=given([" It", " is", ".", " Now"]))
    assert [cut.drop for cut in played.cuts if cut.reason is SwitchReason.SENTENCE_END] == [1]


def test_nothing_is_looked_ahead_where_the_white_space_is_in_the_same_token() -> None:
    pieces = [" It", " is", ".\n\n", "Now"]
    played = play(rules("So,"), ["Hm. So,", " x"], ["".join(pieces)], split=given(pieces))
    assert (played.cuts[1].drop, played.segments[1].text) == (0, " It is.\n\n")


def test_a_token_with_an_end_in_its_middle_is_kept_whole() -> None:
    pieces = [" It", " is. The", " rest"]
    assert small_segment("".join(pieces), given(pieces))[0] == " It is. The"


def test_a_factorial_is_settled_by_the_next_visible_character() -> None:
    pieces = [" it", " is", " 5", "!", " ", "So", " x"]
    played = play(rules("So,"), ["Hm. So,", " x"], ["".join(pieces)], split=given(pieces))
    assert (played.cuts[1].drop, played.segments[1].text) == (2, " it is 5!")


def test_what_follows_a_likely_end_in_the_same_token_may_confirm_it() -> None:
    pieces = [" it", " is", " 5", "! So", " x"]
    assert small_segment("".join(pieces), given(pieces))[0] == " it is 5! So"


def test_a_blank_line_inside_code_ends_nothing() -> None:
    text = "\n```\na = 1\n\nb = 2\n```\nrest"
    assert small_segment(text, words) == (text, SwitchReason.EOS)


def test_text_that_was_held_back_comes_out_when_it_was_no_end() -> None:
    played = play(rules("So,"), ["Hm. So,"], [" 5! = 120 and e.g. 5"])
    assert played.segments[1].text == " 5! = 120 and e.g. 5"


def test_white_space_that_is_skipped_leaves_a_line_blank() -> None:
    ends = SentenceEnds()
    for text in ("x", "\n"):
        ends.push(text, [False], False, lambda _: "")
    ends.skip(" ")
    assert ends.push("\n", [False], False, lambda _: "")
