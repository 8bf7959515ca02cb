"""Copying to the letter: one text, lines, lists, objects of many texts.

Owns: the densest practice in copying what was never seen before. Refuses: requests with another purpose.
"""

from __future__ import annotations

import json
from random import Random

from relaygen_runtime.demo.data import lexicon, tools, values
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.tool_calls import easy, user

_ONE = (
    "Say {x}",
    "Repeat this: {x}",
    'Say "{x}".',
    "Write {x} and nothing else",
    "Echo {x}",
    "Say exactly: {x}",
    "{x}\n\nRepeat the line above.",
)
_LINES = (
    "Repeat these lines:\n{x}",
    "{x}\n\nWrite the lines above once more.",
    "Copy this:\n{x}",
    "Say line by line:\n{x}",
)
_LISTS = ("Write these as a JSON array:\n{x}", "As a JSON list: {x}", "{x}\n\nMake a JSON array of it.")
_PAIRS = ("Write this as JSON:\n{x}", "{x}\n\nThe same as a JSON object, please.", "Turn it into a JSON object: {x}")


def repeat(rng: Random, held_out: bool = False) -> Conversation:
    """Repeat a text to the letter."""
    text = values.text(rng, held_out)
    message: Message = {"role": "assistant", "content": text}
    think = rng.random() < 0.7
    if think:
        message["reasoning_content"] = f"I am to say: {text} {easy('So', 'I repeat the text as it stands')}"
    return Conversation("repeat", (user(rng.choice(_ONE).format(x=text)), message), thinking=think)


def copies(rng: Random, held_out: bool = False) -> Conversation:
    """Copy several texts at once."""
    texts = [_text(rng, held_out) for _ in range(rng.randrange(2, 9))]
    draw = rng.random()
    if draw < 0.4:
        question, content = rng.choice(_LINES).format(x="\n".join(texts)), "\n".join(texts)
    elif draw < 0.6:
        question = rng.choice(_LISTS).format(x=rng.choice(("\n", "; ", "\n- ")).join(texts))
        content = json.dumps(texts, ensure_ascii=False)
    else:
        pairs: dict[str, object] = {_key(rng): rng.choice((text, text, values.integer(rng))) for text in texts}
        form = rng.choice(("{k}: {v}", "{k} = {v}", "{k} {v}", 'the {k} is "{v}"'))
        shown = rng.choice(("\n", ", ", "\n- ")).join(form.format(k=key, v=value) for key, value in pairs.items())
        question, content = rng.choice(_PAIRS).format(x=shown), json.dumps(pairs, ensure_ascii=False)
    message: Message = {"role": "assistant", "content": content}
    think = rng.random() < 0.3
    if think:
        message["reasoning_content"] = (
            f"There are {len(texts)} things to copy. {easy('So', 'I copy them as they stand')}"
        )
    return Conversation("copies", (user(question), message), thinking=think)


def _text(rng: Random, held_out: bool) -> str:
    draw = rng.random()
    if draw < 0.6:
        return values.text(rng, held_out)
    return values.script(rng, held_out) if draw < 0.8 else values.on_side(held_out, lambda: _key(rng))


def _key(rng: Random) -> str:
    if rng.random() < 0.4:
        return tools.parameter_name(rng)
    return tools.styled(rng, [rng.choice((*lexicon.VERBS, *lexicon.NOUNS)), rng.choice(lexicon.NOUNS)])
