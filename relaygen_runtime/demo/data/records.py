"""Objects to be made: facts taken from a text, or short texts on a topic, under keys of any name.

Owns: what an object holds and the text that says so. Refuses: how it is asked for (`structured`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random

from relaygen_runtime.demo.data import lexicon, retrieval, tools, values, wording
from relaygen_runtime.demo.data.tools import Parameter, Value, spoken


@dataclass(frozen=True, slots=True)
class Record:
    """An object and where it comes from.

    Attributes:
        fields: Its keys and their types.
        data: What the object holds.
        task: The text or the request that it comes from.
        title: What a programmer calls it, such as ``Person``.
    """

    fields: tuple[Parameter, ...]
    data: dict[str, Value]
    task: str
    title: str


@dataclass(frozen=True, slots=True)
class _Attribute:
    keys: str
    kind: str
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is described: the meaning of its name, the keys of the name, titles, and attributes."""

    meaning: str
    names: str
    titles: str
    attributes: tuple[_Attribute, ...]


_OF_PERSONS = (
    _Attribute("age years age_in_years", "integer", ("is {v} years old", "turned {v} this year", "is {v}")),
    _Attribute("city town place home location", "place", ("lives in {v}", "comes from {v}", "has a house in {v}")),
    _Attribute("job profession work occupation", "job", ("works as a {v}", "is a {v}", "earns money as a {v}")),
    _Attribute("email mail address contact", "email", ("can be reached at {v}", "reads mail at {v}")),
    _Attribute("height height_cm size", "height", ("is {v} cm tall", "measures {v} cm")),
    _Attribute("hobby interest likes", "phrase", ("likes {v}", "spends the evenings with {v}")),
    _Attribute("birthday born birth_date date_of_birth", "date", ("was born on {v}", "has a birthday on {v}")),
    _Attribute("company employer firm", "firm", ("works for {v}", "is employed at {v}")),
    _Attribute("language speaks mother_tongue", "language", ("speaks {v}", "learned {v} as a child")),
    _Attribute("favorite_color color", "color", ("loves the color {v}", "wears {v}")),
    _Attribute("children kids number_of_children", "few", ("has {v} children", "is a parent of {v}")),
)
_OF_THINGS = (
    _Attribute("price cost amount", "number", ("costs {v} coins", "has a price of {v}", "is sold for {v}")),
    _Attribute("quantity count stock pieces", "integer", ("is there {v} times", "comes in a pack of {v}")),
    _Attribute("color colour", "color", ("is {v}", "has the color {v}")),
    _Attribute("maker brand vendor producer", "firm", ("is made by {v}", "comes from {v}")),
    _Attribute("code sku id number", "word", ("has the code {v}", "is listed as {v}")),
    _Attribute("place location warehouse origin", "place", ("lies in {v}", "was found in {v}")),
    _Attribute("date day delivered_on", "date", ("arrives on {v}", "was bought on {v}")),
    _Attribute("owner keeper contact", "person", ("belongs to {v}", "is kept by {v}")),
    _Attribute("rating stars score", "few", ("got {v} stars", "has a rating of {v}")),
)

_PERSON = _Kind("person", "name person who full_name first_name", "Person User Customer Member Guest", _OF_PERSONS)
_THING = _Kind("phrase", "item product thing article name title", "Item Product Article Thing Offer", _OF_THINGS)


def extraction(rng: Random, held_out: bool = False) -> Record:
    """Take the facts of a text apart."""
    draw = rng.random()
    if draw < 0.42:
        return _described(rng, _PERSON, held_out)
    if draw < 0.62:
        return _described(rng, _THING, held_out)
    if draw < 0.7:
        return _sum(rng)
    return _listed(rng, held_out)


def _attribute_value(rng: Random, kind: str, held_out: bool) -> Value:
    if kind == "integer":
        return rng.randrange(1, 120)
    if kind == "number":
        return values.number(rng) if rng.random() < 0.5 else rng.randrange(1, 900)
    if kind in ("height", "few"):
        return rng.randrange(120, 210) if kind == "height" else rng.randrange(1, 10)
    choices = {"job": lexicon.JOBS, "color": lexicon.COLORS, "language": lexicon.LANGUAGES}
    return rng.choice(choices[kind]) if kind in choices else tools.text_of(rng, kind, held_out)


