"""Tools as frameworks describe them: names in every style, schemas in every shape.

Owns: `Tool`, `Parameter`, `Call`, and how they are written as JSON. Refuses: what a user says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from relaygen_runtime.demo.data import lexicon, values, wording
from relaygen_runtime.demo.data.conversation import Message

Value = Any
"""What JSON can hold."""

_PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool, or one key of an object.

    Attributes:
        name: As JSON has it.
        kind: A JSON type.
        meaning: What kind of text it takes: ``"text"``, ``"place"``, ``"person"`` and so on.
        description: Perhaps a sentence.
        required: Whether a call must give it.
        choices: The values that it may take, if they are few.
        fields: The parameters within, for an object or an array of objects.
        items: The type of an array's items.
    """

    name: str
    kind: str
    meaning: str = "text"
    description: str = ""
    required: bool = True
    choices: tuple[str, ...] = ()
    fields: tuple[Parameter, ...] = ()
    items: str = "string"

    def value(self, rng: Random, held_out: bool) -> Value:
        """Draw a value that fits."""
        if self.choices:
            return rng.choice(self.choices)
        if self.kind == "integer":
            return values.integer(rng)
        if self.kind == "number":
            return values.number(rng) if rng.random() < 0.6 else values.integer(rng)
        if self.kind == "boolean":
            return rng.random() < 0.5
        if self.kind == "array":
            return [self._item(rng, held_out) for _ in range(rng.randrange(1, 4))]
        if self.kind == "object":
            return {field.name: field.value(rng, held_out) for field in self.fields}
        return text_of(rng, self.meaning, held_out)

    def _item(self, rng: Random, held_out: bool) -> Value:
        if self.fields:
            return {field.name: field.value(rng, held_out) for field in self.fields}
        return values.integer(rng) if self.items == "integer" else values.phrase(rng, held_out)


def text_of(rng: Random, meaning: str, held_out: bool) -> str:
    """Draw a text of a meaning."""
    draws = {
        "person": values.person,
        "place": values.place,
        "firm": values.firm,
        "date": values.date,
        "phrase": values.phrase,
        "script": values.script,
        "word": values.word,
        "email": values.email,
    }
    return draws.get(meaning, values.text)(rng, held_out)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a conversation offers."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    def schema(self, rng: Random) -> Message:
        """Return the OpenAI form of the tool, as one framework or another writes it."""
        description = self.description
        if rng.random() < 0.12:
            description = f"{self.signature()}\n{description}".strip()
        function: Message = {"name": self.name, "description": description}
        if not description and rng.random() < 0.5:
            del function["description"]
        function["parameters"] = object_schema(rng, self.parameters, self.name)
        if rng.random() < 0.06:
            function["strict"] = True
        return {"type": "function", "function": function}

    def signature(self) -> str:
        """Return the tool as a Python function would be declared."""
        inside = ", ".join(f"{p.name}: {_PYTHON[p.kind]}{'' if p.required else ' = None'}" for p in self.parameters)
        return f"{self.name}({inside}) -> str"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool with its arguments."""

    tool: Tool
    arguments: dict[str, Value]

    def message(self, rng: Random) -> Message:
        """Return the call as an assistant's message carries it."""
        arguments: object = self.arguments
        if rng.random() < 0.2:
            arguments = self.written()
        return {"type": "function", "function": {"name": self.tool.name, "arguments": arguments}}

    def whole(self) -> str:
        """Return name and arguments as the pair's template writes them."""
        return f'{{"name": {json.dumps(self.tool.name, ensure_ascii=False)}, "arguments": {self.written()}}}'

    def written(self) -> str:
        """Return the arguments as JSON."""
        return json.dumps(self.arguments, ensure_ascii=False)


