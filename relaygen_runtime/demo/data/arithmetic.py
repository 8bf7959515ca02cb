"""Arithmetic and word problems with their worked traces: the pair's own field.

Owns: the kinds of problem, their questions and their solutions. Refuses: the split of operands
(`operands`) and the words (`stories`, `passages`).
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from relaygen_runtime.demo.data import operands, passages, retrieval, stories, wording
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.trace import Trace

KINDS = ("bare", "story", "context", "follow_up", "long_product", "sum", "two_products", "plain", "plain_story")
_OPENINGS = {
    True: (
        "The question asks for the {n}, which is {e}.",
        "I count the {n}: {e}.",
        "The number of {n} comes from {e}.",
    ),
    False: ("The question asks for {e}.", "I have to work out {e}.", "This is about {e}."),
}
_FINAL = {
    True: {
        "Therefore": ("the number of {n} is {r}", "The number of {n} is {r}."),
        "Thus": ("there are {r} {n} in the end", "There are {r} {n}, because {e} = {r}."),
        "Hence": ("the result is {r} {n}", "The result is {r} {n}, found from {e} = {r}."),
        "So": ("the answer to the question is {r} {n}", "The answer is {r} {n}."),
    },
    False: {
        "Therefore": ("the value of {e} is {r}", "The value of {e} is {r}."),
        "Thus": ("the result in the end is {r}", "The result is {r}, because {e} = {r}."),
        "Hence": ("the whole comes to {r} in all", "The whole comes to {r}, found from {e} = {r}."),
        "So": ("the answer to the question is {r}", "The answer is {r}."),
    },
}
_ONWARD = {"So": "I start from {x} and turn to the {c}", "Now": "the {c} changes the earlier {x}"}
_BARE = (
    "What is {e}?",
    "Compute {e}.",
    "{e} = ?",
    "Please work out {e}.",
    "Calculate {e}",
    "{e}",
    "How much is {e}?",
    "Find the value of {e}.",
    "Can you tell me {e}?",
)


@dataclass(frozen=True, slots=True)
class Worked:
    """A question with its solution.

    Attributes:
        kind: One of `KINDS`.
        messages: The conversation up to and with the question.
        thinking: The trace, with marks.
        answer: The answer's text.
        gold: The number that is right.
        expression: What was worked out, in digits.
        noun: What is counted, or nothing.
    """

    kind: str
    messages: tuple[Message, ...]
    thinking: str
    answer: str
    gold: int
    expression: str
    noun: str = ""

    def conversation(self) -> Conversation:
        """Return the conversation with the solution as its last turn."""
        reply = {"role": "assistant", "reasoning_content": self.thinking, "content": self.answer}
        return Conversation(self.kind, (*self.messages, reply))


def user(text: str) -> Message:
    """Return a user's message."""
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    """Return an assistant's message without thinking."""
    return {"role": "assistant", "content": text}


def finish(trace: Trace, expression: str, gold: int, noun: str = "", *, bare: bool = False) -> str:
    """Write the trace's last sentence; return the answer that goes with it."""
    if bare:
        trace.easy({"So": "I reply with the number {r} alone"}, r=gold)
        return str(gold)
    endings = _FINAL[bool(noun)]
    values = {"n": noun, "e": expression, "r": gold}
    word = trace.easy({word: ending[0] for word, ending in endings.items()}, **values)
    return endings[word][1].format(**values)


def system_turn(rng: Random) -> tuple[tuple[Message, ...], bool]:
    """Draw a system message, or none; say whether it asks for the number alone."""
    draw = rng.random()
    if draw < 0.55:
        return (), False
    if draw < 0.60:
        return ({"role": "system", "content": rng.choice(wording.NUMBER_ONLY_PROMPTS)},), True
    return ({"role": "system", "content": rng.choice(wording.SYSTEM_PROMPTS)},), False