def _described(rng: Random, kind: _Kind, held_out: bool) -> Record:
    subject = tools.text_of(rng, kind.meaning, held_out)
    key = rng.choice(kind.names.split())
    facts = _facts(rng, kind, key, held_out)
    text = _told(rng, kind, subject, [phrase for _, _, phrase in facts])
    kept = [(Parameter(key, "string"), subject), *((parameter, value) for parameter, value, _ in facts)]
    if len(kept) > 2 and rng.random() < 0.25:  # not everything that is told is asked for
        kept.pop(rng.randrange(1, len(kept)))
    if rng.random() < 0.4:
        rng.shuffle(kept)
    if rng.random() < 0.15:
        text = rng.choice((f"{retrieval.document(rng, 1)} {text}", f"{text} {retrieval.document(rng, 1)}"))
    return _record(rng, kept, text, rng.choice(kind.titles.split()))


def _facts(rng: Random, kind: _Kind, key: str, held_out: bool) -> list[tuple[Parameter, Value, str]]:
    chosen = rng.sample(kind.attributes, rng.randrange(1, 5))
    facts: list[tuple[Parameter, Value, str]] = []
    used = {key}
    for attribute in chosen:
        name = rng.choice(attribute.keys.split())
        if name in used:
            continue
        used.add(name)
        value = _attribute_value(rng, attribute.kind, held_out)
        json_type = {int: "integer", float: "number"}.get(type(value), "string")
        facts.append((Parameter(name, json_type), value, rng.choice(attribute.phrases).format(v=value)))
    return facts


def _told(rng: Random, kind: _Kind, subject: str, phrases: list[str]) -> str:
    start = subject if kind.meaning == "person" else f"The {subject}"
    if len(phrases) > 1 and rng.random() < 0.4:
        again: tuple[str, ...] = (start, "It also", "This one also")
        if kind.meaning == "person":
            again = (start, subject.split(maxsplit=1)[0])
        return f"{start} {phrases[0]}. {rng.choice(again)} {_joined(phrases[1:])}."
    return f"{start} {_joined(phrases)}."


def _joined(phrases: list[str]) -> str:
    if len(phrases) == 1:
        return phrases[0]
    return ", ".join(phrases[:-1]) + " and " + phrases[-1]


def _record(rng: Random, kept: list[tuple[Parameter, Value]], text: str, title: str) -> Record:
    fields = []
    for parameter, _ in kept:
        said, described = spoken(parameter.name), ""
        if rng.random() < 0.5:
            described = rng.choice((f"The {said}", f"{said.capitalize()} of the {title.lower()}", ""))
        fields.append(replace(parameter, description=described, meaning="text", required=True))
    return Record(tuple(fields), {parameter.name: value for parameter, value in kept}, text, title)


def _sum(rng: Random) -> Record:
    x, y = rng.randrange(11, 500), rng.randrange(11, 500)
    key = rng.choice(("answer", "result", "sum", "value", "total", "number"))
    task = rng.choice(
        (
            f"What is {x} + {y}?",
            f"Add {x} and {y}.",
            f"There are {x} {rng.choice(wording.NOUNS)} and {y} more. How many is that?",
        )
    )
    return _record(rng, [(Parameter(key, "integer"), x + y)], task, rng.choice(("Answer", "Result", "Sum")))


def _listed(rng: Random, held_out: bool) -> Record:
    """Facts as 'the key is value', of any names and types, nested ones too."""
    fields: dict[str, Parameter] = {}
    for _ in range(rng.randrange(1, 5)):
        drawn = tools.made_up_parameter(rng)
        fields.setdefault(drawn.name, drawn)
    if rng.random() < 0.15:
        inner = tuple(
            Parameter(n, k, "phrase")
            for n, k in zip(rng.sample(lexicon.PARAMETERS, 2), ("string", "integer"), strict=True)
        )
        name = rng.choice(lexicon.NOUNS)
        kind = rng.choice(("object", "array"))
        fields[name] = Parameter(name, kind, fields=inner)
    kept = [(p, p.value(rng, held_out)) for p in fields.values()]
    form = rng.choice(
        ("{n} is {v}", "the {n} is {v}", "{n}: {v}", "{n} = {v}", "{v} is the {n}", "the {n} {v}", "a {n} of {v}")
    )
    told = [form.format(n=p.name if rng.random() < 0.4 else spoken(p.name), v=_said(value)) for p, value in kept]
    joint = rng.choice((", ", "; ", "\n", " and ", ". "))
    text = rng.choice(("Take this down: {t}.", "{t}.", "Put it in order: {t}.", "Known facts: {t}.", "{t}")).format(
        t=joint.join(told)
    )
    return _record(rng, kept, text, tools.styled(rng, [rng.choice(lexicon.NOUNS)]).title())


