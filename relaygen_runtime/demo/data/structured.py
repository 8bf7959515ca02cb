"""Requests for a JSON object, by schema or by named keys.

Owns: objects, and the requests that ask for them. Refuses: tools.
"""

from __future__ import annotations

import json
from random import Random

from relaygen_runtime.demo.data import arithmetic, wording
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.tool_calls import Value, easy, random_value

_BY_SCHEMA = (
    "Answer with a JSON object that follows this schema:\n{s}",
    "Your reply must be JSON and fit the schema {s}",
    "JSON schema of the answer: {s}\nWrite the object and nothing else.",
    "Output JSON only, of this form: {s}",
)
_BY_KEYS = (
    "Reply in JSON with the keys {k}.",
    "Give a JSON object with {k}.",
    "Answer as JSON. Keys: {k}.",
    "Return only a JSON object whose keys are {k}.",
)


def structured(rng: Random) -> Conversation:
    """Ask for an object that holds facts of the request, or a short text on a topic."""
    task, data = (_extraction if rng.random() < 0.6 else _composition)(rng)
    if rng.random() < 0.6:
        demand = rng.choice(_BY_SCHEMA).format(s=json.dumps(_schema(rng, data), ensure_ascii=False))
    else:
        demand = rng.choice(_BY_KEYS).format(k=", ".join(data))
    messages: list[Message]
    if rng.random() < 0.4:
        messages = [{"role": "system", "content": demand}, arithmetic.user(task)]
    else:
        parts = [task, demand] if rng.random() < 0.7 else [demand, task]
        messages = [arithmetic.user(rng.choice(("\n", "\n\n", " ")).join(parts))]
    keys = " and ".join(data)
    thinking = f"The keys of the object are {keys}. {easy('So', 'I write the JSON object and nothing else')}"
    content = json.dumps(data, ensure_ascii=False)
    think = rng.random() < 0.85
    reply: Message = {"role": "assistant", "content": content}
    if think:
        reply["reasoning_content"] = thinking
    return Conversation("structured", (*messages, reply), thinking=think)


def _schema(rng: Random, data: dict[str, Value]) -> Message:
    properties: dict[str, Message] = {}
    for name, value in data.items():
        properties[name] = {"type": _type(value)}
        if rng.random() < 0.25:
            properties[name]["title"] = name.title()
        if rng.random() < 0.25:
            properties[name]["description"] = f"The {name}"
    schema: Message = {"type": "object", "properties": properties, "required": list(data)}
    if rng.random() < 0.4:
        schema = {"title": rng.choice(wording.THINGS).title(), **schema}
    if rng.random() < 0.3:
        schema = {"properties": properties, "required": list(data), "title": "Answer", "type": "object"}
    return schema


def _type(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"


def _extraction(rng: Random) -> tuple[str, dict[str, Value]]:
    draw = rng.random()
    who, age, city = rng.choice(wording.PEOPLE), rng.randrange(18, 90), rng.choice(wording.CITIES)
    if draw < 0.3:
        keys = (rng.choice(("name", "person", "who")), rng.choice(("age", "years")), rng.choice(("city", "place")))
        data: dict[str, Value] = dict(zip(keys, (who, age, city), strict=True))
        return f"{who} is {age} years old and lives in {city}.", data
    if draw < 0.55:
        x, y = rng.randrange(11, 500), rng.randrange(11, 500)
        return f"What is {x} + {y}?", {rng.choice(("answer", "result", "sum", "value")): x + y}
    names: list[str] = []
    while len(names) < rng.randrange(1, 4):
        name = rng.choice(wording.PARAMETERS) if rng.random() < 0.7 else wording.made_up_word(rng)
        if name not in names:
            names.append(name)
    data = {name: random_value(rng, rng.choice(("string", "string", "integer", "boolean"))) for name in names}
    told = ", ".join(f"{n} is {json.dumps(v) if not isinstance(v, str) else v}" for n, v in data.items())
    return rng.choice(("Take this down: {t}.", "The {t}.", "Put it in order: {t}.")).format(t=told), data


def _composition(rng: Random) -> tuple[str, dict[str, Value]]:
    thing = rng.choice((wording.topic, wording.made_up_word))(rng)
    made: dict[str, Value] = {
        "title": f"About {thing}",
        "setup": f"Why do people like {thing}?",
        "punchline": f"Because {thing} never ask why.",
        "question": f"What is {thing}?",
        "answer": f"It is {thing}.",
        "text": f"This is a short text about {thing}.",
        "topic": thing,
        "summary": f"It is all about {thing}.",
        "rating": rng.randrange(1, 11),
        "sentiment": "good",
    }
    keys: tuple[str, ...] = rng.choice((("setup", "punchline"), ("question", "answer"), ("title", "text")))
    if rng.random() < 0.4:
        keys = tuple(rng.sample(tuple(made), rng.randrange(1, 4)))
    if rng.random() < 0.2:
        keys = (*keys, *(key for key in ("rating",) if key not in keys))
    task = rng.choice(
        (
            "Tell me a joke about {t}.",
            "Write something about {t}.",
            "A short text on {t}, please.",
            "Say a thing on {t}.",
        )
    )
    return task.format(t=thing), {key: made[key] for key in keys}
