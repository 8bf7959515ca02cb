"""Held-out requests: tools, objects, agents. And how a reply to one is graded.

Owns: the test set, as a function of its seed; its tools' names and the texts in its requests are on the side of
the split that training never sees. Refuses: running models, and sums (`problems`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from relaygen_runtime.demo.data import calculators, copying, react, retrieval, structured, tool_calls
from relaygen_runtime.demo.data.conversation import Conversation, Message, unmarked
from relaygen_runtime.demo.data.tools import Value

_SHARES: tuple[tuple[Callable[[Random, bool], Conversation], int], ...] = (
    (tool_calls.made_up, 28),
    (tool_calls.by_purpose, 18),
    (tool_calls.chained, 5),
    (calculators.calculator, 15),
    (structured.structured, 20),
    (react.react, 6),
    (retrieval.lookup, 5),
    (copying.repeat, 3),
)
_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_ACTION = re.compile(r"Action: (.*)\nAction Input: (.*)")


@dataclass(frozen=True, slots=True)
class Request:
    """A request that training never saw.

    Attributes:
        kind: What is wanted: ``"tool"``, ``"json_keys"`` and so on; ``"_direct"`` at the end means without thinking.
        messages: The conversation, ending where the model is to write.
        tools: The tools on offer.
        thinking: Whether the model may think first.
        expected: The assistant's message that is right.
    """

    kind: str
    messages: tuple[Message, ...]
    tools: tuple[Message, ...]
    thinking: bool
    expected: Message


def heldout_requests(n: int, seed: int) -> list[Request]:
    """Draw requests whose tool names and texts were held out of training.

    Args:
        n: How many.
        seed: Names the set; the same seed gives the same requests.
    """
    recipes, weights = zip(*_SHARES, strict=True)
    requests = []
    for index in range(n):
        rng = Random(f"held-out requests/{seed}/{index}")
        requests.append(_request(rng, rng.choices(recipes, weights)[0](rng, True)))
    return requests


def _request(rng: Random, drawn: Conversation) -> Request:
    """Cut a conversation before one of the turns that training would have learnt."""
    turns = [i for i, message in enumerate(drawn.messages) if message["role"] == "assistant"]
    at = rng.choice(turns[-drawn.trained_turns :])
    expected = drawn.messages[at]
    kind = drawn.kind
    if kind == "tool_answer" and "tool_calls" in expected:
        kind = "tool" if len(expected["tool_calls"]) == 1 else "tool_parallel"
    messages = tuple(
        {key: unmarked(value) if key == "reasoning_content" else value for key, value in message.items()}
        for message in drawn.messages[:at]
    )
    return Request(kind, messages, drawn.tools, drawn.thinking, expected)


def grade_request(text: str, expected: Message) -> bool:
    """Say whether a reply does what is expected, to the letter.

    Args:
        text: What a model wrote. With a ``</think>`` in it, only what follows the last one counts; thinking
            that never ends is no answer.
        expected: The right message. Calls are right when their names, arguments and order are; a JSON object
            when it is equal; the action of an agent when name and input are; other text when it is the same.
    """
    if "<think>" in text and "</think>" not in text:
        return False
    answer = text.rpartition("</think>")[2].strip()
    if expected.get("tool_calls"):
        return _calls(answer) == [_called(call["function"]) for call in expected["tool_calls"]]
    content = str(expected["content"]).strip()
    if action := _ACTION.search(content):
        written = _ACTION.search(answer)
        return written is not None and _action(written) == _action(action)
    if content.startswith("{"):
        return bool(_parsed(answer) == json.loads(content))
    return answer == content


def _calls(answer: str) -> list[tuple[str, Value]] | None:
    parsed = [_parsed(body) for body in _CALL.findall(answer)]
    if not all(isinstance(call, dict) and {"name", "arguments"} == set(call) for call in parsed):
        return None
    return [_called(call) for call in parsed]


def _called(function: Message) -> tuple[str, Value]:
    arguments = function["arguments"]
    return function["name"], json.loads(arguments) if isinstance(arguments, str) else arguments


def _action(match: re.Match[str]) -> tuple[str, Value]:
    return match.group(1).strip(), _parsed(match.group(2))


def _parsed(text: str) -> Value:
    try:
        return json.loads(text)
    except ValueError:
        return None