def _factors_and_third(rng: Random, sign: str, held_out: bool) -> tuple[int, int, int]:
    a, b = operands.factor_pair(rng, held_out)
    return a, b, operands.three_digits_below(rng, a * b if sign == "-" else 1000)


def _work(rng: Random, numbers: tuple[int, int, int], sign: str, noun: str, *, bare: bool) -> tuple[str, str, int, str]:
    """Return trace, answer, value and expression of ``a * b sign c``."""
    a, b, c = numbers
    expression = f"{a} * {b} {sign} {c}"
    trace = Trace(rng)
    trace.hard(rng.choice(_OPENINGS[bool(noun)]).format(n=noun, e=expression))
    product = trace.product(a, b)
    gold = trace.settle(product, sign, c)
    answer = finish(trace, expression, gold, noun, bare=bare)
    return trace.text(), answer, gold, expression


def bare(rng: Random, held_out: bool = False) -> Worked:
    """Plain arithmetic: a product of two 2-digit numbers plus or minus a 3-digit one."""
    sign = rng.choice("+-")
    a, b, c = _factors_and_third(rng, sign, held_out)
    system, alone = system_turn(rng)
    thinking, answer, gold, expression = _work(rng, (a, b, c), sign, "", bare=alone)
    shown = expression
    if rng.random() < 0.15:
        shown = expression.replace("*", rng.choice(("x", "times", "×")))
    question = user(rng.choice(_BARE).format(e=shown))
    return Worked("bare", (*system, question), thinking, answer, gold, expression)


def story(rng: Random, held_out: bool = False, unseen: bool = False) -> Worked:
    """The same as a word problem."""
    return _told(rng, "story", held_out, unseen, -1)


def context(rng: Random, held_out: bool = False, unseen: bool = False, extra: int = -1) -> Worked:
    """The same, with the facts in passages among distracting ones."""
    return _told(rng, "context", held_out, unseen, extra if extra >= 0 else rng.randrange(0, 6))


def _told(rng: Random, kind: str, held_out: bool, unseen: bool, extra: int) -> Worked:
    chosen = rng.choice(stories.UNSEEN if unseen else stories.SEEN)
    a, b, c = _factors_and_third(rng, chosen.sign, held_out)
    told = stories.tell(rng, chosen, a, b, c)
    system, alone = system_turn(rng)
    if extra < 0:
        text = " ".join((*told.facts, told.question))
    else:
        text = passages.layout(rng, told.facts, told.question, extra, unseen)
    thinking, answer, gold, expression = _work(rng, (a, b, c), chosen.sign, told.noun, bare=alone)
    return Worked(kind, (*system, user(text)), thinking, answer, gold, expression, told.noun)


def follow_up(rng: Random, held_out: bool = False, unseen: bool = False) -> Worked:
    """A second question that needs the first turn's answer, or its facts."""
    first = story(rng, held_out, unseen) if rng.random() < 0.8 else bare(rng, held_out)
    history = (*first.messages, assistant(first.answer))
    alone = first.answer.isdigit()
    if rng.random() < 0.5:
        return _changed_fact(rng, first, history, held_out, alone)
    sign = rng.choice("+-") if first.gold > 200 else "+"
    c = rng.randrange(11, 1000 if sign == "+" else min(1000, first.gold))
    noun = first.noun
    thing = f"{c} {noun}" if noun else str(c)
    texts = {
        "+": ("And if {t} more arrive?", "Now add {t}.", "What if there are {t} more?", "Plus {t}?"),
        "-": ("And if {t} go away?", "Now take away {t}.", "What if {t} are lost?", "Minus {t}?"),
    }
    expression = f"{first.gold} {sign} {c}"
    trace = Trace(rng)
    trace.hard(rng.choice(("Before, the result was {r}.", "The earlier answer is {r}.")).format(r=first.gold))
    trace.easy(_ONWARD, x=first.gold, c=c)
    gold = trace.settle(first.gold, sign, c)
    answer = finish(trace, expression, gold, noun, bare=alone)
    question = user(rng.choice(texts[sign]).format(t=thing))
    return Worked("follow_up", (*history, question), trace.text(), answer, gold, expression, noun)


