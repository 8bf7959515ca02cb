"""Builds the tokenizer from the training stream: ``python -m relaygen_runtime.demo.build_tokenizer --out DIR``.

Owns: which part of the stream the merges are learnt from. Refuses: how they are learnt (`tokenizer`).
The packaged tokenizer comes from the stream as it was at commit e96097d: the stream has changed since, and the
tokenizer must not, for its ids are what the weights know.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from relaygen_runtime.demo.data.conversation import unmarked
from relaygen_runtime.demo.data.mixture import conversation
from relaygen_runtime.demo.rendering import render
from relaygen_runtime.demo.tokenizer import train_tokenizer, write_tokenizer

SEED, CONVERSATIONS = 1, 12_000


def texts(count: int = CONVERSATIONS) -> Iterator[str]:
    """Yield the first conversations of the stream as text."""
    for index in range(count):
        drawn = conversation(SEED, index)
        yield unmarked(render(drawn.messages, drawn.tools))


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and write a tokenizer folder."""
    parser = argparse.ArgumentParser(description="Build the tokenizer of RelayGen's embedded demonstration pair.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    write_tokenizer(train_tokenizer(texts()), parser.parse_args(arguments).out)


if __name__ == "__main__":
    main()
