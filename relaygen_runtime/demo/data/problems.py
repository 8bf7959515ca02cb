"""Held-out problems, and how a reply to one is graded.

Owns: the test set, as a function of its seed. Refuses: running models.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Literal

from relaygen_runtime.demo.data.arithmetic import worked
from relaygen_runtime.demo.data.conversation import Conversation, Message, unmarked

Templates = Literal["seen", "unseen", "plain"]
_SHARES = {
    "seen": (("bare", 30), ("story", 30), ("context", 15), ("follow_up", 15), ("long_product", 5), ("sum", 5)),
    "unseen": (("story", 50), ("context", 35), ("follow_up", 15)),
    "plain": (("plain", 50), ("plain_story", 50)),
}
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that training never saw.

    Attributes:
        kind: The recipe it came from.
        messages: The conversation, ending with the question.
        gold: The number that is right.
        solution: The same conversation with a worked solution, for teacher-forced figures.
    """

    kind: str
    messages: tuple[Message, ...]
    gold: int
    solution: Conversation


def heldout_problems(n: int, seed: int, templates: Templates = "seen") -> list[Problem]:
    """Draw problems whose operands were held out of training.

    Args:
        n: How many.
        seed: Names the set; the same seed gives the same problems.
        templates: ``"seen"`` for wordings that training used, ``"unseen"`` for those it did not;
            ``"plain"`` for problems of two numbers alone.
    """
    kinds, weights = zip(*_SHARES[templates], strict=True)
    problems = []
    for index in range(n):
        rng = Random(f"held-out/{templates}/{seed}/{index}")
        drawn = worked(rng, rng.choices(kinds, weights)[0], held_out=True, unseen=templates == "unseen")
        problems.append(Problem(drawn.kind, drawn.messages, drawn.gold, drawn.conversation()))
    return problems


def grade(text: str, gold: int) -> bool:
    """Say whether the last number of the answer is the right one.

    Args:
        text: What a model wrote. With a ``</think>`` in it, only what follows the last one counts; thinking
            that never ends has no answer.
        gold: The number that is right.
    """
    answer = unmarked(text)
    if "</think>" in answer:
        answer = answer.rpartition("</think>")[2]
    elif "<think>" in answer:
        return False
    numbers = _NUMBER.findall(answer)
    return bool(numbers) and int(numbers[-1].replace(",", "")) == gold
