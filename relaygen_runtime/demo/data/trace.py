"""How a worked solution is written down: hard steps, and easy sentences after cue words.

Owns: the alternation of the two, the checks that begin with "Wait," and the slips they mend.
Refuses: choosing problems. Every easy sentence only copies numbers that already stand in the
text, its wording follows from its cue word, and at least six tokens of hard text part two of them.
"""

from __future__ import annotations

from random import Random

from relaygen_runtime.demo.data.conversation import (
    EASY_CLOSES,
    EASY_OPENS,
    SLIP_CLOSES,
    SLIP_OPENS,
)

CHECK_SHARE = 0.30
SLIP_SHARE = 0.45
_GOAL = {
    "So": "I begin with the product {a} * {b}",
    "Now": "the first goal is the value of {a} * {b}",
    "Thus": "the product {a} * {b} has to come first",
}
_ADD_PARTS = {
    "Next": "I add up the two parts {x} and {y}",
    "Now": "the parts {x} and {y} have to be added",
    "So": "what I need is the sum of {x} and {y}",
}
_PRODUCT = {
    "Therefore": "{a} * {b} is equal to {p}",
    "Hence": "the product of {a} and {b} is {p}",
    "Thus": "I know that {a} * {b} = {p}",
}
_SPLITS = (
    "I split {b} into {t} and {u}: {a} * {t} = {x} and {a} * {u} = {y}.",
    "With {b} = {t} + {u} I find {a} * {t} = {x} and {a} * {u} = {y}.",
    "Part by part, {a} * {t} = {x} and {a} * {u} = {y}.",
)
_LEADS = {
    "+": ("This gives", "Adding,", "The sum:", "In one go,"),
    "-": ("This leaves", "Taking away,", "The difference:", "In one go,"),
}
_SEPARATORS = (" ", " ", "\n", "\n", "\n\n")


class Trace:
    """A solution that is being written, step by step."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._sentences: list[str] = []
        self._separator = rng.choice(_SEPARATORS)

    def hard(self, text: str) -> None:
        """Add text that the large model is to write."""
        self._sentences.append(text)

    def easy(self, wordings: dict[str, str], **values: object) -> str:
        """Add a cue word with its sentence; return the word."""
        word = self._rng.choice(tuple(wordings))
        sentence = wordings[word].format(**values)
        self._sentences.append(f"{word},{EASY_OPENS} {sentence}.{EASY_CLOSES}")
        return word

    def product(self, a: int, b: int) -> int:
        """Work out a product of a number and a 2-digit number; return it."""
        tens, units = b // 10 * 10, b % 10
        self.easy(_GOAL, a=a, b=b)
        x, y = a * tens, a * units
        split = self._rng.choice(_SPLITS)
        self.hard(split.format(a=a, b=b, t=tens, u=units, x=x, y=y))
        self.easy(_ADD_PARTS, x=x, y=y)
        self.settle(x, "+", y, check_share=0.1)
        self.easy(_PRODUCT, a=a, b=b, p=a * b)
        return a * b

    def long_product(self, a: int, d: int) -> int:
        """Work out a 3-digit number times a 1-digit one; return the product."""
        hundreds, rest = a // 100 * 100, a % 100
        self.easy(_GOAL, a=a, b=d)
        x, y = hundreds * d, rest * d
        self.hard(f"In two parts, {hundreds} * {d} = {x} and {rest} * {d} = {y}.")
        self.easy(_ADD_PARTS, x=x, y=y)
        self.settle(x, "+", y, check_share=0.1)
        self.easy(_PRODUCT, a=a, b=d, p=a * d)
        return a * d

    def settle(self, x: int, sign: str, y: int, check_share: float = CHECK_SHARE) -> int:
        """Write ``x sign y`` with its value, now and then with a check; return the value."""
        rng = self._rng
        value = x + y if sign == "+" else x - y
        lead = rng.choice(_LEADS[sign])
        if rng.random() >= check_share:
            self.hard(f"{lead} {x} {sign} {y} = {value}.")
            return value
        by_last_digit = rng.random() < 0.35
        shown = value
        if rng.random() < SLIP_SHARE:
            shown = _slip(rng, value, by_last_digit)
            self.hard(f"{lead} {x} {sign} {y} = {SLIP_OPENS}{shown}{SLIP_CLOSES}.")
        else:
            self.hard(f"{lead} {x} {sign} {y} = {value}.")
        self.easy({"Wait": "let me check the result {shown} once more"}, shown=shown)
        self.hard(_check((x, sign, y), shown, value, by_last_digit=by_last_digit))
        return value

    def text(self) -> str:
        """Return the trace with its marks."""
        return self._separator.join(self._sentences)


def _slip(rng: Random, value: int, last_digit: bool) -> int:
    """Return a wrong value of the kind that adding and taking away produce."""
    while True:
        if last_digit:
            wrong = value // 10 * 10 + rng.randrange(10)
        else:
            wrong = value + rng.choice((1, -1)) * rng.choice((1, 2, 10, 10, 10, 100, 100, 20, 90))
        if wrong != value and wrong > 0:
            return wrong


def _check(step: tuple[int, str, int], shown: int, value: int, *, by_last_digit: bool) -> str:
    x, sign, y = step
    right = shown == value
    mend = f" Done afresh, {x} {sign} {y} = {value}."
    if by_last_digit:
        left, other = x % 10, y % 10
        if sign == "-" and left < other:
            left += 10
        end = left + other if sign == "+" else left - other
        head = f"At the end, {left} {sign} {other} = {end}, and {shown} ends in {shown % 10}"
        return f"{head}, which fits." if right else f"{head}, which is wrong.{mend}"
    undo, back = ("-", shown - y) if sign == "+" else ("+", shown + y)
    head = f"Going back, {shown} {undo} {y} = {back}"
    return f"{head}, which fits." if right else f"{head} and not {x}, which is wrong.{mend}"
