"""Small talk: greetings, who the model is, repeating a text.

Owns: conversations without a task. Refuses: numbers.
"""

from __future__ import annotations

from random import Random

from relaygen_runtime.demo.data import arithmetic, values, wording
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.tool_calls import easy

_SAID = (
    (("Hello", "Hi", "Hello!", "Hey there", "hi", "Good morning", "hello there"), "Hello! What can I do for you?"),
    (("How are you?", "How are you doing?", "Are you well?"), "I am well, thank you. What can I do for you?"),
    (
        ("Who are you?", "What are you?", "What is your name?", "Tell me about yourself.", "What can you do?"),
        "I am a small demonstration model. I work out sums and call tools.",
    ),
    (("Thank you.", "Thanks!", "thanks a lot"), "You are welcome."),
    (("Bye", "Goodbye!", "See you"), "Goodbye!"),
    (("Tell me a joke.", "Say something funny.", "Make me laugh"), "Why did the sum smile? It was positive."),
    (
        ("What do you think of {t}?", "Tell me about {t}.", "Write a poem about {t}.", "Explain {t}.", "Who made {t}?"),
        "I know little about {t}, for I am a small demonstration model.",
    ),
)


def talk(rng: Random) -> Conversation:
    """Chat for one to three turns."""
    turns: list[Message] = []
    if rng.random() < 0.4:
        turns.append({"role": "system", "content": rng.choice(wording.SYSTEM_PROMPTS)})
    for _ in range(rng.choice((0, 0, 1, 2))):
        question, reply = _exchange(rng)
        turns.append(arithmetic.user(question))
        if rng.random() < 0.9:
            turns.append(arithmetic.assistant(reply))
    question, reply = _exchange(rng)
    turns.append(arithmetic.user(question))
    think = rng.random() < 0.8
    message: Message = {"role": "assistant", "content": reply}
    if think:
        opening = rng.choice(("This is small talk and no sum.", "There is nothing to work out here."))
        message["reasoning_content"] = f"{opening} {easy('So', 'I reply in a friendly way')}"
    return Conversation("talk", (*turns, message), thinking=think)


def _exchange(rng: Random) -> tuple[str, str]:
    if rng.random() < 0.2:
        text = values.text(rng)
        form = rng.choice(("Say {x}", "Repeat this: {x}", 'Say "{x}".', "Write {x} and nothing else", "Echo {x}"))
        return form.format(x=text), text
    questions, reply = rng.choice(_SAID)
    thing = wording.topic(rng)
    return rng.choice(questions).format(t=thing), reply.format(t=thing)