def _changed_fact(rng: Random, first: Worked, history: tuple[Message, ...], held_out: bool, alone: bool) -> Worked:
    left, _, right, sign, third = first.expression.split()
    kept, c = int(left), int(third)
    while True:
        changed = operands.partner(rng, kept, held_out)
        if changed != int(right) and (sign == "+" or kept * changed > c):
            break
    texts = (
        "And with {y} instead of {x}?",
        "What if the {x} were {y}?",
        "Use {y} in place of {x}.",
        "Suppose it is {y} and not {x}. What then?",
    )
    question = user(rng.choice(texts).format(x=right, y=changed))
    thinking, answer, gold, expression = _work(rng, (kept, changed, c), sign, first.noun, bare=alone)
    return Worked("follow_up", (*history, question), thinking, answer, gold, expression, first.noun)


def long_product(rng: Random, held_out: bool = False) -> Worked:
    """A 3-digit number times a 1-digit one, plus or minus a 3-digit number or nothing more."""
    a, d = operands.long_and_short_factor(rng, held_out)
    system, alone = system_turn(rng)
    trace = Trace(rng)
    sign = rng.choice("+- ")
    c = operands.three_digits_below(rng, a * d)
    expression = f"{a} * {d}" if sign == " " else f"{a} * {d} {sign} {c}"
    trace.hard(rng.choice(_OPENINGS[False]).format(e=expression))
    gold = trace.long_product(a, d)
    if sign == " ":
        trace.hard("Nothing else has to be done.")
    else:
        gold = trace.settle(gold, sign, c)
    answer = finish(trace, expression, gold, bare=alone)
    question = user(rng.choice(_BARE).format(e=expression))
    return Worked("long_product", (*system, question), trace.text(), answer, gold, expression)


def three_sum(rng: Random, held_out: bool = False) -> Worked:
    """The sum of three 3-digit numbers."""
    x, y, z = operands.three_addends(rng, held_out)
    system, alone = system_turn(rng)
    expression = f"{x} + {y} + {z}"
    trace = Trace(rng)
    trace.hard(rng.choice(_OPENINGS[False]).format(e=expression))
    trace.easy({"So": "I begin with the sum of {x} and {y}", "Now": "{x} and {y} are added first"}, x=x, y=y)
    partial = trace.settle(x, "+", y)
    trace.easy({"Next": "I add {z} to the sum {s}", "Now": "the last number {z} joins {s}"}, z=z, s=partial)
    gold = trace.settle(partial, "+", z)
    answer = finish(trace, expression, gold, bare=alone)
    who, noun = rng.choice(wording.PEOPLE), rng.choice(wording.NOUNS)
    texts = (*_BARE, f"{who} has {x} {noun}, finds {y} and buys {z}. How many is that?", f"Add {x}, {y} and {z}.")
    question = user(rng.choice(texts).format(e=expression))
    return Worked("sum", (*system, question), trace.text(), answer, gold, expression)


def two_products(rng: Random, held_out: bool = False) -> Worked:
    """The sum of two products."""
    (a, b), (c, d) = operands.factor_pair(rng, held_out), operands.factor_pair(rng, held_out)
    system, alone = system_turn(rng)
    expression = f"{a} * {b} + {c} * {d}"
    trace = Trace(rng)
    trace.hard(rng.choice(_OPENINGS[False]).format(e=expression))
    first = trace.product(a, b)
    trace.hard("The other product is still missing.")
    second = trace.product(c, d)
    gold = trace.settle(first, "+", second)
    answer = finish(trace, expression, gold, bare=alone)
    question = user(rng.choice(_BARE).format(e=expression))
    return Worked("two_products", (*system, question), trace.text(), answer, gold, expression)


