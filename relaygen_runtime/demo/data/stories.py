"""Word problems: facts about two factors and a third number, and a question.

Owns: the templates, and which of them training never sees. Refuses: numbers, and working them out.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from relaygen_runtime.demo.data import lexicon, operands, wording


@dataclass(frozen=True, slots=True)
class Story:
    """A template: facts that name {a}, {b} and {c}, a question, and a * b sign c."""

    facts: tuple[str, ...]
    question: str
    sign: str
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A story with its words and numbers filled in."""

    facts: tuple[str, ...]
    question: str
    noun: str
    place: str


SEEN = (
    Story(
        (
            "{who} has {a} {box}.",
            "Each of the {box} holds {b} {n}.",
            "Later {who} buys {c} more {n}.",
        ),
        "How many {n} does {who} have?",
        "+",
    ),
    Story(
        ("A {place} received {a} {box} with {b} {n} in each.", "{c} of the {n} were sold."),
        "How many {n} are left?",
        "-",
    ),
    Story(
        (
            "There are {a} rows in the {place}, and every row has {b} {n}.",
            "Another {c} {n} stand outside.",
        ),
        "How many {n} are there altogether?",
        "+",
    ),
    Story(
        (
            "{who} packs {b} {n} into each of {a} {box}.",
            "Then {c} {n} are taken out because they are broken.",
        ),
        "How many {n} remain?",
        "-",
    ),
    Story(
        ("On each of {a} days the {place} makes {b} {n}.", "It had {c} {n} before that."),
        "How many {n} does it have at the end?",
        "+",
    ),
    Story(
        (
            "{a} groups of visitors came to the {place}.",
            "Every group brought {b} {n}.",
            "The staff gave back {c} {n}.",
        ),
        "How many {n} stayed at the {place}?",
        "-",
    ),
    Story(
        (
            "A ticket for the {place} costs {b} coins.",
            "{a} people bought one.",
            "The {place} then spent {c} coins.",
        ),
        "How many coins remain?",
        "-",
        "coins",
    ),
    Story(
        ("{who} reads {b} pages a day for {a} days.", "After that {who} reads {c} more pages."),
        "How many pages has {who} read?",
        "+",
        "pages",
    ),
    Story(
        (
            "The {place} ordered {a} {box}, each with {b} {n}.",
            "On the way, {c} {n} were lost.",
        ),
        "How many {n} arrived?",
        "-",
    ),
    Story(
        ("A train has {a} cars with {b} seats each.", "{c} seats are taken."),
        "How many seats are free?",
        "-",
        "seats",
    ),
    Story(
        (
            "{who} wins {b} points in every round and plays {a} rounds.",
            "A bonus of {c} points is added.",
        ),
        "What is the score of {who} in points?",
        "+",
        "points",
    ),
    Story(
        (
            "Each of the {a} shelves in the {place} carries {b} {n}.",
            "A delivery brings {c} {n}.",
        ),
        "What is the number of {n} in the {place} then?",
        "+",
    ),
    Story(
        (
            "{who} and {who2} fill {a} {box} with {b} {n} apiece.",
            "{who2} takes {c} {n} home.",
        ),
        "How many {n} are still there?",
        "-",
    ),
    Story(
        ("A farm plants {a} rows of {b} trees.", "A storm fells {c} trees."),
        "How many trees stand?",
        "-",
        "trees",
    ),
    Story(
        ("For the feast, {a} tables get {b} {n} each.", "{c} spare {n} lie in the kitchen."),
        "What is the total number of {n}?",
        "+",
    ),
    Story(
        (
            "A machine prints {b} cards a minute and runs for {a} minutes.",
            "{c} cards are thrown away.",
        ),
        "How many good cards are there?",
        "-",
        "cards",
    ),
    Story(
        ("{who} owns {c} {n}.", "{who2} gives {who} {a} {box} of {b} {n}."),
        "How many {n} does {who} own now?",
        "+",
    ),
)

