"""Conversations that use tools: any names, any schemas, arguments copied from the request.

Owns: which tools are offered, the calls that a request asks for, and the turns after them.
Refuses: calculators (`calculators`), wordings (`phrasing`) and schemas (`tools`).
"""

from __future__ import annotations

import json
from random import Random

from relaygen_runtime.demo.data import intents, lexicon, phrasing, tools, values
from relaygen_runtime.demo.data.conversation import EASY_CLOSES, EASY_OPENS, Conversation, Message
from relaygen_runtime.demo.data.tools import Call, Tool

_WANTED = (
    "The user wants {c}.",
    "This request is for {c}.",
    "What fits here is {c}.",
    "I need {c}.",
    "The call is {c}.",
)
_ERRORS = ("no connection", "bad input", "try later", "not allowed", "timed out", "no such entry", "{k} is missing")


def easy(word: str, sentence: str) -> str:
    """Return a marked easy sentence after its cue word."""
    return f"{word},{EASY_OPENS} {sentence}.{EASY_CLOSES}"


def user(text: str) -> Message:
    """Return a user's message."""
    return {"role": "user", "content": text}


def calling(rng: Random, calls: list[Call], opening: str = "") -> Message:
    """Return the assistant's turn that makes the calls: the thinking writes them once, the answer copies them."""
    # Written as in the answer: a name in quotes has the tokens that it has in its schema, a bare one has not.
    wanted = " and ".join(call.whole() for call in calls)
    thinking = opening or rng.choice(_WANTED).format(c=wanted)
    if opening:
        thinking += f" I need {wanted}."
    thinking += " " + easy(rng.choice(("So", "Now")), f"I make {'this call' if len(calls) == 1 else 'these calls'}")
    return {
        "role": "assistant",
        "reasoning_content": thinking,
        "content": "",
        "tool_calls": [call.message(rng) for call in calls],
    }


def result(text: str) -> Message:
    """Return a tool's turn."""
    return {"role": "tool", "content": text}


def answering(rng: Random, names: list[str], results: list[str]) -> Message:
    """Return the turn that answers from tool results."""
    joined = " and ".join(names)
    short = all(len(text) < 60 and "\n" not in text for text in results)
    if short:
        gave = " and ".join(f"{name} gave {text.rstrip('.')}" for name, text in zip(names, results, strict=True))
        thinking = rng.choice(("The tool {g}.", "I see that {g}.", "Here {g}.")).format(g=gave)
    else:
        thinking = rng.choice(("The result of {n} is here.", "I have what {n} gave back.")).format(n=joined)
    thinking += " " + easy(rng.choice(("So", "Now")), "I tell the user what came back")
    answer = " ".join(said(name, text) for name, text in zip(names, results, strict=True))
    return {"role": "assistant", "reasoning_content": thinking, "content": answer}


def said(name: str, text: str) -> str:
    """Return the sentence that reports a result."""
    if text.startswith("{"):
        try:
            data = json.loads(text)
        except ValueError:
            data = {}
        if data and all(isinstance(value, str | int | float) for value in data.values()):
            listed = ", ".join(f"{key} {_plain(value)}" for key, value in data.items())
            return f"The result of {name} is {listed}."
    ends = text.endswith((".", "!", "?"))
    return f"The result of {name} is: {text}" if ends or "\n" in text else f"The result of {name} is {text}."


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def tool_output(rng: Random, held_out: bool) -> str:
    """Return what a tool gives back."""
    draw = rng.random()
    if draw < 0.25:
        return json.dumps(values.integer(rng) if rng.random() < 0.6 else values.number(rng))
    if draw < 0.6:
        return values.text(rng, held_out)
    if draw < 0.72:
        noun, adjective = rng.choice(lexicon.NOUNS), rng.choice(lexicon.ADJECTIVES)
        texts = (
            f"It is {adjective}.",
            f"The {noun} is {adjective}.",
            f"It's {adjective} today.",
            f"{values.integer(rng)} {noun}s",
        )
        return rng.choice((*texts, "ok", "done", "true", "null", "[]", f"A {adjective} {noun}!"))
    if draw < 0.8:
        return "Error: " + rng.choice(_ERRORS).format(k=rng.choice(lexicon.PARAMETERS))
    names = rng.sample(lexicon.PARAMETERS, rng.randrange(1, 4))
    data = {name: rng.choice((values.phrase(rng, held_out), values.integer(rng))) for name in names}
    if draw < 0.84:
        return json.dumps([values.phrase(rng, held_out) for _ in range(rng.randrange(1, 4))], ensure_ascii=False)
    return json.dumps(data, ensure_ascii=False)


def _arguments(rng: Random, tool: Tool, held_out: bool) -> Call:
    chosen = [p for p in tool.parameters if p.required or rng.random() < 0.35]
    return Call(tool, {p.name: p.value(rng, held_out) for p in chosen})


def made_up(rng: Random, held_out: bool = False) -> Conversation:
    """Call one to three made-up tools as the user asks, and perhaps use what they give back."""
    offered = [tools.made_up_tool(rng, held_out) for _ in range(rng.choices((1, 2, 3, 4), (42, 28, 20, 10))[0])]
    count = rng.choices((1, 2, 3, 4, 6), (72, 15, 6, 4, 3))[0]
    if count > 1 and (rng.random() < 0.5 or count > len(offered)):
        chosen = [rng.choice(offered)]
        if chosen[0].parameters:
            chosen *= count
    else:
        chosen = rng.sample(offered, min(count, len(offered)))
    calls = [_arguments(rng, tool, held_out) for tool in chosen]
    return conversation(rng, offered, calls, phrasing.request(rng, calls), held_out)


