"""Conversations that use tools: any names, any schemas, arguments copied from the request.

Owns: made-up tools, the calls that a request asks for, and answers built on their results.
Refuses: tools with a meaning of their own (`known_tools`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random

from relaygen_runtime.demo.data import arithmetic, wording
from relaygen_runtime.demo.data.conversation import EASY_CLOSES, EASY_OPENS, Conversation, Message

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a conversation offers: a name, a description, and types by parameter."""

    name: str
    description: str
    parameters: dict[str, str]

    def schema(self, rng: Random) -> Message:
        """Return the OpenAI form of the tool, as one framework or another writes it."""
        properties: dict[str, Message] = {}
        for name, kind in self.parameters.items():
            properties[name] = {"type": kind}
            if rng.random() < 0.15:
                properties[name]["description"] = f"The {name.replace('_', ' ')}."
            if rng.random() < 0.1:
                properties[name]["title"] = name.title()
        parameters: Message = {"type": "object", "properties": properties}
        if properties:
            parameters["required"] = list(properties)
        if rng.random() < 0.3:
            parameters = {"properties": properties, "required": list(properties), "type": "object"}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool with its arguments."""

    tool: Tool
    arguments: dict[str, Value]

    def message(self, rng: Random) -> Message:
        """Return the call as an assistant's message carries it."""
        arguments: object = self.arguments
        if rng.random() < 0.2:
            arguments = json.dumps(self.arguments, ensure_ascii=False)
        return {"type": "function", "function": {"name": self.tool.name, "arguments": arguments}}


def easy(word: str, sentence: str) -> str:
    """Return a marked easy sentence after its cue word."""
    return f"{word},{EASY_OPENS} {sentence}.{EASY_CLOSES}"


def calling(rng: Random, thinking: str, calls: list[Call]) -> Message:
    """Return the assistant's turn that makes the calls."""
    return {
        "role": "assistant",
        "reasoning_content": thinking,
        "content": "",
        "tool_calls": [call.message(rng) for call in calls],
    }


def result(text: str) -> Message:
    """Return a tool's turn."""
    return {"role": "tool", "content": text}


def made_up_tool(rng: Random) -> Tool:
    """Return a tool that no one has seen."""
    verb, thing = rng.choice(wording.VERBS), rng.choice(wording.THINGS)
    draw = rng.random()
    if draw < 0.5:
        name = f"{verb}_{thing}"
    elif draw < 0.65:
        name = verb + thing.title()
    elif draw < 0.8:
        name = f"{wording.made_up_word(rng)}_{thing}"
    else:
        name = wording.made_up_word(rng)
    if rng.random() < 0.15:
        name += f"_{wording.made_up_word(rng)}"
    description = rng.choice(
        (
            f"{verb.title()} the {thing}.",
            f"{verb.title()} a {thing} by its {rng.choice(wording.PARAMETERS)}.",
            f"A function for the {thing}.",
            f"Applies {wording.made_up_word(rng)} to its input.",
            f"{verb.title()}s {thing} data and returns it.",
            "",
        )
    )
    names = [_parameter_name(rng) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3)))]
    types = ("string", "string", "integer", "integer", "number", "boolean")
    return Tool(name, description, {name: rng.choice(types) for name in names})


