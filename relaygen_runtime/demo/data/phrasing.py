"""How a user asks for a call: by name, by notation, by purpose.

Owns: the wordings of requests. Refuses: tools, and what is answered.
"""

from __future__ import annotations

import json
from random import Random

from relaygen_runtime.demo.data import lexicon
from relaygen_runtime.demo.data.tools import Call, Value, spoken

_NAMED = (
    "Call {name} with {given}.",
    "Use the {name} tool with {given}.",
    "Use {name}: {given}",
    "Please call {name} for {given}.",
    "Run {name} on {given}",
    "What does {name} give for {given}?",
    "What is the result of {name} for {given}?",
    "What is the value of {name} given {given}?",
    "I need {name} with {given}, please.",
    "{name}: {given}",
    "{given} - use {name} for this",
    "With the {name} function and {given}, what comes out?",
    "Try {name} with {given} and tell me what it says.",
    "Could you apply {name} to {given}?",
)
_SPOKEN = (
    "{said} with {given}.",
    "Please {said}: {given}",
    "I'd like to {said}. It is about {given}.",
    "Can you {said} for {given}?",
    "{said}, {given}",
    "We have to {said} for {given}!",
    "What is the {said} for {given}?",
    "Tell me the {said} of {given}.",
    "How about the {said}? {given}",
    "I want the {said}: {given}.",
)
_NOTATION = (
    "What is {f}?",
    "{f}",
    "Evaluate {f}.",
    "What does {f} return?",
    "Give me {f}.",
    "How much is {f}?",
    "Tell me what {f} gives.",
    "I wonder what {f} is.",
    "Compute {f}, please.",
)
_NOTHING_GIVEN = (
    "Call {name}.",
    "Use the {name} tool.",
    "Please run {name} now.",
    "I need {said}.",
    "What does {name} say?",
    "{said}, please.",
    "What is the {said}?",
    "Get me what {name} returns.",
    "Can you {said}?",
    "Do it with {name}.",
    "What comes out of {name}?",
)
_URGED = (
    " Use the tool.",
    " Please use the tool.",
    " Use a tool for this.",
    " You have a tool for that.",
    " Do it with the tools.",
    " Call the right function.",
    " Use the tool {name}.",
    " ({name} can do this.)",
)
_JOINTS = (" Then ", " Also, ", " And ", "\n", " At the same time, ", " Besides: ", "\nAnd ", " ")


def request(rng: Random, calls: list[Call]) -> str:
    """Ask for calls."""
    if len(calls) > 1 and _one_field(calls) and rng.random() < 0.6:
        text = _several_values(rng, calls)
    else:
        joint = rng.choice(_JOINTS)
        text = joint.join(_one(rng, call) for call in calls)
    if rng.random() < 0.2:
        text += rng.choice(_URGED).format(name=calls[-1].tool.name)
    return text


def _one_field(calls: list[Call]) -> bool:
    return (
        len({call.tool.name for call in calls}) == 1
        and all(list(c.arguments) == list(calls[0].arguments) for c in calls)
        and len(calls[0].arguments) == 1
    )


def _several_values(rng: Random, calls: list[Call]) -> str:
    quoted = rng.random() < 0.4
    shown = [_shown(rng, value, quoted) for call in calls for value in call.arguments.values()]
    joined = (
        rng.choice((", ", " and ", "; ")).join(shown[:-1])
        + rng.choice((" and ", " and for ", ", and ", " or "))
        + shown[-1]
    )
    name, said = calls[0].tool.name, spoken(calls[0].tool.name)
    return rng.choice(
        (
            f"What is the {said} for {joined}?",
            f"Call {name} for {joined}.",
            f"{said.capitalize()}: {joined}",
            f"Use {name} with {joined}, one call each.",
            f"How does the {said} of {joined} compare?",
        )
    )


def _one(rng: Random, call: Call) -> str:
    name = call.tool.name
    said = spoken(name)
    if call.tool.description and rng.random() < 0.35:
        purpose = call.tool.description.split("\n")[0].rstrip(".")
        if len(purpose) < 60 and not purpose.startswith(("A tool", "Useful", "Returns", "Use this")):
            said = purpose[0].lower() + purpose[1:]
    if not call.arguments:
        text = rng.choice(_NOTHING_GIVEN).format(name=name, said=said)
    elif rng.random() < 0.22 and _flat(call):
        text = rng.choice(_NOTATION).format(f=notation(rng, call))
    else:
        frame = rng.choice(_NAMED if rng.random() < 0.5 else _SPOKEN)
        text = frame.format(name=name, said=said, given=given(rng, call.arguments))
    return text[0].upper() + text[1:] if rng.random() < 0.6 and not text.startswith(name) else text


def _flat(call: Call) -> bool:
    return all(not isinstance(value, list | dict) for value in call.arguments.values())


