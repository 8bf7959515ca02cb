"""What a forced model says after each position, and how sure it is.

Owns the agreement model. The large model says the trace. The small one says it too, but for a seeded fraction of
places where it prefers a wrong word to the right one; it is unsure at most of those, and at a few others, so that
drafts stop as they do with real pairs. Where the small model is an *author* (in its own segments) it always says the
trace: what it writes there *is* the text, and so every arm writes the same tokens. Speculation alone meets the same
table, so its drafts never fail inside those sentences: that flatters speculation alone, and what relaying adds to it
is a lower bound.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

__all__ = ["Agreement", "Script", "certain_script", "doubtful_script"]

# All are exact in bfloat16, and far above what a random head yields.
_TOP = 30.0
_CERTAIN = 20.0
_SURE = 4.0
"""p = 0.98 for the preferred token, 0.02 for the other."""
_UNSURE = 0.25
"""p = 0.56 and 0.44."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the small model relates to the trace outside its own segments.

    Attributes:
        rate: Fraction of the places at which it prefers the trace's token.
        unsure_when_wrong: Fraction of the other places at which it is unsure of its wrong token.
        unsure_when_right: Fraction of the agreeing places at which it is unsure nevertheless.
        seed: Of all three. The places where a higher rate disagrees are among those of a lower one.
    """

    rate: float = 0.9
    unsure_when_wrong: float = 0.75
    unsure_when_right: float = 0.05
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Script:
    """Rows by position: what follows it.

    Attributes:
        ids: The preferred token and the runner-up.
        values: Their logits.
        forced: Whether the row is forced at all; a prompt's are not.
    """

    ids: list[tuple[int, int]]
    values: list[tuple[float, float]]
    forced: list[bool]


def certain_script(prompt: int, trace: Sequence[int], *, end: int, words: Sequence[int]) -> Script:
    """Say the trace, then the end, with certainty.

    Args:
        prompt: Tokens before the trace, at least 1.
        trace: Its ids.
        end: Id of the token that ends the turn.
        words: Ids of plain words, two at least: the runners-up.
    """
    everywhere = range(len(trace))
    return doubtful_script(prompt, trace, end=end, words=words, agreement=Agreement(rate=1.0), certain=everywhere)


def doubtful_script(
    prompt: int,
    trace: Sequence[int],
    *,
    end: int,
    words: Sequence[int],
    agreement: Agreement,
    certain: Collection[int],
) -> Script:
    """Say the trace with errors and doubts.

    Args:
        prompt: As in `certain_script`.
        trace: As there.
        end: As there.
        words: As there: the wrong tokens, too.
        agreement: How often it errs and doubts.
        certain: Numbers of the trace's tokens where it does neither.
    """
    draw = random.Random(agreement.seed)
    silent = prompt - 1
    ids, values = [(0, 1)] * silent, [(0.0, 0.0)] * silent
    for number, right in enumerate([*trace, end]):
        other = draw.choice(words)
        if other == right:
            other = words[words.index(right) - 1]
        wrong, doubt = draw.random() >= agreement.rate, draw.random()
        if number in certain or number == len(trace):
            ids.append((right, other))
            values.append((_TOP, _TOP - _CERTAIN))
            continue
        unsure = doubt < (agreement.unsure_when_wrong if wrong else agreement.unsure_when_right)
        ids.append((other, right) if wrong else (right, other))
        values.append((_TOP, _TOP - (_UNSURE if unsure else _SURE)))
    return Script(ids, values, [False] * silent + [True] * (len(trace) + 1))
