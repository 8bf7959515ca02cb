"""How soon an agent's second turn writes its first token, with its history still in the caches.

Owns one measurement: the time to the first token of a long first turn, over that of a second turn which carries
the first one, its answer and a new question. Caches are dropped before each first turn.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from relaygen_runtime import Relay, TextDelta
from relaygen_runtime.evaluation.spread import Figure, bootstrap

__all__ = ["second_turn_figure"]

_FACT = "Shed {number} holds {count} crates with {each} jars in each crate. "
_FIRST = "\nHow many jars are in shed 3?"
_SECOND = "And how many crates are in shed 5?"


def second_turn_figure(
    relay: Relay, history_tokens: int, repeats: int, *, count: Callable[[str], int], forget: Callable[[], None]
) -> Figure:
    """Seconds to the second turn's first token over seconds to the first turn's.

    Args:
        relay: The pair.
        history_tokens: Tokens of the first turn's prompt, roughly.
        repeats: How often both turns are measured.
        count: How many tokens a text has.
        forget: Drops the caches of earlier calls.
    """
    rows: list[tuple[float, ...]] = []
    for repeat in range(max(3, repeats)):
        forget()
        messages = [{"role": "user", "content": _history(count, history_tokens, repeat) + _FIRST}]
        first, answer = _time_to_first(relay, messages)
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": _SECOND}]
        second, _ = _time_to_first(relay, messages)
        rows.append((second, first))
    return bootstrap(rows, lambda r: sum(x[0] for x in r) / sum(x[1] for x in r))


def _history(count: Callable[[str], int], tokens: int, salt: int) -> str:
    facts: list[str] = []
    while count("".join(facts)) < tokens:
        number = len(facts) + 1
        facts.append(_FACT.format(number=number, count=11 + (number * 7 + salt) % 80, each=12 + (number * 5) % 70))
    return "".join(facts)


def _time_to_first(relay: Relay, messages: list[dict[str, Any]]) -> tuple[float, str]:
    began = perf_counter()
    first: float | None = None
    answer: list[str] = []
    for event in relay.stream(messages, temperature=0, max_tokens=48):
        if isinstance(event, TextDelta):
            if first is None:
                first = perf_counter() - began
            if event.phase == "answer":
                answer.append(event.text)
    return first or perf_counter() - began, "".join(answer).strip() or "I do not know."