def _two_numbers(rng: Random, left: int, sign: str, right: int, noun: str, *, bare: bool) -> tuple[str, str, int]:
    """Return trace, answer and value of a product, sum or difference and nothing more."""
    expression = f"{left} {sign} {right}"
    trace = Trace(rng)
    trace.hard(rng.choice(_OPENINGS[bool(noun)]).format(n=noun, e=expression))
    if sign == "*":
        gold = trace.product(left, right)
        trace.hard("Nothing else has to be done.")
    else:
        trace.easy({"So": "I start from {x} and turn to the {y}", "Now": "the {y} meets the {x}"}, x=left, y=right)
        gold = trace.settle(left, sign, right)
    answer = finish(trace, expression, gold, noun, bare=bare)
    return trace.text(), answer, gold


def plain(rng: Random, held_out: bool = False) -> Worked:
    """A product of two 2-digit numbers, or a sum or difference of two numbers, bare or as a follow-up."""
    sign = rng.choice("***+-")
    left, right = operands.factor_pair(rng, held_out) if sign == "*" else operands.two_terms(rng, sign, held_out)
    expression = f"{left} {sign} {right}"
    system, alone = system_turn(rng)
    history: tuple[Message, ...] = system
    shown = expression
    if sign == "*" and rng.random() < 0.2:
        shown = expression.replace("*", rng.choice(("x", "times", "×")))
    question = rng.choice(_BARE).format(e=shown)
    if rng.random() < 0.2:
        first = rng.choice((bare, plain, three_sum))(rng, held_out)
        alone = first.answer.isdigit()
        history = (*first.messages, assistant(first.answer))
        question = rng.choice(("And {e}?", "Next: {e}", "What about {e}?", "{e}", "Now work out {e}.")).format(e=shown)
    thinking, answer, gold = _two_numbers(rng, left, sign, right, "", bare=alone)
    return Worked("plain", (*history, user(question)), thinking, answer, gold, expression)


def plain_story(rng: Random, held_out: bool = False) -> Worked:
    """A story or passages of two numbers that matter."""
    told, left, sign, right = stories.tell_plain(rng, held_out)
    expression = f"{left} {sign} {right}"
    system, alone = system_turn(rng)
    text = " ".join((*told.facts, told.question))
    if rng.random() < 0.45:
        if rng.random() < 0.3:
            text = passages.layout(rng, told.facts, told.question, rng.randrange(0, 6), unseen=False)
        else:
            text = retrieval.layout(rng, told.facts, told.question, rng.randrange(0, 6))
    thinking, answer, gold = _two_numbers(rng, left, sign, right, told.noun, bare=alone)
    return Worked("plain_story", (*system, user(text)), thinking, answer, gold, expression, told.noun)


def retrieved(rng: Random, extra: int = -1) -> Worked:
    """A story of three numbers, its facts in passages laid out as retrieval does."""
    chosen = rng.choice(stories.SEEN)
    a, b, c = _factors_and_third(rng, chosen.sign, held_out=False)
    told = stories.tell(rng, chosen, a, b, c)
    system, alone = system_turn(rng)
    text = retrieval.layout(rng, told.facts, told.question, extra if extra >= 0 else rng.randrange(0, 7))
    thinking, answer, gold, expression = _work(rng, (a, b, c), chosen.sign, told.noun, bare=alone)
    return Worked("context", (*system, user(text)), thinking, answer, gold, expression, told.noun)


def worked(rng: Random, kind: str, held_out: bool = False, unseen: bool = False) -> Worked:
    """Draw a problem of a kind from one side of the operands' split."""
    if kind in ("story", "context", "follow_up"):
        recipe = {"story": story, "context": context, "follow_up": follow_up}[kind]
        return recipe(rng, held_out, unseen)
    recipes = {
        "bare": bare,
        "long_product": long_product,
        "sum": three_sum,
        "two_products": two_products,
        "plain": plain,
        "plain_story": plain_story,
    }
    return recipes[kind](rng, held_out)
