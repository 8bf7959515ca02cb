"""The texts that forced models follow: real traces where they are at hand, else made-up ones.

Owns finding and reading them. The real ones are data to read, never part of the repository: the environment variable
RELAYGEN_TRACES names the folder that holds them.
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from pathlib import Path

__all__ = ["TraceText", "made_up_traces", "real_traces", "traces_file"]

_FILE = "qwen3-32b-aime25-traces.jsonl"
_NAMES = ("apples", "pears", "stones", "coins", "letters", "ships", "lamps", "books")


@dataclass(frozen=True, slots=True)
class TraceText:
    """One generation of a real model, or something like it.

    Attributes:
        name: Where it comes from.
        problem: What was asked.
        text: The thinking with its tags, and the answer.
        declared_tokens: Tokens that its publisher counted; None for a made-up one.
    """

    name: str
    problem: str
    text: str
    declared_tokens: int | None = None


def traces_file() -> Path | None:
    """The file of real traces; None where the environment names none."""
    folder = os.environ.get("RELAYGEN_TRACES")
    return Path(folder) / _FILE if folder else None


def real_traces(file: Path) -> list[TraceText]:
    """Read the real traces, the first run of every problem first: few of them are already varied."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows.sort(key=lambda row: (row["run"], row["problem_id"]))
    return [
        TraceText(
            name=f"problem {row['problem_id']}, run {row['run']}",
            # Prompts tell traces apart, so that two runs of a problem must not ask in the same words.
            problem=row["problem"] + (f"\n\n(Attempt {row['run'] + 1})" if row["run"] else ""),
            text=row["text"],
            declared_tokens=int(row["tokens"]),
        )
        for row in rows
    ]


def made_up_traces(count: int, sentences: int = 60, seed: int = 0) -> list[TraceText]:
    """Write texts with a real trace's shape: discourse words, decimals, formulas, both phases."""
    return [_made_up(number, sentences, random.Random(seed + number)) for number in range(count)]


def _made_up(number: int, sentences: int, draw: random.Random) -> TraceText:
    lines = ["<think>\nOkay, let's see what is asked here."]
    for step in range(sentences):
        one, two = draw.choice(_NAMES), draw.choice(_NAMES)
        a, b = draw.randrange(2, 90), draw.randrange(2, 90)
        lines.append(
            draw.choice(
                (
                    f"If there are {a} {one} and {b} {two}, that makes {a + b} things to count in step {step}.",
                    f"So, {a} times {b} equals {a * b}. That settles the {one} before the {two} come in.",
                    f"Therefore, the {one} weigh {a}.{b} pounds. We know nothing of the {two} yet.",
                    f"Now, write $x = {a}/{b}$ for the {one}. Then look at the {two} again.",
                    f"Wait, is {a} larger than {b}? The {one} say so, but nowhere do the {two}.",
                    f"Also, the {two} were {a} at first.\n\nThe {one} are counted {b} times in step {step}.",
                )
            )
        )
    total = draw.randrange(100, 999)
    lines.append(
        f"So the total is {total}.\n</think>\n\nAdding up all steps, the total is:\n\n$$\n\\boxed{{{total}}}\n$$"
    )
    return TraceText(f"made up, {number}", f"How many things are there in case {number}?", " ".join(lines))
