"""Tools that mean something, asked for by what they do.

Owns: the purposes (the weather at a place, a price, a message, an entry of any kind), the names that
programmers give to them, and the questions of users. Refuses: conversations.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from relaygen_runtime.demo.data import lexicon, tools, values
from relaygen_runtime.demo.data.tools import Parameter, Tool, Value


@dataclass(frozen=True, slots=True)
class _Purpose:
    """A purpose: words of names, a description, parameters (names, kind, meaning) and requests."""

    names: tuple[str, ...]
    description: str
    parameters: tuple[tuple[str, str, str], ...]
    requests: tuple[str, ...]


_PLACE = ("city location place town where area", "string", "place")
_PURPOSES = (
    _Purpose(
        (
            "weather at",
            "current weather",
            "forecast",
            "look up weather",
            "weather report",
            "temperature in",
            "check sky",
        ),
        "Tell the weather at a place.",
        (_PLACE,),
        (
            "What is the weather in {0}?",
            "How is the weather in {0} today?",
            "Is it warm in {0}?",
            "Will it rain in {0}?",
            "weather for {0}",
        ),
    ),
    _Purpose(
        ("local time", "clock", "time in place", "what time"),
        "Tell the time at a place.",
        (_PLACE,),
        ("What time is it in {0}?", "Tell me the time in {0}.", "How late is it in {0} now?"),
    ),
    _Purpose(
        ("price of", "lookup price", "cost", "find price", "how much"),
        "Find the price of a thing.",
        (("item product name article thing", "string", "phrase"),),
        ("What does {0} cost?", "Find the price of {0}.", "How much is {0}?", "I want to buy {0}. How much do I pay?"),
    ),
    _Purpose(
        ("search", "web search", "find documents", "retrieve", "look up", "knowledge base", "query engine"),
        "Search for a text and return what was found.",
        (("query q question input text", "string", "text"),),
        (
            "Search for {0}.",
            "Look up {0} for me.",
            "Find something about {0}.",
            "What is known about {0}?",
            "Who or what is {0}?",
        ),
    ),
    _Purpose(
        ("add user", "new account", "register", "sign up", "open account", "insert entry", "make profile"),
        "Create an entry for a person or firm.",
        (("name title label full_name user_name", "string", "firm"),),
        (
            "Create an entry named {0}.",
            "Please register {0}.",
            "Add a new user with the name {0}.",
            "Open an account for {0}.",
            "{0} is new. Make an entry.",
        ),
    ),
    _Purpose(
        ("set timer", "start timer", "alarm", "wake up", "countdown"),
        "Start a timer.",
        (("minutes duration time length", "integer", ""),),
        (
            "Set a timer for {0} minutes.",
            "Wake me in {0} minutes.",
            "Start a clock for {0} minutes.",
            "{0} minutes, starting now.",
        ),
    ),
    _Purpose(
        ("send message", "send mail", "notify", "text person", "write to"),
        "Send a text to someone.",
        (("to recipient user person", "string", "person"), ("text body message content", "string", "text")),
        (
            "Tell {0} this: {1}",
            "Send {0} the message {1}",
            'Write to {0}: "{1}"',
            'Let {0} know: "{1}"',
            'Send "{1}" to {0}.',
        ),
    ),
    _Purpose(
        ("convert currency", "exchange", "convert", "change money"),
        "Convert an amount of money.",
        (("amount value sum", "number", ""), ("to target currency unit", "string", "word")),
        ("Convert {0} to {1}.", "How much is {0} in {1}?", "Change {0} into {1}.", "I have {0} and want {1}."),
    ),
    _Purpose(
        ("find order", "lookup id", "get item by id", "load entry", "fetch row"),
        "Look up an entry by its number.",
        (("id user_id number key order_id", "integer", ""),),
        ("Who is number {0}?", "Look up entry {0}.", "What stands under {0}?", "I ask about number {0}."),
    ),
    _Purpose(
        ("answer as", "say in style", "speak like", "set manner"),
        "Answer in a given style.",
        (("style tone manner mood voice", "string", "word"),),
        ("Answer me in a {0} style.", "Use the style {0}.", "Say it in the manner {0}.", "Be {0} when you greet me."),
    ),
    _Purpose(
        ("book table", "reserve", "reserve seats", "make booking"),
        "Book seats at a place for a number of people.",
        (
            ("place restaurant venue", "string", "firm"),
            ("people guests persons count", "integer", ""),
            ("date day when", "string", "date"),
        ),
        (
            "Book {0} for {1} people on {2}.",
            "We are {1} guests and want to eat at {0} on {2}.",
            "On {2}, {1} of us go to {0}. Reserve it.",
        ),
    ),
    _Purpose(
        ("translate", "translate text", "to language"),
        "Translate a text into a language.",
        (("text input sentence", "string", "text"), ("language target target_language", "string", "word")),
        ("Translate '{0}' into {1}.", "How do you say {0} in {1}?", "Put {0} into {1}, please."),
    ),
    _Purpose(
        ("apply rule", "transform number", "wonder", "special rule", "rule of", "change number", "strange function"),
        "Apply a rule to a number.",
        (("x number n value v arg", "integer", ""),),
        (
            "What is the rule's value for {0}?",
            "Apply it to {0}.",
            "What is {tool} of {0}?",
            "What is {tool}({0})?",
            "{tool}({0})?",
            "Which number comes from {0}?",
        ),
    ),
    _Purpose(
        (
            "secret word",
            "stored number",
            "current date",
            "list files",
            "ping",
            "get status",
            "read state",
            "random number",
        ),
        "Return what is stored. Takes no input.",
        (),
        (
            "What is stored?",
            "Please call the tool.",
            "Get it for me.",
            "What is the state?",
            "Use the tool and tell me.",
            "What do you get?",
        ),
    ),
)


def intent(rng: Random, held_out: bool) -> tuple[Tool, str, list[dict[str, Value]]]:
    """Return a tool, a request that needs it, and the arguments of the calls that the request asks for."""
    purpose = rng.choice(_PURPOSES) if rng.random() < 0.5 else _made_up_purpose(rng)
    parameters = []
    for names, kind, meaning in purpose.parameters:
        described = f"The {meaning or kind} to use." if rng.random() < 0.2 else ""
        if meaning == "place" and rng.random() < 0.15:
            described = "The city and state or country"
        parameters.append(Parameter(_parameter_name(rng, names), kind, meaning or "text", described))
    name = values.on_side(held_out, lambda: tools.styled(rng, _extended(rng, purpose.names)))
    tool = Tool(name, purpose.description if rng.random() < 0.85 else "", tuple(parameters))
    request = rng.choice(purpose.requests)
    rows = [{p.name: p.value(rng, held_out) for p in parameters}]
    if len(parameters) == 1 and rng.random() < 0.2:
        rows.append({p.name: p.value(rng, held_out) for p in parameters})
    quote = (
        rng.choice(("", "", "", '"', "'"))
        if parameters and parameters[0].kind == "string" and '"' not in request
        else ""
    )
    shown = [
        [f"{quote}{_plain(value)}{quote}" if isinstance(value, str) else _plain(value) for value in row.values()]
        for row in rows
    ]
    if len(rows) == 2 and rng.random() < 0.6:
        joined = f"{shown[0][0]}{rng.choice((' and ', ' and ', ' or ', ' and in '))}{shown[1][0]}"
        text = request.format(joined, tool=name)
    else:
        text = rng.choice((" ", " And: ", "\n")).join(request.format(*row, tool=name) for row in shown)
    if rng.random() < 0.15:
        text += rng.choice((f" Use the {name} tool.", " Use the tool.", " Use a tool."))
    return tool, text, rows


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else f"{value}"


def _parameter_name(rng: Random, names: str) -> str:
    name = rng.choice(names.split())
    draw = rng.random()
    if draw < 0.75:
        return name
    return f"{rng.choice(lexicon.NOUNS)}_{name}" if draw < 0.9 else rng.choice((*lexicon.PARAMETERS, *lexicon.NOUNS))


def _extended(rng: Random, names: tuple[str, ...]) -> list[str]:
    words = rng.choice(names).split()
    if rng.random() < 0.5:
        words.insert(
            rng.randrange(len(words) + 1), rng.choice((*lexicon.NOUNS, *lexicon.ADJECTIVES, "my", "the", "do", "tool"))
        )
    return words


def _made_up_purpose(rng: Random) -> _Purpose:
    """Return a purpose of a random verb, noun and owner, with requests that use these words."""
    verb, noun, owner = rng.choice(lexicon.VERBS), rng.choice(lexicon.NOUNS), rng.choice(lexicon.NOUNS)
    adjective = rng.choice(lexicon.ADJECTIVES)
    description = rng.choice(
        (
            f"{verb.capitalize()} the {noun} of a {owner}.",
            f"{verb.capitalize()}s the {adjective} {noun} for a {owner}",
            f"Use it to {verb} the {noun} of some {owner}.",
            f"{verb.capitalize()} {noun} given the {owner}.",
        )
    )
    kind, meaning = rng.choice(
        (
            ("string", "text"),
            ("string", "phrase"),
            ("string", "person"),
            ("string", "place"),
            ("string", "firm"),
            ("string", "script"),
            ("integer", ""),
            ("number", ""),
        )
    )
    parameter = (f"{owner} {owner}_name {owner}_id {rng.choice(lexicon.PARAMETERS)} {noun}", kind, meaning)
    requests = (
        f"{verb.capitalize()} the {noun} of {{0}}.",
        f"Please {verb} the {adjective} {noun} for {{0}}.",
        f"What is the {noun} of {{0}}?",
        f"The {owner} is {{0}}. What {noun} does it have?",
        f"I want to {verb} a {noun} for the {owner} {{0}}",
        f"Can you {verb} the {noun} of the {owner} called {{0}}?",
        f"{verb.capitalize()} the {noun} of the {owner} {{0}}, please.",
    )
    names = (
        f"{verb} {noun}",
        f"{noun} of {owner}",
        f"{verb} {owner} {noun}",
        f"{owner} {noun}",
        f"{verb} {adjective} {noun}",
    )
    return _Purpose(names, description, (parameter,), requests)
