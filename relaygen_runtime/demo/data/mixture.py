"""The recipe: which conversation stands at which place of the training stream.

Owns: the shares of the kinds, and the long conversations. Refuses: tokens. The stream is a
function of seed and index alone, so training resumes anywhere.
"""

from __future__ import annotations

from random import Random

from relaygen_runtime.demo.data import arithmetic, direct, known_tools, structured, talk, tool_calls
from relaygen_runtime.demo.data.conversation import Conversation, Message, unmarked

_SHARES = (
    ("bare", 13),
    ("story", 14),
    ("context", 9),
    ("follow_up", 9),
    ("long_product", 4),
    ("sum", 4),
    ("two_products", 2),
    ("tool", 9),
    ("known_tool", 6),
    ("calculator", 3),
    ("unused_tool", 3),
    ("structured", 5),
    ("talk", 4),
    ("lookup", 2),
    ("drill", 10),
    ("in_line", 3),
)
_KINDS = tuple(kind for kind, _ in _SHARES)
_WEIGHTS = tuple(weight for _, weight in _SHARES)


def conversation(seed: int, index: int) -> Conversation:
    """Return the conversation at a place of the stream."""
    rng = Random(f"{seed}/{index}")
    return _draw(rng, rng.choices(_KINDS, _WEIGHTS)[0])


def long_conversation(seed: int, index: int) -> Conversation:
    """Return a conversation with a long history or many distracting passages."""
    rng = Random(f"{seed}/long/{index}")
    if rng.random() < 0.4:
        return arithmetic.context(rng, extra=rng.randrange(10, 30)).conversation()
    last = _draw(rng, rng.choice(("bare", "story", "follow_up", "tool", "known_tool", "context", "talk")))
    history: list[Message] = []
    for _ in range(rng.randrange(2, 7)):
        earlier = _draw(rng, rng.choice(("bare", "story", "context", "talk", "tool", "known_tool", "lookup")))
        if earlier.messages[-1].get("tool_calls"):
            continue
        history += [_spoken(m) for m in earlier.messages if m["role"] != "system"]
    head = [m for m in last.messages if m["role"] == "system"]
    rest = [m for m in last.messages if m["role"] != "system"]
    return Conversation(last.kind, (*head, *history, *rest), last.tools, last.thinking, last.trained_turns)


def _spoken(message: Message) -> Message:
    kept = {key: value for key, value in message.items() if key != "reasoning_content"}
    return {**kept, "content": unmarked(kept["content"])}


def _draw(rng: Random, kind: str) -> Conversation:
    if kind in arithmetic.KINDS:
        return arithmetic.worked(rng, kind).conversation()
    if kind == "unused_tool":
        plain = talk.talk(rng) if rng.random() < 0.5 else arithmetic.worked(rng, "bare").conversation()
        return known_tools.not_needed(rng, plain)
    recipes = {
        "tool": tool_calls.made_up_conversation,
        "known_tool": known_tools.single,
        "calculator": known_tools.calculator,
        "structured": structured.structured,
        "talk": talk.talk,
        "lookup": talk.lookup,
        "drill": direct.drill,
        "in_line": direct.worked_in_line,
    }
    return recipes[kind](rng)