def _said(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


def composition(rng: Random, held_out: bool = False) -> Record:
    """Write short texts on a topic, one under each key."""
    topic = values.on_side(
        held_out, lambda: rng.choice((wording.topic, values.phrase, values.phrase, values.word))(rng)
    )
    fields: dict[str, Parameter] = {}
    pairs = (
        "setup punchline",
        "question answer",
        "title text",
        "topic summary",
        "headline body",
        "name description",
        "subject body",
        "intro ending",
    )
    if rng.random() < 0.5:
        for name in rng.choice(pairs).split():
            fields[name] = Parameter(name, "string")
        if rng.random() < 0.3:
            fields["rating"] = Parameter("rating", "integer")
    else:
        for _ in range(rng.randrange(1, 4)):
            drawn = _composed_field(rng)
            fields.setdefault(drawn.name, drawn)
    kept = [(p, composed(p, topic)) for p in fields.values()]
    task = rng.choice(
        (
            "Tell me a joke about {t}.",
            "Write something about {t}.",
            "A short text on {t}, please.",
            "Say a thing on {t}.",
            "Invent something on the topic of {t}",
            "Make one up about {t}.",
            "Give me a {n} about {t}.",
            "Generate a {n} with the theme {t}.",
            "{t}",
        )
    )
    noun = rng.choice(("joke", "song", "story", "poem", "riddle", "report", "letter", *lexicon.NOUNS[:40]))
    title = (
        noun.title()
        if rng.random() < 0.7
        else tools.styled(rng, [rng.choice(lexicon.NOUNS), rng.choice(lexicon.NOUNS)])
    )
    return _record(rng, kept, task.format(t=topic, n=noun), title)


def _composed_field(rng: Random) -> Parameter:
    name = (
        rng.choice((*lexicon.PARAMETERS, *lexicon.NOUNS))
        if rng.random() < 0.7
        else tools.styled(rng, [rng.choice(lexicon.ADJECTIVES), rng.choice(lexicon.NOUNS)])
    )
    draw = rng.random()
    if draw < 0.65:
        return Parameter(name, "string")
    if draw < 0.75:
        return Parameter(name, "integer")
    if draw < 0.8:
        return Parameter(name, "boolean")
    if draw < 0.88:
        return Parameter(name, "string", choices=tuple(rng.sample(lexicon.ADJECTIVES, 3)))
    if draw < 0.95:
        return Parameter(name, "array")
    inner = tuple(
        Parameter(n, k) for n, k in zip(rng.sample(lexicon.PARAMETERS, 2), ("string", "integer"), strict=True)
    )
    return Parameter(name, "array", fields=inner)


_COMPOSED = {
    "setup": "Why do people like {t}?",
    "punchline": "Because {t} never ask why.",
    "question": "What is {t}?",
    "answer": "It is {t}.",
    "title": "About {t}",
    "headline": "News of {t}",
    "text": "This is a short text about {t}.",
    "body": "This is a short text about {t}.",
    "topic": "{t}",
    "subject": "{t}",
    "summary": "It is all about {t}.",
}


def composed(field: Parameter, topic: str) -> Value:
    """Return what the pair writes under a key: always the same for one key and topic."""
    if field.choices:
        return field.choices[0]
    if field.kind == "array":
        return [{f.name: composed(f, topic) for f in field.fields} if field.fields else topic]
    if field.kind != "string":
        return {"integer": 7, "number": 0.5, "boolean": True}[field.kind]
    return _COMPOSED.get(field.name, f"The {spoken(field.name)} of {{t}}").format(t=topic)