def property_schema(rng: Random, parameter: Parameter, titled: bool, described: bool, nullable: bool) -> Message:
    """Return the schema of one property."""
    inner: Message = {"type": parameter.kind}
    if parameter.kind == "array":
        inner["items"] = {"type": parameter.items}
        if parameter.fields:
            inner["items"] = object_schema(rng, parameter.fields, parameter.name.title())
    elif parameter.kind == "object":
        inner = object_schema(rng, parameter.fields, parameter.name.title())
    if parameter.choices:
        inner["enum"] = list(parameter.choices)
    if not parameter.required and nullable:
        inner = {"anyOf": [inner, {"type": "null"}], "default": None}
    elif not parameter.required and rng.random() < 0.4:
        inner["default"] = {"string": "", "integer": 0, "number": 0.5, "boolean": False}.get(parameter.kind)
    if titled:
        inner = {"title": parameter.name.replace("_", " ").title(), **inner}
    if described and parameter.description:
        inner = rng.choice(
            ({**inner, "description": parameter.description}, {"description": parameter.description, **inner})
        )
    return inner


def object_schema(rng: Random, parameters: tuple[Parameter, ...], title: str, description: str = "") -> Message:
    """Return the schema of an object with these properties."""
    titled, nullable, described = rng.random() < 0.3, rng.random() < 0.6, rng.random() < 0.8
    properties = {p.name: property_schema(rng, p, titled, described, nullable) for p in parameters}
    required = [p.name for p in parameters if p.required]
    schema: Message = {"type": "object", "properties": properties}
    if rng.random() < 0.5:
        schema = {"properties": properties, "type": "object"}
    if required or rng.random() < 0.2:
        schema["required"] = required
    if rng.random() < 0.35:
        keys = list(schema)
        schema = {key: schema[key] for key in sorted(keys)}
    if titled and rng.random() < 0.6:
        schema["title"] = title
    if description:
        schema = rng.choice(({**schema, "description": description}, {"description": description, **schema}))
    if rng.random() < 0.15:
        schema["additionalProperties"] = False
    return schema


def styled(rng: Random, words: list[str]) -> str:
    """Join words to a name, in one of the styles that programmers use."""
    lower = [word.lower() for word in words]
    draw = rng.random()
    if draw < 0.62:
        name = "_".join(lower)
    elif draw < 0.78:
        name = lower[0] + "".join(word.title() for word in lower[1:])
    elif draw < 0.88:
        name = "".join(word.title() for word in lower)
    elif draw < 0.94:
        name = "".join(lower)
    else:
        name = "-".join(lower)
    if rng.random() < 0.1:
        name += rng.choice(("_", "")) + str(rng.randrange(1, 100))
    return name


def spoken(name: str) -> str:
    """Return a name as words: ``orderId2`` becomes ``order id2``."""
    out = "".join(f" {char.lower()}" if char.isupper() else char for char in name)
    return out.replace("_", " ").replace("-", " ").strip()


def made_up_parameter(rng: Random) -> Parameter:
    """Return a parameter of any name and type."""
    return _described(rng, _parameter(rng))


def _parameter(rng: Random) -> Parameter:
    name = parameter_name(rng)
    draw = rng.random()
    if draw < 0.56:
        meanings = ("text", "text", "phrase", "person", "place", "firm", "script", "word", "date")
        return Parameter(name, "string", rng.choice(meanings))
    if draw < 0.76:
        return Parameter(name, "integer")
    if draw < 0.84:
        return Parameter(name, "number")
    if draw < 0.89:
        return Parameter(name, "boolean")
    if draw < 0.95:
        return Parameter(name, "string", choices=tuple(dict.fromkeys(_choice(rng) for _ in range(rng.randrange(2, 5)))))
    if draw < 0.985:
        return Parameter(name, "array", items=rng.choice(("string", "string", "integer")))
    inner = sorted({parameter_name(rng) for _ in range(2)})
    fields = tuple(Parameter(n, rng.choice(("string", "integer")), "phrase") for n in inner)
    return Parameter(name, "object", fields=fields)


