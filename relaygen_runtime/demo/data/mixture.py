"""The recipe: which conversation stands at which place of the training stream.

Owns: the shares of the kinds, and the long conversations. Refuses: tokens. The stream is a
function of seed and index alone, so training resumes anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from relaygen_runtime.demo.data import (
    arithmetic,
    calculators,
    copying,
    direct,
    phrasing,
    react,
    retrieval,
    structured,
    talk,
    tool_calls,
)
from relaygen_runtime.demo.data.conversation import Conversation, Message, unmarked

_SHARES = (
    ("bare", 60),
    ("story", 65),
    ("context", 30),
    ("retrieved", 25),
    ("follow_up", 55),
    ("long_product", 25),
    ("sum", 25),
    ("two_products", 10),
    ("plain", 40),
    ("plain_story", 55),
    ("made_up", 190),
    ("by_purpose", 95),
    ("tool_chain", 15),
    ("calculator", 70),
    ("unused_tool", 45),
    ("react", 35),
    ("structured", 130),
    ("talk", 30),
    ("lookup", 30),
    ("refine", 6),
    ("standalone", 6),
    ("repeat", 15),
    ("copies", 80),
    ("drill", 65),
    ("in_line", 20),
)
_KINDS = tuple(kind for kind, _ in _SHARES)
_WEIGHTS = tuple(weight for _, weight in _SHARES)
_LAST = (
    "bare",
    "story",
    "follow_up",
    "made_up",
    "by_purpose",
    "calculator",
    "react",
    "structured",
    "plain_story",
    "talk",
)
_EARLIER = ("bare", "story", "context", "talk", "made_up", "by_purpose", "calculator", "lookup", "plain")


def conversation(seed: int, index: int) -> Conversation:
    """Return the conversation at a place of the stream."""
    rng = Random(f"{seed}/{index}")
    return _draw(rng, rng.choices(_KINDS, _WEIGHTS)[0])


def long_conversation(seed: int, index: int) -> Conversation:
    """Return a conversation with a long prompt, a long history or many distracting passages."""
    rng = Random(f"{seed}/long/{index}")
    draw = rng.random()
    if draw < 0.25:
        return arithmetic.context(rng, extra=rng.randrange(10, 30)).conversation()
    if draw < 0.35:
        return arithmetic.retrieved(rng, extra=rng.randrange(8, 20)).conversation()
    last = _draw(rng, rng.choice(_LAST))
    head = [m for m in last.messages if m["role"] == "system"]
    rest = [m for m in last.messages if m["role"] != "system"]
    history: list[Message] = []
    if draw < 0.6:
        told = " ".join(phrasing.sentence(rng) for _ in range(rng.randrange(10, 50)))
        first = f"{head[0]['content']}\n\n{told}" if head and rng.random() < 0.5 else told + "\n\n" + _content(head)
        head = [{"role": "system", "content": first.strip()}]
    else:
        for _ in range(rng.randrange(2, 7)):
            earlier = _draw(rng, rng.choice(_EARLIER))
            if not earlier.messages[-1].get("tool_calls"):
                history += [_spoken(m) for m in earlier.messages if m["role"] != "system"]
    return Conversation(last.kind, (*head, *history, *rest), last.tools, last.thinking, last.trained_turns)


def _content(head: list[Message]) -> str:
    return str(head[0]["content"]) if head else ""


def _spoken(message: Message) -> Message:
    kept = {key: value for key, value in message.items() if key != "reasoning_content"}
    return {**kept, "content": unmarked(kept["content"])}


def _draw(rng: Random, kind: str) -> Conversation:
    if kind in arithmetic.KINDS:
        return arithmetic.worked(rng, kind).conversation()
    if kind == "retrieved":
        return arithmetic.retrieved(rng).conversation()
    if kind == "unused_tool":
        if rng.random() < 0.3:
            return calculators.offered_beside_talk(rng, talk.talk(rng))
        plain = talk.talk(rng) if rng.random() < 0.65 else arithmetic.worked(rng, "bare").conversation()
        return tool_calls.not_needed(rng, plain)
    return _RECIPES[kind](rng)


_RECIPES: dict[str, Callable[[Random], Conversation]] = {
    "made_up": tool_calls.made_up,
    "by_purpose": tool_calls.by_purpose,
    "tool_chain": tool_calls.chained,
    "calculator": calculators.calculator,
    "react": react.react,
    "structured": structured.structured,
    "talk": talk.talk,
    "lookup": retrieval.lookup,
    "refine": retrieval.refine,
    "standalone": retrieval.standalone,
    "repeat": copying.repeat,
    "copies": copying.copies,
    "drill": direct.drill,
    "in_line": direct.worked_in_line,
}
