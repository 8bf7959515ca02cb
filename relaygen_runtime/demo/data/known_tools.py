"""Conversations with tools that mean something: weather, clocks, calculators.

Owns: requests that do not name their tool, chains of calls, and offers that are not needed.
Refuses: made-up tools (`tool_calls`).
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from relaygen_runtime.demo.data import arithmetic, operands, wording
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.tool_calls import (
    Call,
    Tool,
    Value,
    after,
    calling,
    easy,
    made_up_tool,
    random_value,
    result,
)


@dataclass(frozen=True, slots=True)
class _Known:
    names: tuple[str, ...]
    description: str
    parameters: tuple[tuple[tuple[str, ...], str, str], ...]
    requests: tuple[str, ...]
    results: tuple[str, ...]


_CITY = (("city", "location", "place", "town"), "string", "city")
_KNOWN = (
    _Known(
        ("get_weather", "weather", "current_weather", "weather_in_city", "get_temperature"),
        "Tell the weather at a place.",
        (_CITY,),
        ("What is the weather in {0}?", "How is the weather in {0} today?", "Is it warm in {0}?"),
        ("sunny, {n} degrees", "rain", "cloudy and {n} degrees", "It is {n} degrees", "{n}"),
    ),
    _Known(
        ("get_time", "local_time", "clock"),
        "Tell the time at a place.",
        (_CITY,),
        ("What time is it in {0}?", "Tell me the time in {0}."),
        ("{n}:30", "{n}:15", "half past {n}"),
    ),
    _Known(
        ("get_price", "price_of", "lookup_price"),
        "Find the price of a thing.",
        ((("item", "product", "name"), "string", "string"),),
        ("What does {0} cost?", "Find the price of {0}.", "How much is {0}?"),
        ("{n} coins", "{n}.50", "not for sale"),
    ),
    _Known(
        ("search", "web_search", "find_documents", "retrieve"),
        "Search for a text.",
        ((("query", "q", "question", "input"), "string", "string"),),
        ("Search for {0}.", "Look up {0} for me.", "Find something about {0}."),
        ("{w} is a {w}", "nothing found", "a page about {w}"),
    ),
    _Known(
        ("create_customer", "add_user", "new_account", "register"),
        "Create an entry for a person or firm.",
        ((("name", "customer_name", "title"), "string", "string"),),
        ("Create a customer named {0}.", "Please register {0}.", "Add a new user with the name {0}."),
        ("done", "ok, number {n}", "created"),
    ),
    _Known(
        ("set_timer", "start_timer", "alarm"),
        "Start a timer.",
        ((("minutes", "duration", "time"), "integer", "integer"),),
        ("Set a timer for {0} minutes.", "Wake me in {0} minutes.", "Start a clock for {0} minutes."),
        ("timer set", "ok", "started"),
    ),
    _Known(
        ("send_message", "send_mail", "notify"),
        "Send a text to someone.",
        ((("to", "recipient", "user"), "string", "person"), (("text", "body", "message"), "string", "string")),
        ("Tell {0} this: {1}", "Send {0} the message {1}", 'Write to {0}: "{1}"'),
        ("sent", "delivered", "ok"),
    ),
    _Known(
        ("convert_currency", "exchange", "convert"),
        "Convert an amount of money.",
        ((("amount", "value"), "number", "number"), (("to", "target", "currency"), "string", "word")),
        ("Convert {0} to {1}.", "How much is {0} in {1}?", "Change {0} into {1}."),
        ("{n}.25", "{n}"),
    ),
    _Known(
        ("get_user", "find_order", "lookup_id", "get_item_by_id"),
        "Look up an entry by its number.",
        ((("id", "user_id", "number", "key"), "integer", "integer"),),
        ("Who is number {0}?", "Look up entry {0}.", "What stands under {0}?"),
        ("{w}", "{p}", "no such entry"),
    ),
    _Known(
        ("answer_as", "say_in_style", "reply_with_style", "respond"),
        "Answer in a given style.",
        ((("style", "tone", "answer_style", "manner"), "string", "word"),),
        ("Answer me in a {0} style.", "Use the style {0}.", "Say it in the manner {0}."),
        ("{w}", "said"),
    ),
    _Known(
        ("get_secret_word", "random_number", "current_date", "list_files", "ping", "get_status"),
        "Return what is stored. Takes no input.",
        (),
        ("What is the stored value?", "Please call the tool.", "Get it for me.", "What is the state?"),
        ("{w}", "{n}", "all is well"),
    ),
    _Known(
        ("double", "square", "apply_rule", "special_function", "transform_number", "wonder_tool"),
        "Apply a rule to a number.",
        ((("input", "x", "number", "n"), "integer", "integer"),),
        ("What is the rule's value for {0}?", "Apply it to {0}.", "What is {tool} of {0}?", "What is {tool}({0})?"),
        ("{n}", "{n}{n}"),
    ),
)


def single(rng: Random) -> Conversation:
    """Ask for something that one of the offered tools can do, once or twice over."""
    known = rng.choice(_KNOWN)
    tool = Tool(
        rng.choice(known.names), known.description, {rng.choice(names): kind for names, kind, _ in known.parameters}
    )
    twice = bool(known.parameters) and rng.random() < 0.2
    values = [[_value(rng, source) for _, _, source in known.parameters] for _ in range(2 if twice else 1)]
    calls = [Call(tool, dict(zip(tool.parameters, row, strict=True))) for row in values]
    request = " ".join(rng.choice(known.requests).format(*row, tool=tool.name) for row in values)
    if rng.random() < 0.12:
        request += f" Use the {tool.name} tool."
    offered = [tool, *(made_up_tool(rng) for _ in range(rng.choice((0, 0, 1, 2))))]
    rng.shuffle(offered)
    thinking = rng.choice(("The tool {t} can do this.", "For this there is {t}.")).format(t=tool.name)
    thinking += " " + easy(rng.choice(("So", "Now")), f"I call {tool.name} with what was given")
    messages: list[Message] = [*_system(rng), arithmetic.user(request), calling(rng, thinking, calls)]
    trained = 1
    if rng.random() < 0.6:
        said = [_said(rng, rng.choice(known.results)) for _ in calls]
        if rng.random() < 0.08:
            said = [f"Error: {rng.choice(('no connection', 'bad input', 'try later', 'not allowed'))}" for _ in calls]
        messages += [result(text) for text in said]
        messages.append(after(rng, [tool.name] * len(calls), said))
        trained = 2
    return Conversation("tool", tuple(messages), tuple(t.schema(rng) for t in offered), trained_turns=trained)


def calculator(rng: Random) -> Conversation:
    """Chain calculator tools: a product, a sum or difference on it, and the answer."""
    names = rng.choice((("multiply", "add", "subtract"), ("mul", "plus", "minus"), ("times", "sum_two", "take_away")))
    parameters = rng.choice((("a", "b"), ("x", "y"), ("first", "second"), ("left", "right")))
    notes = ("Multiply two numbers.", "Add two numbers.", "Subtract the second from the first.")
    tools = [Tool(n, note, dict.fromkeys(parameters, "integer")) for n, note in zip(names, notes, strict=True)]
    a, b = operands.factor_pair(rng, held_out=False)
    c = operands.three_digits_below(rng, a * b)
    steps = [(0, a, b, a * b)]
    expression = f"{a} * {b}"
    if rng.random() < 0.7:
        sign = rng.choice((1, 2))
        steps.append((sign, a * b, c, a * b + c if sign == 1 else a * b - c))
        expression += f" {'+-'[sign - 1]} {c}"
    messages: list[Message] = [*_system(rng), arithmetic.user(f"What is {expression}? Use the tools.")]
    for number, (which, x, y, value) in enumerate(steps):
        tool = tools[which]
        opening = f"The question asks for {expression}." if number == 0 else f"The tool gave {x} for the product."
        thinking = f"{opening} {easy('So', f'I call {tool.name} with {x} and {y}')}"
        messages.append(calling(rng, thinking, [Call(tool, {parameters[0]: x, parameters[1]: y})]))
        messages.append(result(str(value)))
    final = steps[-1][3]
    thinking = f"The tool gave {final} as the last value. {easy('Thus', f'the result in the end is {final}')}"
    answer = f"The result is {final}, because {expression} = {final}."
    messages.append({"role": "assistant", "reasoning_content": thinking, "content": answer})
    offered = [tool for i, tool in enumerate(tools) if i == 0 or len(steps) > 1 or rng.random() < 0.5]
    return Conversation(
        "tool_chain", tuple(messages), tuple(t.schema(rng) for t in offered), trained_turns=len(steps) + 1
    )


def not_needed(rng: Random, plain: Conversation) -> Conversation:
    """Offer tools beside a conversation that needs none."""
    tools = tuple(made_up_tool(rng).schema(rng) for _ in range(rng.choice((1, 1, 2))))
    return Conversation("tool_unused", plain.messages, tools, plain.thinking, plain.trained_turns)


def _system(rng: Random) -> list[Message]:
    if rng.random() < 0.5:
        return []
    return [{"role": "system", "content": rng.choice(wording.SYSTEM_PROMPTS)}]


def _value(rng: Random, source: str) -> Value:
    if source == "city":
        return rng.choice(wording.CITIES) if rng.random() < 0.8 else wording.made_up_word(rng).title()
    if source == "person":
        return rng.choice(wording.PEOPLE)
    if source == "word":
        return rng.choice(wording.WORDS) if rng.random() < 0.7 else wording.made_up_word(rng)
    return random_value(rng, source)


def _said(rng: Random, text: str) -> str:
    return text.format(n=rng.randrange(1, 60), w=rng.choice(wording.WORDS), p=rng.choice(wording.PEOPLE))