def notation(rng: Random, call: Call) -> str:
    """Write a call as code has it, such as ``name(3)`` or ``name(a=3, b="x")``."""
    complete = list(call.arguments) == [p.name for p in call.tool.parameters][: len(call.arguments)]
    named = rng.random() < 0.4 or not complete
    quotes = rng.random() < 0.75
    shown = []
    for key, value in call.arguments.items():
        text = json.dumps(value, ensure_ascii=False) if quotes or not isinstance(value, str) else value
        shown.append(f"{key}={text}" if named else text)
    return f"{call.tool.name}({', '.join(shown)})"


def given(rng: Random, arguments: dict[str, Value]) -> str:
    """Say the arguments."""
    style, quoted = rng.randrange(11), rng.random() < 0.4
    items = [(name, _shown(rng, value, quoted)) for name, value in arguments.items()]
    if style == 0:
        return json.dumps(arguments, ensure_ascii=False)
    if style == 1 and len(items) > 1:
        return "".join(f"\n- {name}: {value}" for name, value in items)
    if len(items) == 1 and style > 4:
        return items[0][1]
    if style in (5, 6):  # in order and without names
        return rng.choice((", ", " and ", " / ")).join(value for _, value in items)
    forms = (
        "{n} {v}",
        "{n} = {v}",
        "{n}: {v}",
        "the {s} {v}",
        "{v} as the {s}",
        "{s} is {v}",
        "{n} set to {v}",
        "a {s} of {v}",
        "{n}={v}",
    )
    form = rng.choice(forms)
    shown = [form.format(n=name, s=spoken(name), v=value) for name, value in items]
    return rng.choice((", ", " and ", ", and ", "; ")).join(shown)


def _shown(rng: Random, value: Value, quoted: bool) -> str:
    if isinstance(value, str):
        mark = rng.choice(('"', '"', "'", "`")) if quoted else ""
        return f"{mark}{value}{mark}"
    if isinstance(value, list) and rng.random() < 0.7:
        return " and ".join(_shown(rng, item, quoted) for item in value)
    return json.dumps(value, ensure_ascii=False)


def sentence(rng: Random) -> str:
    """Return a sentence that means little, as instructions and documents are full of."""
    noun, noun2, noun3 = rng.choice(lexicon.NOUNS), rng.choice(lexicon.NOUNS), rng.choice(lexicon.NOUNS)
    verb, adjective = rng.choice(lexicon.VERBS), rng.choice(lexicon.ADJECTIVES)
    return rng.choice(
        (
            f"Always {verb} the {noun} before the {noun2}.",
            f"If the {noun} is {adjective}, {verb} the {noun2} and nothing else.",
            f"Never {verb} a {noun} that belongs to the {noun2}.",
            f"The {adjective} {noun} must have a {noun2}, and the {noun3} may be {rng.choice(lexicon.ADJECTIVES)}.",
            f"You know the {noun} of every {noun2}.",
            f"Please keep the {noun} {adjective}, whatever the {noun2} says about the {noun3}.",
            f"A {noun} is not a {noun2}; treat it as {adjective}.",
            f"Do not mention the {noun} when you {verb} the {noun2}.",
            f"Some {noun}s have {rng.randrange(2, 90)} {noun2}s, which are {adjective}.",
            f"When in doubt, {verb} it and ask for the {noun}.",
            f"It helps to think about the {noun} first, then the {noun2} and in the end the {noun3}.",
            f"In the {adjective} {noun}, users {verb} the {noun2} by its {noun3}.",
        )
    )


_ROLES = (
    "You are a helpful assistant.",
    "You are an assistant that can call functions.",
    "You are an agent with tools.",
    "You have access to a number of tools. Use them where they help, and answer when you know enough.",
    "You are an agent. For every question, decide which tool fits, call it, and answer from what it gives back.",
    "You help the customers of a {a} {n} shop.",
    "You are the {n} agent of a {n2} company.",
    "Act as a {a} expert for every {n} and {n2}.",
    "Your name is {w}. You work with tools.",
    "Use the tools that are given, with exactly the values from the request. Do not make up values.",
    "If no tool is needed, answer directly.",
    "You are {w}, a {a} system for {n} management.",
    "Answer the user with the help of functions.",
    "Think first and then act.",
    "You are a system that answers queries. Some queries need a function, others do not.",
)


def system_prompt(rng: Random) -> str:
    """Return the system prompt of an agent, short or long."""
    parts = [rng.choice(_ROLES) for _ in range(rng.choice((1, 1, 1, 2)))]
    parts += [sentence(rng) for _ in range(rng.choice((0, 0, 0, 1, 2, 4)))]
    text = rng.choice((" ", " ", "\n", "\n\n- ")).join(parts)
    return text.format(
        a=rng.choice(lexicon.ADJECTIVES),
        n=rng.choice(lexicon.NOUNS),
        n2=rng.choice(lexicon.NOUNS),
        w=rng.choice(lexicon.FIRST_NAMES),
    )
