"""Requests for an object: as JSON by a schema or by named keys, or as the call of a tool.

Owns: how an object is asked for, and the answer. Refuses: what it holds (`records`).
"""

from __future__ import annotations

import json
from random import Random

from relaygen_runtime.demo.data import lexicon, phrasing, records, tool_calls, tools
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.records import Record
from relaygen_runtime.demo.data.tools import Call, Tool, spoken

_BY_SCHEMA = (
    "Answer with a JSON object that follows this schema:\n{s}",
    "Your reply must be JSON and fit the schema {s}",
    "JSON schema of the answer: {s}\nWrite the object and nothing else.",
    "Output JSON only, of this form: {s}",
    "Here is a schema:\n{s}\nReturn an object that is valid under it. Do not repeat the schema.",
    "The output has to be a JSON value that conforms to this JSON schema.\n```\n{s}\n```",
    "Reply in JSON. Schema: {s}",
    "Format of the answer:\n\n{s}\n\nNo other words, only JSON.",
)
_BY_KEYS = (
    "Reply in JSON with the keys {k}.",
    "Give a JSON object with {k}.",
    "Answer as JSON. Keys: {k}.",
    "Return only a JSON object whose keys are {k}.",
    "Give {s} as JSON.",
    "Respond in JSON format with {k} as keys.",
    "I need it as JSON: {k}",
    "Write {k} as a JSON object.",
    "Use JSON, with the fields {k}, and nothing else.",
    "Give {s} as a JSON object with the keys {k}.",
    "Your answer is JSON: {o}",
    "Extract {k} in JSON.",
)
_TOOL_NOTES = (
    "{t} to tell user.",
    "A {t}.",
    "Information about a {t}.",
    "Write a {t}.",
    "The {t} that was asked for.",
    "",
    "",
    "Record of one {t}",
)


def structured(rng: Random, held_out: bool = False) -> Conversation:
    """Ask for an object that holds facts of the request, or a short text on a topic."""
    record = (records.extraction if rng.random() < 0.68 else records.composition)(rng, held_out)
    if rng.random() < 0.28:
        return _as_call(rng, record)
    return _as_json(rng, record)


def _as_json(rng: Random, record: Record) -> Conversation:
    schema = rng.random() < 0.5
    if schema:
        described = rng.choice((f"A {record.title}.", "")) if rng.random() < 0.3 else ""
        shape = tools.object_schema(rng, record.fields, record.title, described)
        written = json.dumps(shape, ensure_ascii=False, indent=rng.choice((None, None, None, 2)))
        demand = rng.choice(_BY_SCHEMA).format(s=written)
    else:
        demand = rng.choice(_BY_KEYS).format(**_keys(rng, record))
    messages: list[Message]
    if rng.random() < 0.35:
        head = f"{phrasing.system_prompt(rng)}\n\n{demand}" if rng.random() < 0.4 else demand
        messages = [{"role": "system", "content": head}, tool_calls.user(record.task)]
    else:
        parts = [record.task, demand] if rng.random() < 0.7 else [demand, record.task]
        messages = [tool_calls.user(rng.choice(("\n", "\n\n", " ")).join(parts))]
        if rng.random() < 0.2:
            messages.insert(0, {"role": "system", "content": phrasing.system_prompt(rng)})
    content = json.dumps(record.data, ensure_ascii=False)
    reply: Message = {"role": "assistant", "content": content}
    think = rng.random() < 0.8
    if think:
        opening = rng.choice(("The object is {o}.", "In JSON this is {o}.", "With its keys it is {o}.")).format(
            o=content
        )
        reply["reasoning_content"] = f"{opening} {tool_calls.easy('So', 'I write the JSON object and nothing else')}"
    kind = "json_schema" if schema else "json_keys"
    return Conversation(kind if think else f"{kind}_direct", (*messages, reply), thinking=think)


def _keys(rng: Random, record: Record) -> dict[str, str]:
    mark = rng.choice(("", "", "'", '"', "`"))
    shown = [f"{mark}{name}{mark}" for name in record.data]
    said = [spoken(name) for name in record.data]
    joint = rng.choice((" and ", ", ", ", and "))
    types = {"string": "...", "integer": "<int>", "number": "<number>", "boolean": "true or false"}
    outline = ", ".join(f'"{f.name}": {types.get(f.kind, "[...]")}' for f in record.fields)
    return {
        "k": ", ".join(shown[:-1]) + joint + shown[-1] if len(shown) > 1 else shown[0],
        # Said words are only honest where they are the keys.
        "s": (", ".join(said[:-1]) + " and " + said[-1] if len(said) > 1 else said[0])
        if said == list(record.data)
        else ", ".join(shown),
        "o": "{" + outline + "}",
    }


def _as_call(rng: Random, record: Record) -> Conversation:
    title = record.title if rng.random() < 0.8 else tools.styled(rng, [rng.choice(lexicon.VERBS), record.title])
    note = rng.choice(_TOOL_NOTES).format(t=spoken(title) or title)
    tool = Tool(title, note, record.fields)
    call = Call(tool, record.data)
    messages: list[Message] = []
    if rng.random() < 0.3:
        messages.append({"role": "system", "content": phrasing.system_prompt(rng)})
    task = record.task
    if rng.random() < 0.2:
        task += rng.choice((" Use the tool.", f" Use {title}.", " Answer with the tool."))
    messages.append(tool_calls.user(task))
    turn = tool_calls.calling(rng, [call])
    think = rng.random() < 0.82
    if not think:
        del turn["reasoning_content"]
    return Conversation(
        "json_tool" if think else "json_tool_direct", (*messages, turn), (tool.schema(rng),), thinking=think
    )
