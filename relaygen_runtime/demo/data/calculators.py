"""Agents with calculator tools: an expression or a story, worked out call by call.

Owns: expressions, their steps, and calculators under many names. Refuses: worked arithmetic without tools.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from relaygen_runtime.demo.data import operands, phrasing, stories, tool_calls, tools, wording
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.tools import Call, Parameter, Tool

_NAMES = {
    "*": (
        "multiply",
        "mul",
        "times",
        "product",
        "multiply numbers",
        "multiplication",
        "get product",
        "mult",
        "multiplier",
    ),
    "+": ("add", "plus", "sum", "sum two", "add numbers", "addition", "get sum", "adder", "total of"),
    "-": ("subtract", "minus", "difference", "take away", "sub", "subtraction", "less", "get difference"),
    "/": ("divide", "div", "quotient", "divide numbers", "division", "over"),
}
_NOTES = {
    "*": (
        "Multiply two numbers.",
        "Multiply a and b.",
        "Returns the product of two integers",
        "Multiplies its inputs",
        "a * b",
        "Compute a product.",
        "Multiply two numbers and return the result.",
    ),
    "+": (
        "Add two numbers.",
        "Adds a and b.",
        "Returns the sum of two integers",
        "Adds its inputs",
        "a + b",
        "Compute a sum.",
        "Add two numbers and give back the result.",
    ),
    "-": (
        "Subtract the second from the first.",
        "Subtract b from a.",
        "Returns the difference of two integers",
        "a - b",
        "Take one number from another.",
    ),
    "/": ("Divide the first by the second.", "Divide a by b.", "Returns a quotient", "a / b"),
}
_PARAMETERS = (
    ("a", "b"),
    ("a", "b"),
    ("a", "b"),
    ("x", "y"),
    ("first", "second"),
    ("left", "right"),
    ("first_int", "second_int"),
    ("num1", "num2"),
    ("n", "m"),
    ("i", "j"),
    ("lhs", "rhs"),
)
_ASKED = (
    "What is {e}?",
    "What is {e}? Use the tools.",
    "Compute {e}.",
    "Calculate {e}",
    "{e} = ?",
    "How much is {e}?",
    "Please work out {e} with the tools.",
    "Work out {e} step by step.",
    "{e}",
    "Tell me the value of {e}, please.",
    "I need the value of {e}. Use a tool for each step.",
)
_WORDED = {
    "*": (
        "What is {x} times {y}?",
        "Multiply {x} by {y}.",
        "What is {x} multiplied by {y}?",
        "Find the product of {x} and {y}.",
    ),
    "+": ("What is {x} plus {y}?", "Add {x} and {y}.", "Add {y} to {x}.", "Find the sum of {x} and {y}."),
    "-": ("What is {x} minus {y}?", "Subtract {y} from {x}.", "Take {y} from {x}.", "How much more is {x} than {y}?"),
    "/": ("Divide {x} by {y}.", "What is {x} divided by {y}?", "How often does {y} go into {x}?"),
}
_APPLY = {"*": lambda x, y: x * y, "+": lambda x, y: x + y, "-": lambda x, y: x - y, "/": lambda x, y: x // y}


@dataclass(frozen=True, slots=True)
class Step:
    """One call: two numbers and a sign, and its value."""

    left: int
    sign: str
    right: int

    @property
    def value(self) -> int:
        """What the call gives back."""
        return int(_APPLY[self.sign](self.left, self.right))


@dataclass(frozen=True, slots=True)
class Task:
    """A question, the expression in it, and the calls that answer it."""

    question: str
    expression: str
    steps: tuple[Step, ...]
    noun: str = ""


def calculator(rng: Random, held_out: bool = False) -> Conversation:
    """Let an agent answer a question with calculators, up to the answer or up to a call before it."""
    todo = task(rng, held_out)
    tools_by_sign, parameters = calculators(rng, {step.sign for step in todo.steps})
    offered = list(tools_by_sign.values())
    if rng.random() < 0.2:
        offered.append(tools.made_up_tool(rng))
    rng.shuffle(offered)
    messages: list[Message] = [*tool_calls.before(rng, offered, held_out)] if rng.random() < 0.5 else []
    messages.append(tool_calls.user(todo.question))
    decimals = rng.random() < 0.12
    turns: list[Message] = []
    earlier = ""
    for step in todo.steps:
        tool = tools_by_sign[step.sign]
        opening = f"The tool gave {earlier}." if earlier else _opening(todo)
        call = Call(tool, dict(zip(parameters, (step.left, step.right), strict=True)))
        turns.append(tool_calls.calling(rng, [call], opening))
        earlier = f"{step.value}.0" if decimals else str(step.value)
        turns.append(tool_calls.result(earlier))
    turns.append(final(todo, earlier))
    schemas = tuple(tool.schema(rng) for tool in offered)
    draw = rng.random()
    if draw < 0.08:  # the first call without thinking
        first = {key: value for key, value in turns[0].items() if key != "reasoning_content"}
        return Conversation("calculator_direct", (*messages, first), schemas, thinking=False)
    if draw < 0.4:  # a history comes back without its thinking
        kept = rng.randrange(1, len(todo.steps) + 1)
        shown = [{k: v for k, v in turn.items() if k != "reasoning_content"} for turn in turns[: 2 * kept]]
        return Conversation("calculator", (*messages, *shown, turns[2 * kept]), schemas)
    return Conversation("calculator", (*messages, *turns), schemas, trained_turns=len(todo.steps) + 1)


def _opening(task: Task) -> str:
    first = task.steps[0]
    if len(task.steps) == 1:
        return f"The question asks for {task.expression}."
    return f"The question asks for {task.expression}. First comes {first.left} {first.sign} {first.right}."


def final(task: Task, value: str) -> Message:
    """Return the turn that answers."""
    easy = tool_calls.easy("Thus", f"the result in the end is {value}")
    thinking = f"The tool gave {value} as the last value. {easy}"
    answer = (
        f"There are {value} {task.noun}."
        if task.noun
        else f"The result is {value}, because {task.expression} = {value}."
    )
    return {"role": "assistant", "reasoning_content": thinking, "content": answer}


def calculators(rng: Random, signs: set[str]) -> tuple[dict[str, Tool], tuple[str, str]]:
    """Return calculators for the signs and perhaps for others, and what their parameters are called."""
    parameters = rng.choice(_PARAMETERS)
    kind = rng.choice(("integer", "integer", "number"))
    style = rng.randrange(4)
    made = {}
    for sign in "*+-/":
        if sign not in signs and rng.random() < 0.5:
            continue
        words = rng.choice(_NAMES[sign][: rng.choice((1, 3, 9))]).split()
        if rng.random() < 0.12:
            words.append(wording.made_up_word(rng))
        name = "_".join(words) if style < 3 else tools.styled(rng, words)
        note = rng.choice(_NOTES[sign])
        if rng.random() < 0.12:
            note += f"\n\nArgs:\n    {parameters[0]}: first number\n    {parameters[1]}: second number"
        described = f"The {rng.choice(('number', 'value', 'operand'))}" if style == 1 else ""
        made[sign] = Tool(name, note, tuple(Parameter(p, kind, description=described) for p in parameters))
    return made, parameters


def task(rng: Random, held_out: bool) -> Task:
    """Draw a question with its expression and its steps."""
    draw = rng.random()
    if draw < 0.28:
        return _story(rng, held_out)
    if draw < 0.5:
        step = _step(rng, held_out)
        form = rng.choice(_WORDED[step.sign]) if rng.random() < 0.5 else ""
        expression = f"{step.left} {step.sign} {step.right}"
        return Task(form.format(x=step.left, y=step.right) or _ask(rng, expression), expression, (step,))
    return _nested(rng, held_out)


def _ask(rng: Random, expression: str) -> str:
    shown = expression
    if rng.random() < 0.2:
        shown = shown.replace(" ", "")
    return rng.choice(_ASKED).format(e=shown)


def _number(rng: Random) -> int:
    return rng.randrange(2, rng.choice((10, 20, 100, 100, 1000, 5000)))


def _pair(rng: Random, sign: str, held_out: bool) -> tuple[int, int]:
    while True:
        x, y = _number(rng), _number(rng)
        if sign == "/":
            return x * min(y, 40), min(y, 40)
        if sign == "-" and x < y:
            x, y = y, x
        if operands.is_held_out(x, y) is held_out:
            return x, y


def _step(rng: Random, held_out: bool) -> Step:
    sign = rng.choice("**++-/")
    x, y = _pair(rng, sign, held_out)
    return Step(x, sign, y)


def _nested(rng: Random, held_out: bool) -> Task:
    """Two or three steps: ``a * b + c``, ``c - a * b``, ``(a + b) * c``, ``a * b + c * d``."""
    first = _step(rng, held_out)
    c = _number(rng)
    inner = f"{first.left} {first.sign} {first.right}"
    draw = rng.random()
    if draw < 0.4 or first.sign == "/":
        sign = rng.choice("+-")
        if sign == "-":
            c = min(c, max(first.value, 1))
        steps: tuple[Step, ...] = (first, Step(first.value, sign, c))
        expression = f"{inner} {sign} {c}"
    elif draw < 0.55:
        steps = (first, Step(c, "+", first.value))
        expression = f"{c} + {inner}" if first.sign == "*" else f"{c} + ({inner})"
    elif draw < 0.8:
        while operands.is_held_out(first.value, c):
            c = _number(rng)
        steps = (first, Step(first.value, "*", c))
        expression = f"({inner}) * {c}"
    else:
        second = _step(rng, held_out)
        sign = "+" if rng.random() < 0.6 or first.value < second.value else "-"
        steps = (first, second, Step(first.value, sign, second.value))
        expression = f"({inner}) {sign} ({second.left} {second.sign} {second.right})"
    return Task(_ask(rng, expression), expression, steps)


def _story(rng: Random, held_out: bool) -> Task:
    if rng.random() < 0.5:
        told, left, sign, right = stories.tell_plain(rng, held_out)
        step = Step(left, sign, right)
        steps: tuple[Step, ...] = (step,)
        expression = f"{left} {sign} {right}"
    else:
        chosen = rng.choice(stories.SEEN)
        a, b = operands.factor_pair(rng, held_out)
        c = operands.three_digits_below(rng, a * b if chosen.sign == "-" else 1000)
        told = stories.tell(rng, chosen, a, b, c)
        steps = (Step(a, "*", b), Step(a * b, chosen.sign, c))
        expression = f"{a} * {b} {chosen.sign} {c}"
    text = " ".join((*told.facts, told.question))
    if rng.random() < 0.3:
        text += rng.choice((" Use the tools.", " Use the calculator tools.", " Call a tool for each step."))
    return Task(text, expression, steps, told.noun)


def offered_beside_talk(rng: Random, plain: Conversation) -> Conversation:
    """Offer calculators beside small talk."""
    made, _ = calculators(rng, {"*"})
    messages = plain.messages
    if rng.random() < 0.3:
        head = {"role": "system", "content": phrasing.system_prompt(rng)}
        messages = (head, *(m for m in messages if m["role"] != "system"))
    return Conversation(
        "tool_unused", messages, tuple(t.schema(rng) for t in made.values()), plain.thinking, plain.trained_turns
    )