UNSEEN = (
    Story(
        ("{a} ships carry {b} {n} each to the harbor.", "A further {c} {n} come by road."),
        "What is the number of {n} at the harbor?",
        "+",
    ),
    Story(
        ("A school has {a} classes of {b} pupils.", "{c} pupils are away today."),
        "How many pupils are present?",
        "-",
        "pupils",
    ),
    Story(
        (
            "{who} saves {b} coins each week.",
            "This goes on for {a} weeks.",
            "{who} then pays {c} coins for a bike.",
        ),
        "How many coins does {who} keep?",
        "-",
        "coins",
    ),
    Story(
        ("In a game, {a} players hold {b} {n} each.", "On the table lie {c} {n}."),
        "How many {n} are in the game?",
        "+",
    ),
)


def tell(rng: Random, story: Story, a: int, b: int, c: int) -> Told:
    """Fill a template with numbers and random words."""
    who, who2 = rng.sample(wording.PEOPLE, 2)
    place = rng.choice(wording.PLACES)
    noun = story.noun or rng.choice(wording.NOUNS)
    words = {
        "a": a,
        "b": b,
        "c": c,
        "n": noun,
        "who": who,
        "who2": who2,
        "place": place,
        "box": rng.choice(wording.CONTAINERS),
    }
    facts = tuple(fact.format(**words) for fact in story.facts)
    return Told(facts, story.question.format(**words), noun, place)


PLAIN = (
    Story(("Each of the {box} holds {b} {n}.", "The {place} ordered {a} {box}."), "How many {n} is that?", "*"),
    Story(("{who} has {a} {box} with {b} {n} in each.",), "How many {n} does {who} have?", "*"),
    Story(("There are {a} rows of {b} {n} in the {place}.",), "How many {n} are there?", "*"),
    Story(
        ("A ticket for the {place} costs {b} coins.", "{a} people buy one."),
        "How many coins do they pay?",
        "*",
        "coins",
    ),
    Story(
        ("{who} reads {b} pages a day.", "The book is finished in {a} days."),
        "How many pages does it have?",
        "*",
        "pages",
    ),
    Story(("Every group brought {b} {n}.", "{a} groups came to the {place}."), "How many {n} came together?", "*"),
    Story(
        ("The {place} sells {b} {n} a day.", "It was open on {a} days."), "What is the number of {n} that it sold?", "*"
    ),
    Story(("On {a} tables lie {b} {n} each.",), "What is the total number of {n}?", "*"),
    Story(("{who} has {x} {n}.", "{who2} has {y} {n}."), "How many {n} do they have together?", "+"),
    Story(("The {place} had {x} {n}.", "A truck brings {y} more."), "How many {n} does it have now?", "+"),
    Story(("In the morning {who} counts {x} {n}, and in the evening {y}.",), "How many {n} were counted in all?", "+"),
    Story(("One {place} has {x} {n}.", "The other {place} has {y} {n}."), "What is the number of {n} in both?", "+"),
    Story(("{who} had {x} {n}.", "{y} of them were sold."), "How many {n} are left?", "-"),
    Story(("The {place} holds {x} {n}.", "{who} takes {y} {n} away."), "How many {n} remain?", "-"),
    Story(("{who} needs {x} {n} and has {y} {n}.",), "How many {n} are missing?", "-"),
    Story(("There are {x} seats in the {place}.", "{y} seats are taken."), "How many seats are free?", "-", "seats"),
)
"""Stories of two numbers alone: a product of {a} and {b}, or a sum or difference of {x} and {y}."""


def tell_plain(rng: Random, held_out: bool) -> tuple[Told, int, str, int]:
    """Tell a story of two numbers; return it with the numbers and the sign between them."""
    story = rng.choice(PLAIN)
    if story.sign == "*":
        left, right = operands.factor_pair(rng, held_out)
    else:
        left, right = operands.two_terms(rng, story.sign, held_out)
    who, who2 = rng.sample(lexicon.FIRST_NAMES, 2)
    noun = story.noun or rng.choice(wording.NOUNS)
    words = {
        "a": left,
        "b": right,
        "x": left,
        "y": right,
        "n": noun,
        "who": who,
        "who2": who2,
        "place": rng.choice(wording.PLACES),
        "box": rng.choice(wording.CONTAINERS),
    }
    facts = tuple(fact.format(**words) for fact in story.facts)
    return Told(facts, story.question.format(**words), noun, str(words["place"])), left, story.sign, right
