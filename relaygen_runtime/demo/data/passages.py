"""Facts that stand in a context passage among others, as a retrieval prompt has them.

Owns: the layouts, which of them training never sees, and the distracting facts. Refuses: the
facts that matter, which it takes as given.
"""

from __future__ import annotations

from random import Random

from relaygen_runtime.demo.data import wording

_LAYOUTS = (
    ("Some notes were found:\n{facts}\nUse the notes to answer.\nQuestion: {q}", "\n"),
    ("Read this first.\n=====\n{facts}\n=====\n{q}", "\n"),
    ("Facts:\n{facts}\n\nFrom these facts alone, answer the query.\nQuery: {q}\nAnswer: ", "\n\n"),
    ("<passages>\n{facts}\n</passages>\n\n{q}", "\n"),
    ("{q}\n\nWhat is known:\n{facts}", "\n"),
    ("The search gave these texts.\n-----\n{facts}\n-----\nSay, without other sources: {q}", "\n\n"),
    ("Background: {facts}\n\n{q}", " "),
)
_UNSEEN_LAYOUTS = (("Take a look at the records below.\n***\n{facts}\n***\nNow tell me: {q}", "\n"),)
_BULLETS = ("", "- ", "* ", "[{i}] ", "{i}. ", "Source {i}: ", "file: {name}.txt\n")


def layout(rng: Random, facts: tuple[str, ...], question: str, extra: int, unseen: bool) -> str:
    """Spread facts and ``extra`` distracting ones over passages, and ask the question."""
    passages = [*_grouped(rng, facts), *(distraction(rng) for _ in range(extra))]
    rng.shuffle(passages)
    frame, joint = rng.choice(_UNSEEN_LAYOUTS if unseen else _LAYOUTS)
    bullet = "" if joint == " " else rng.choice(_BULLETS)
    lines = [
        bullet.format(i=i, name=rng.choice(wording.THINGS)) + passage for i, passage in enumerate(passages, start=1)
    ]
    return frame.format(facts=joint.join(lines), q=question)


def distraction(rng: Random) -> str:
    """Return a fact that has nothing to do with the question."""
    who, place = rng.choice(wording.PEOPLE), rng.choice(wording.PLACES)
    number, noun = rng.randrange(2, 1000), rng.choice(wording.NOUNS)
    return rng.choice(
        (
            f"The {place} opened in {rng.randrange(1900, 2020)}.",
            f"{who} is {rng.randrange(18, 90)} years old.",
            f"The roof of the {place} is {rng.choice(wording.WORDS[:4])}.",
            f"{who} likes {wording.topic(rng)}.",
            f"The {place} is {number} meters long.",
            f"The {place} in {rng.choice(wording.CITIES)} closed at {rng.randrange(1, 13)}.",
            f"In another {place}, {who} saw {number} {noun}.",
            f"{who} works at the {place} and has {rng.randrange(2, 10)} children.",
            f"The {place} uses the color {rng.choice(wording.WORDS[:4])} for its doors.",
            f"A letter from {who} speaks of {wording.topic(rng)} and of {wording.topic(rng)}.",
        )
    )


def _grouped(rng: Random, facts: tuple[str, ...]) -> list[str]:
    """Join some neighbours into one passage; facts that build on another keep their order."""
    groups = [facts[0]]
    for fact in facts[1:]:
        if rng.random() < 0.35:
            groups[-1] += " " + fact
        else:
            groups.append(fact)
    return groups