def _parameter_name(rng: Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(wording.PARAMETERS)
    if rng.random() < 0.5:
        return f"{rng.choice(wording.THINGS)}_{rng.choice(wording.PARAMETERS)}"
    return wording.made_up_word(rng)


def random_value(rng: Random, kind: str) -> Value:
    """Draw a value of a JSON type."""
    if kind == "integer":
        return rng.choice((rng.randrange(0, 10), rng.randrange(0, 100), rng.randrange(0, 10000)))
    if kind == "number":
        return round(rng.uniform(0, 200), rng.randrange(1, 3))
    if kind == "boolean":
        return rng.random() < 0.5
    draw = rng.random()
    if draw < 0.3:
        return " ".join(rng.sample(wording.WORDS, rng.randrange(1, 4)))
    if draw < 0.5:
        return wording.made_up_word(rng)
    if draw < 0.65:
        return rng.choice(wording.PEOPLE)
    if draw < 0.8:
        return rng.choice(wording.CITIES)
    return wording.foreign_text(rng)


def made_up_conversation(rng: Random) -> Conversation:
    """Call one or two made-up tools as the user asks, and perhaps use what they give back."""
    offered = [made_up_tool(rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    count = 2 if rng.random() < 0.22 else 1
    if count == 2 and rng.random() < 0.4:
        chosen = [rng.choice(offered)] * 2
    else:
        chosen = rng.sample(offered, min(count, len(offered)))
    calls = [Call(tool, {n: random_value(rng, t) for n, t in tool.parameters.items()}) for tool in chosen]
    messages: list[Message] = [*_before(rng), arithmetic.user(_request(rng, calls))]
    names = " and ".join(call.tool.name for call in calls)
    thinking = rng.choice(("The user wants me to use {n}.", "This request is for {n}.", "I look at the request: {n}."))
    cue = rng.choice(("So", "Now"))
    text = thinking.format(n=names) + " " + easy(cue, f"I call {names} with what was given")
    messages.append(calling(rng, text, calls))
    if rng.random() < 0.55:
        results = [_result(rng) for _ in calls]
        messages += [result(raw) for raw, _ in results]
        messages.append(after(rng, [c.tool.name for c in calls], [said for _, said in results]))
    schemas = tuple(tool.schema(rng) for tool in offered)
    trained = 2 if messages[-2]["role"] == "tool" else 1
    return Conversation("tool", tuple(messages), schemas, trained_turns=trained)


def after(rng: Random, names: list[str], said: list[str]) -> Message:
    """Return the turn that answers from tool results."""
    joined = " and ".join(names)
    thinking = rng.choice(("The result of {n} is here.", "I have what {n} gave back.")).format(n=joined)
    thinking += " " + easy(rng.choice(("So", "Now")), "I tell the user what came back")
    if len(said) == 1:
        answer = f"The result of {names[0]} is {said[0]}."
    else:
        answer = " ".join(f"{name} gave {value}." for name, value in zip(names, said, strict=True))
    return {"role": "assistant", "reasoning_content": thinking, "content": answer}


def _before(rng: Random) -> list[Message]:
    turns: list[Message] = []
    if rng.random() < 0.4:
        turns.append({"role": "system", "content": rng.choice(wording.SYSTEM_PROMPTS)})
    if rng.random() < 0.15:
        turns += [arithmetic.user("Hello!"), arithmetic.assistant("Hello! What can I do for you?")]
    if rng.random() < 0.1:
        tool = made_up_tool(rng)
        call = Call(tool, {n: random_value(rng, t) for n, t in tool.parameters.items()})
        raw, said = _result(rng)
        turns.append(arithmetic.user(_request(rng, [call])))
        turns.append({"role": "assistant", "content": "", "tool_calls": [call.message(rng)]})
        turns += [result(raw), arithmetic.assistant(f"The result of {tool.name} is {said}.")]
    return turns


def _request(rng: Random, calls: list[Call]) -> str:
    joint = rng.choice((" Then ", " Also, ", " And ", "\n", " At the same time, "))
    parts = [_one_request(rng, call) for call in calls]
    return joint.join(parts)


def _one_request(rng: Random, call: Call) -> str:
    name, spoken = call.tool.name, call.tool.name.replace("_", " ")
    given = _spoken_arguments(rng, call.arguments)
    if not given:
        return rng.choice((f"Call {name}.", f"Use the {name} tool.", f"Please run {name} now.", f"I need {spoken}."))
    return rng.choice(
        (
            f"Call {name} with {given}.",
            f"Use the {name} tool with {given}.",
            f"Please {spoken} with {given}.",
            f"What does {name} give for {given}?",
            f"Run {name}: {given}",
            f"I need {spoken} for {given}.",
            f"What is the value of {name} given {given}?",
        )
    )


def _spoken_arguments(rng: Random, arguments: dict[str, Value]) -> str:
    style = rng.randrange(5)
    forms = ("{n} {v}", "{n} = {v}", "{n}: {v}", 'the {n} "{v}"', "{v} as the {n}")
    shown = []
    for name, value in arguments.items():
        text = json.dumps(value) if isinstance(value, bool | int | float) else value
        bare = style == 4 and len(arguments) == 1 and rng.random() < 0.5
        shown.append(text if bare else forms[style].format(n=name, v=text))
    return (", " if rng.random() < 0.5 else " and ").join(shown)


def _result(rng: Random) -> tuple[str, str]:
    """Return a tool's output, and how the answer says it."""
    draw = rng.random()
    if draw < 0.4:
        value = str(random_value(rng, rng.choice(("integer", "number"))))
        return value, value
    if draw < 0.75:
        text = str(random_value(rng, "string"))
        return text, text
    names = rng.sample(wording.PARAMETERS, rng.randrange(1, 3))
    data = {name: random_value(rng, rng.choice(("string", "integer"))) for name in names}
    return json.dumps(data, ensure_ascii=False), ", ".join(f"{name} {value}" for name, value in data.items())