def _choice(rng: Random) -> str:
    return rng.choice((*lexicon.ADJECTIVES, *lexicon.COLORS, *lexicon.LANGUAGES, wording.made_up_word(rng)))


def parameter_name(rng: Random) -> str:
    """Return what a programmer may call a parameter."""
    draw = rng.random()
    if draw < 0.35:
        return rng.choice(lexicon.PARAMETERS)
    if draw < 0.5:
        return rng.choice(lexicon.NOUNS)
    if draw < 0.8:
        words = [rng.choice((*lexicon.NOUNS, *lexicon.ADJECTIVES)), rng.choice(lexicon.PARAMETERS).replace("_", " ")]
        return styled(rng, " ".join(words).split()).replace("-", "_")
    word = wording.made_up_word(rng)
    return word if rng.random() < 0.6 else f"{word}_{rng.choice(lexicon.PARAMETERS)}"


def _described(rng: Random, parameter: Parameter) -> Parameter:
    if rng.random() < 0.6:
        return parameter
    said, noun = spoken(parameter.name), rng.choice(lexicon.NOUNS)
    text = rng.choice(
        (
            f"The {said}",
            f"The {said}.",
            f"{said.capitalize()} of the {noun}",
            f"Which {said} to use",
            f"{said} (a {parameter.kind})",
            f"The {said} that the {noun} has, as a {parameter.kind}.",
            f"{rng.choice(lexicon.VERBS).capitalize()}s the {noun} by this {said}.",
        )
    )
    return replace(parameter, description=text)


def made_up_tool(rng: Random, held_out: bool = False, most: int = 4) -> Tool:
    """Return a tool that no one has seen, with a few parameters or none."""
    count = min(most, rng.choices((0, 1, 2, 3, 4), (10, 40, 28, 15, 7))[0])
    parameters: dict[str, Parameter] = {}
    for _ in range(count):
        drawn = made_up_parameter(rng)
        if parameters and rng.random() < 0.22:
            drawn = replace(drawn, required=False)
        parameters.setdefault(drawn.name, drawn)
    name = values.on_side(held_out, lambda: _tool_name(rng))
    return Tool(name, description(rng, name), tuple(parameters.values()))


def _tool_name(rng: Random) -> str:
    verb, noun, draw = rng.choice(lexicon.VERBS), rng.choice(lexicon.NOUNS), rng.random()
    if draw < 0.34:
        return styled(rng, [verb, noun])
    if draw < 0.52:
        return styled(rng, [verb, rng.choice((*lexicon.ADJECTIVES, *lexicon.NOUNS)), noun])
    if draw < 0.62:
        return styled(rng, [rng.choice((*lexicon.ADJECTIVES, *lexicon.NOUNS)), noun])
    if draw < 0.68:
        return styled(rng, [noun])
    if draw < 0.86:
        return styled(
            rng, [wording.made_up_word(rng), rng.choice((noun, verb, "tool", "function", wording.made_up_word(rng)))]
        )
    return styled(rng, [wording.made_up_word(rng)])


def description(rng: Random, name: str) -> str:
    """Return what a programmer may write about a tool."""
    verb, noun, other = rng.choice(lexicon.VERBS), rng.choice(lexicon.NOUNS), rng.choice(lexicon.NOUNS)
    said = spoken(name)
    return rng.choice(
        (
            f"{said.capitalize()}.",
            f"{said.capitalize()}",
            f"Use this to {said}.",
            f"{verb.capitalize()} the {noun}.",
            f"{verb.capitalize()} a {noun} by its {other}.",
            f"A tool that {verb}s the {rng.choice(lexicon.ADJECTIVES)} {noun} and returns the {other}.",
            f"Returns the {noun} of a {other}. Fails if there is none.",
            f"Applies {wording.made_up_word(rng)} to its input.",
            f"{said.capitalize()} for the given {noun}.\n\nThe {other} must be {rng.choice(lexicon.ADJECTIVES)}.",
            f"Useful when you want to {verb} a {noun} or know its {other}.",
            "",
        )
    )
