"""Turns a conversation into token ids, and says of each token whether it is learnt.

Owns: spans of characters and their way to tokens. Refuses: packing tokens into rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tokenizers import Tokenizer

from relaygen_runtime.demo.data.conversation import (
    EASY_CLOSES,
    EASY_OPENS,
    MARKS,
    SLIP_CLOSES,
    SLIP_OPENS,
    Conversation,
)
from relaygen_runtime.demo.rendering import render

Span = tuple[int, int]
_TURN = re.compile(r"<\|im_start\|>assistant\n(.*?<\|im_end\|>)", re.DOTALL)
_CLOSED = "<think>\n\n</think>\n\n"


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids with masks of the same length.

    Attributes:
        ids: Token ids.
        learnt: 1 where the token carries loss.
        easy: 1 where the small model writes in a relay: easy sentences, and the answer.
    """

    ids: list[int]
    learnt: list[int]
    easy: list[int]


def marked_spans(marked: str) -> tuple[str, list[Span], list[Span]]:
    """Take the marks out of a text; return it with the spans of slips and of easy sentences."""
    plain: list[str] = []
    spans: dict[str, list[Span]] = {SLIP_OPENS: [], EASY_OPENS: []}
    started: dict[str, int] = {}
    pairs = {SLIP_CLOSES: SLIP_OPENS, EASY_CLOSES: EASY_OPENS}
    for char in marked:
        if char in spans:
            started[char] = len(plain)
        elif char in pairs:
            spans[pairs[char]].append((started.pop(pairs[char]), len(plain)))
        else:
            plain.append(char)
    return "".join(plain), spans[SLIP_OPENS], spans[EASY_OPENS]


def encode(tokenizer: Tokenizer, conversation: Conversation) -> Encoded:
    """Render a conversation and tokenise it with its masks."""
    marked = render(conversation.messages, conversation.tools)
    text, slips, easy = marked_spans(marked) if MARKS & set(marked) else (marked, [], [])
    learnt: list[Span] = []
    for turn in list(_TURN.finditer(text))[-conversation.trained_turns :]:
        start, end = turn.span(1)
        if text.startswith(_CLOSED, start):
            start += len(_CLOSED)
        learnt.append((start, end))
        close = text.find("</think>", start, end)
        easy.append((close + len("</think>") if close >= 0 else start, end))
    encoding = tokenizer.encode(text, add_special_tokens=False)
    offsets: list[Span] = encoding.offsets
    learnt_mask = _mask(offsets, learnt)
    for i, wrong in enumerate(_mask(offsets, slips)):
        if wrong:
            learnt_mask[i] = 0
    return Encoded(encoding.ids, learnt_mask, _mask(offsets, easy))


def _mask(offsets: list[Span], spans: list[Span]) -> list[int]:
    """Mark the tokens that begin inside a span."""
    mask = [0] * len(offsets)
    ordered = sorted(spans)
    at = 0
    for i, (start, _) in enumerate(offsets):
        while at < len(ordered) and ordered[at][1] <= start:
            at += 1
        if at < len(ordered) and ordered[at][0] <= start:
            mask[i] = 1
    return mask
