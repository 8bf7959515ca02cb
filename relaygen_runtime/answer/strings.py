"""Strings and object keys as grammar: free ones, ones of bounded length, keys that differ from given ones.

Owns what may stand between the quotes. Free strings may hold escapes and never hold the text of a special token;
bounded strings and free keys hold plain characters only, so that what is counted or compared is what stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relaygen_runtime.answer.ebnf import PLAIN, Expr, Ranges, Rules, character_class, literal, sequence, without

__all__ = ["bounded_string", "free_string", "other_key", "quoted"]

QUOTE = literal('"')
_HEX = "[0-9a-fA-F]"
# Every escape but half a character: a lone surrogate is no text.
_ESCAPED = (
    f'(["\\\\/bfnrt] | "u" ([0-9a-cA-CefEF] {_HEX} {_HEX} {_HEX} | [dD] [0-7] {_HEX} {_HEX}'
    f' | [dD] [89abAB] {_HEX} {_HEX} "\\\\u" [dD] [c-fC-F] {_HEX} {_HEX}))'
)


def quoted(inner: Expr) -> Expr:
    """A string with this inside."""
    return sequence([QUOTE, inner, QUOTE])


def bounded_string(low: int, high: int | None, less: Ranges = ()) -> Expr:
    """A string of `low` to `high` plain characters, less some."""
    return quoted(character_class(without(PLAIN, less)).times(low, high))


def free_string(rules: Rules, excludes: Sequence[str]) -> Expr:
    """Any string without these texts (spelled out; escaped they are harmless)."""
    states = sorted({text[:end] for text in excludes for end in range(len(text))} or {""})
    names = {state: rules.declare("text", 1) for state in states}
    for state in states:
        follow = {char: state + char for char in {text[0] for text in excludes}}
        follow |= {text[end]: text[: end + 1] for text in excludes for end in range(len(text))}
        rules.define(names[state], _text_rule(state, names, excludes, follow))
    return sequence([QUOTE, names[""]])


def _text_rule(state: str, names: dict[str, Expr], excludes: Sequence[str], follow: Iterable[str]) -> str:
    """What may follow when the text ends with `state`, the longest beginning of an excluded one."""
    parts = ['"\\""']
    special = sorted(char for char in follow if char not in '"\\')
    for char in special:
        text = state + char
        if any(text.endswith(excluded) for excluded in excludes):
            continue
        target = next(text[begin:] for begin in range(len(text) + 1) if text[begin:] in names)
        parts.append(f"{literal(char).text} {names[target].text}")
    others = without(PLAIN, [(ord(char), ord(char)) for char in special])
    parts.append(f"{character_class(others).text} {names[''].text}")
    parts.append(f'"\\\\" {_ESCAPED} {names[""].text}')
    return " | ".join(parts)


def other_key(rules: Rules, taken: Iterable[str], less: Ranges = ()) -> Expr:
    """A key of plain characters less some, with its quotes, that is none of `taken`."""
    plain = without(PLAIN, less)
    names = set(taken)
    states = sorted({name[:end] for name in names for end in range(len(name) + 1)} | {""})
    rest = rules.add(sequence([character_class(plain).times(0, None), QUOTE]), "key")
    nodes = {state: rules.declare("key", 1) for state in states}
    for state in states:
        children = sorted(other[-1] for other in states if other and other[:-1] == state and other[-1] not in '"\\')
        children = [char for char in children if any(low <= ord(char) <= high for low, high in plain)]
        others = without(plain, [(ord(char), ord(char)) for char in children])
        parts = [f"{character_class(others).text} {rest.text}"]
        parts += [f"{literal(char).text} {nodes[state + char].text}" for char in children]
        if state not in names:
            parts.append('"\\""')
        rules.define(nodes[state], " | ".join(parts))
    return sequence([QUOTE, nodes[""]])
