"""Packs encoded conversations into rows of one length.

Owns: which conversations share a row, and the batches by step. Refuses: tensors. A batch is a
function of seed and step alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tokenizers import Tokenizer

from relaygen_runtime.demo.data.conversation import Conversation
from relaygen_runtime.demo.data.mixture import conversation, long_conversation
from relaygen_runtime.demo.encoding import Encoded, encode
from relaygen_runtime.demo.tokenizer import token_id

Draw = Callable[[int, int], Conversation]


@dataclass(frozen=True, slots=True)
class Shape:
    """Rows and tokens a row; every batch of one shape costs the same."""

    rows: int
    length: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Token ids and loss masks, row by row."""

    ids: list[list[int]]
    learnt: list[list[int]]


class Packer:
    """Makes the batch of any step.

    Args:
        tokenizer: The pair's tokenizer.
        seed: Names the stream of conversations.
        usual: The shape of most batches.
        long: The shape of every ``long_every``-th batch, with long conversations in it.
        long_every: How often a long batch comes.
    """

    def __init__(self, tokenizer: Tokenizer, seed: int, usual: Shape, long: Shape, long_every: int) -> None:
        self._tokenizer = tokenizer
        self._seed = seed
        self._usual, self._long, self._long_every = usual, long, long_every
        self._end = token_id(tokenizer, "<|endoftext|>")

    def batch(self, step: int) -> Batch:
        """Return the batch of a step."""
        if step % self._long_every == self._long_every - 1:
            return self._packed(step, self._long, long_conversation)
        return self._packed(step, self._usual, conversation)

    def _packed(self, step: int, shape: Shape, draw: Draw) -> Batch:
        """Fill every row with the longest conversations that still fit, from a fixed supply."""
        room = shape.rows * shape.length
        supply: list[Encoded] = []
        index = step * 1000
        # A few more than fill the rows, so that the last gaps find something short.
        while sum(len(item.ids) for item in supply) < 1.15 * room and index < (step + 1) * 1000:
            item = encode(self._tokenizer, draw(self._seed, index))
            index += 1
            if len(item.ids) < shape.length:
                supply.append(item)
        ids: list[list[int]] = []
        learnt: list[list[int]] = []
        for _ in range(shape.rows):
            row, mask = self._row(supply, shape.length)
            ids.append(row)
            learnt.append(mask)
        return Batch(ids, learnt)

    def _row(self, supply: list[Encoded], length: int) -> tuple[list[int], list[int]]:
        row: list[int] = []
        mask: list[int] = []
        if supply:  # the first is taken as drawn, so that no length is favoured
            first = supply.pop(0)
            row, mask = [*first.ids, self._end], [*first.learnt, 0]
        while fitting := [i for i, item in enumerate(supply) if len(item.ids) < length - len(row)]:
            item = supply.pop(max(fitting, key=lambda i: len(supply[i].ids)))
            row += [*item.ids, self._end]
            mask += [*item.learnt, 0]
        padding = length - len(row)
        return row + [self._end] * padding, mask + [0] * padding