def by_purpose(rng: Random, held_out: bool = False) -> Conversation:
    """Ask for something that one of the offered tools is for, without naming it."""
    tool, request, arguments = intents.intent(rng, held_out)
    others = [
        rng.choice((intents.intent(rng, held_out)[0], tools.made_up_tool(rng, held_out)))
        for _ in range(rng.choice((0, 0, 1, 2, 3)))
    ]
    offered = [tool, *(other for other in others if other.name != tool.name)]
    rng.shuffle(offered)
    return conversation(rng, offered, [Call(tool, row) for row in arguments], request, held_out)


def conversation(rng: Random, offered: list[Tool], calls: list[Call], request: str, held_out: bool) -> Conversation:
    """Put a request for calls into a conversation, with what came before and perhaps what comes after."""
    messages: list[Message] = [*before(rng, offered, held_out), user(request)]
    kind = "tool" if len(calls) == 1 else "tool_parallel"
    schemas = tuple(tool.schema(rng) for tool in {tool.name: tool for tool in offered}.values())
    turn = calling(rng, calls)
    if rng.random() < 0.15:
        del turn["reasoning_content"]
        if rng.random() < 0.7:
            return Conversation(f"{kind}_direct", (*messages, turn), schemas, thinking=False)
        results = [tool_output(rng, held_out) for _ in calls]
        reply = answering(rng, [call.tool.name for call in calls], results)
        del reply["reasoning_content"]
        return Conversation(
            "tool_answer_direct", (*messages, turn, *map(result, results), reply), schemas, thinking=False
        )
    messages.append(turn)
    if rng.random() < 0.5:
        return Conversation(kind, tuple(messages), schemas)
    results = [tool_output(rng, held_out) for _ in calls]
    messages += [result(text) for text in results]
    reply = answering(rng, [call.tool.name for call in calls], results)
    trained = 2
    if rng.random() < 0.5:  # frameworks hand a history back without its thinking
        turn.pop("reasoning_content")
        trained = 1
    return Conversation("tool_answer", (*messages, reply), schemas, trained_turns=trained)


def chained(rng: Random, held_out: bool = False) -> Conversation:
    """Call a tool, then another with the first one's result, as the user asks."""
    first, second = (tools.made_up_tool(rng, held_out, most=1) for _ in range(2))
    parameter = tools.Parameter(rng.choice(lexicon.PARAMETERS), rng.choice(("string", "integer")))
    second = Tool(second.name, second.description, (parameter,))
    opening = _arguments(rng, first, held_out)
    gave = parameter.value(rng, held_out)
    then = rng.choice(
        (
            " Then call {n} with the result.",
            " Hand what it gives to {n}.",
            " After that, use {n} on what came out.",
            " Its result goes into {n}.",
        )
    )
    messages = [
        *before(rng, [first, second], held_out),
        user(phrasing.request(rng, [opening]) + then.format(n=second.name)),
    ]
    following = Call(second, {parameter.name: gave})
    final = tool_output(rng, held_out)
    turns = [
        calling(rng, [opening], f"First comes {first.name}."),
        result(gave if isinstance(gave, str) else json.dumps(gave)),
        calling(rng, [following], f"The tool {first.name} gave its result."),
        result(final),
        answering(rng, [second.name], [final]),
    ]
    schemas = [first.schema(rng), second.schema(rng)]
    rng.shuffle(schemas)
    return Conversation("tool_chain", tuple(messages + turns), tuple(schemas), trained_turns=3)


def not_needed(rng: Random, plain: Conversation) -> Conversation:
    """Offer tools beside a conversation that needs none."""
    offered = [tools.made_up_tool(rng) for _ in range(rng.choice((1, 1, 2, 3)))]
    messages = plain.messages
    if rng.random() < 0.5:
        messages = (
            {"role": "system", "content": phrasing.system_prompt(rng)},
            *(m for m in messages if m["role"] != "system"),
        )
    return Conversation(
        "tool_unused", messages, tuple(t.schema(rng) for t in offered), plain.thinking, plain.trained_turns
    )


def before(rng: Random, offered: list[Tool], held_out: bool) -> list[Message]:
    """Return what stands before a request: a system prompt, talk, an earlier use of a tool."""
    turns: list[Message] = []
    if rng.random() < 0.4:
        turns.append({"role": "system", "content": phrasing.system_prompt(rng)})
    if rng.random() < 0.08:
        turns += [user("Hello!"), {"role": "assistant", "content": "Hello! What can I do for you?"}]
    if rng.random() < 0.1:
        call = _arguments(rng, rng.choice(offered), held_out)
        output = tool_output(rng, held_out)
        turns.append(user(phrasing.request(rng, [call])))
        turns.append({"role": "assistant", "content": "", "tool_calls": [call.message(rng)]})
        turns += [result(output), {"role": "assistant", "content": said(call.tool.name, output)}]
    return turns
