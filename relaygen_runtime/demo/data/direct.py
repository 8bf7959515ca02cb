"""Replies without thinking: single steps of arithmetic, and whole problems in one line.

Owns: conversations with thinking switched off. Refuses: traces.
"""

from __future__ import annotations

from random import Random

from relaygen_runtime.demo.data import arithmetic
from relaygen_runtime.demo.data.conversation import Conversation

_ASKED = ("Work these out: {e}", "{e} = ?", "Quickly, without thinking: {e}", "{e}", "Solve: {e}")


def drill(rng: Random) -> Conversation:
    """Ask several single steps at once; the reply lists their values."""
    steps = [_step(rng) for _ in range(rng.randrange(2, 9))]
    question = rng.choice(_ASKED).format(e="; ".join(expression for expression, _ in steps))
    reply = "\n".join(f"{expression} = {value}" for expression, value in steps)
    messages = (arithmetic.user(question), arithmetic.assistant(reply))
    return Conversation("drill", messages, thinking=False)


def worked_in_line(rng: Random) -> Conversation:
    """Answer a whole problem in one line."""
    problem = arithmetic.worked(rng, rng.choice(("bare", "story", "context")))
    a, _, b, sign, c = problem.expression.split()
    tens, units = int(b) // 10 * 10, int(b) % 10
    product = int(a) * int(b)
    line = (
        f"{a} * {tens} = {int(a) * tens} and {a} * {units} = {int(a) * units}, together {product}. "
        f"With the rest, {product} {sign} {c} = {problem.gold}. The answer is {problem.gold}."
    )
    messages = tuple(m for m in problem.messages if m["role"] != "system")
    return Conversation("in_line", (*messages, arithmetic.assistant(line)), thinking=False)


def _step(rng: Random) -> tuple[str, int]:
    draw = rng.random()
    if draw < 0.3:
        a, d = rng.randrange(11, 100), rng.randrange(2, 10) * rng.choice((1, 1, 10))
        return f"{a} * {d}", a * d
    if draw < 0.6:
        x, y = rng.randrange(100, 9000), rng.randrange(20, 1000)
        return f"{x} + {y}", x + y
    x = rng.randrange(150, 9500)
    y = rng.randrange(20, min(x, 1000))
    return f"{x} - {y}", x - y
