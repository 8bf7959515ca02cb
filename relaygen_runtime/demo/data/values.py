"""Values of every kind, to be copied: words, names, places, sentences, codes, scripts, numbers.

Owns: the entropy of what is copied, and the split of texts: a hash of the text decides which ones training
may see. Refuses: what the values are for.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from random import Random

from relaygen_runtime.demo.data import lexicon, wording

Scalar = str | int | float | bool
_SCRIPTS = (
    (0x4E00, 0x9FA5),
    (0x4E00, 0x9FA5),
    (0x4E00, 0x5FFF),
    (0x3041, 0x3096),
    (0x30A1, 0x30FA),
    (0xAC00, 0xD7A3),
    (0x0410, 0x044F),
    (0x0410, 0x044F),
    (0x03B1, 0x03C9),
    (0x00C0, 0x017F),
    (0x00C0, 0x017F),
    (0x0621, 0x063A),
    (0x05D0, 0x05EA),
    (0x0905, 0x0939),
    (0x0E01, 0x0E30),
    (0x1F300, 0x1F64F),
    (0x1F600, 0x1F64F),
)


def is_held_out_text(text: str) -> bool:
    """Say whether a name or a value is kept from training: one in ten is."""
    return zlib.crc32(text.encode()) % 10 == 3


def on_side(held_out: bool, draw: Callable[[], str]) -> str:
    """Draw until the text is on the wanted side of the split."""
    while True:
        text = draw()
        if is_held_out_text(text) is held_out:
            return text


def text(rng: Random, held_out: bool = False) -> str:
    """Draw a text of any kind."""
    return on_side(held_out, lambda: rng.choices(_TEXTS, _WEIGHTS)[0](rng))


def person(rng: Random, held_out: bool = False) -> str:
    """Draw a person's name."""
    return on_side(held_out, lambda: _person(rng))


def place(rng: Random, held_out: bool = False) -> str:
    """Draw a place: a city, or a city with its state or country."""
    return on_side(held_out, lambda: _place(rng))


def firm(rng: Random, held_out: bool = False) -> str:
    """Draw a firm's name."""
    return on_side(held_out, lambda: _firm(rng))


def date(rng: Random, held_out: bool = False) -> str:
    """Draw a date."""
    return on_side(held_out, lambda: _date(rng))


def phrase(rng: Random, held_out: bool = False) -> str:
    """Draw a short phrase of plain words."""
    return on_side(held_out, lambda: _phrase(rng))


def script(rng: Random, held_out: bool = False) -> str:
    """Draw characters outside ASCII."""
    return on_side(held_out, lambda: _script(rng))


def word(rng: Random, held_out: bool = False) -> str:
    """Draw one word, half of the time a made-up one."""
    return on_side(held_out, lambda: _word(rng))


def email(rng: Random, held_out: bool = False) -> str:
    """Draw an address."""
    return on_side(held_out, lambda: _email(rng))


def integer(rng: Random) -> int:
    """Draw an integer of any usual size, now and then a negative one."""
    value = rng.randrange(0, rng.choice((10, 10, 100, 100, 1000, 10_000, 1_000_000)))
    return -value if rng.random() < 0.08 else value


def number(rng: Random) -> float:
    """Draw a decimal."""
    value = round(rng.uniform(0, rng.choice((1, 10, 200, 5000))), rng.randrange(1, 4))
    return -value if rng.random() < 0.1 else value


def _word(rng: Random) -> str:
    if rng.random() < 0.5:
        return wording.made_up_word(rng)
    return rng.choice((*lexicon.NOUNS, *lexicon.ADJECTIVES))


def _phrase(rng: Random) -> str:
    words = [_word(rng) if rng.random() < 0.3 else rng.choice(lexicon.NOUNS) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.5:
        words.insert(0, rng.choice(lexicon.ADJECTIVES))
    joined = " ".join(words)
    return rng.choice((joined, joined, joined, joined.title(), joined.capitalize(), joined.upper()))


def _name_part(rng: Random, known: tuple[str, ...]) -> str:
    return rng.choice(known) if rng.random() < 0.65 else wording.made_up_word(rng).title()


def _person(rng: Random) -> str:
    first = _name_part(rng, lexicon.FIRST_NAMES)
    draw = rng.random()
    if draw < 0.4:
        return first
    last = _name_part(rng, lexicon.SURNAMES)
    if draw < 0.85:
        return f"{first} {last}"
    if draw < 0.92:
        return f"{first} {rng.choice('ABCDEFGHJKLMNPRSTW')}. {last}"
    return rng.choice(
        (f"{last}, {first}", f"Dr. {first} {last}", f"{first} {last}-{_name_part(rng, lexicon.SURNAMES)}")
    )


def _place(rng: Random) -> str:
    city = _name_part(rng, lexicon.CITIES)
    if rng.random() < 0.12:
        city = f"{rng.choice(('Port', 'New', 'San', 'Saint', 'Upper', 'East', 'Bad', 'El'))} {city}"
    draw = rng.random()
    if draw < 0.5:
        return city
    if draw < 0.75:
        return f"{city}, {''.join(rng.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZ') for _ in range(2))}"
    return f"{city}, {rng.choice(lexicon.COUNTRIES)}"


def _firm(rng: Random) -> str:
    if rng.random() < 0.35:
        return _script(rng) + rng.choice(("", "集团", "公司", " Ltd"))
    words = [_name_part(rng, lexicon.SURNAMES), rng.choice(lexicon.NOUNS).title()]
    return " ".join((*words[: rng.randrange(1, 3)], rng.choice(lexicon.FIRM_ENDS)))


def _script(rng: Random) -> str:
    words = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        low, high = rng.choice(_SCRIPTS)
        words.append("".join(chr(rng.randrange(low, high + 1)) for _ in range(rng.randrange(1, 9))))
    if rng.random() < 0.2:
        words.insert(rng.randrange(2), wording.made_up_word(rng))
    return rng.choice((" ", " ", "")).join(words)


def _sentence(rng: Random) -> str:
    who, noun, other = _person(rng), rng.choice(lexicon.NOUNS), _word(rng)
    text = rng.choice(
        (
            f"The {noun} of {who} is {rng.choice(lexicon.ADJECTIVES)}",
            f"{rng.choice(lexicon.VERBS).capitalize()} the {noun}, please",
            f"We need {rng.randrange(2, 900)} {noun}s at {_place(rng)}",
            f"Is the {rng.choice(lexicon.ADJECTIVES)} {noun} still here",
            f"I will {rng.choice(lexicon.VERBS)} a {noun} for {who} at {rng.randrange(1, 13)}:{rng.randrange(10, 60)}",
            f"{who} said: {other} {noun}",
            f"Don't {rng.choice(lexicon.VERBS)} the {other} ({noun})",
            f"{other.capitalize()} and {noun} - {rng.randrange(1, 100)}%",
        )
    )
    if rng.random() < 0.05:
        text = f'"{other}" is what {who} said'
    return text + rng.choice((".", ".", "!", "?", ""))


def _code(rng: Random) -> str:
    letters, digits = "ABCDEFGHJKLMNPQRSTUVWXYZ", "0123456789"
    draw = rng.random()
    if draw < 0.3:
        return "".join(rng.choice(letters) for _ in range(rng.randrange(2, 5))) + f"-{rng.randrange(1, 99999)}"
    if draw < 0.5:
        return "".join(rng.choice("0123456789abcdef") for _ in range(rng.randrange(4, 11)))
    if draw < 0.7:
        return f"{wording.made_up_word(rng)}_{rng.randrange(1, 1000)}"
    if draw < 0.85:
        return "".join(rng.choice(letters + letters.lower() + digits) for _ in range(rng.randrange(3, 12)))
    return "".join(rng.choice(letters.lower() + digits + "-_.:/#+*%&@$") for _ in range(rng.randrange(3, 10)))


def _email(rng: Random) -> str:
    name = rng.choice((wording.made_up_word(rng), rng.choice(lexicon.FIRST_NAMES).lower()))
    if rng.random() < 0.4:
        name += rng.choice((".", "_", "")) + rng.choice((*lexicon.SURNAMES, str(rng.randrange(1, 100)))).lower()
    return (
        f"{name}@{rng.choice((wording.made_up_word(rng), _word(rng)))}.{rng.choice(('com', 'org', 'net', 'de', 'io'))}"
    )


def _path(rng: Random) -> str:
    parts = [_word(rng) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.3:
        return f"https://{wording.made_up_word(rng)}.{rng.choice(('com', 'org', 'io'))}/{'/'.join(parts)}"
    return (
        rng.choice(("/", "", "./", "~/", "C:/"))
        + "/".join(parts)
        + rng.choice(("", ".txt", ".csv", ".pdf", ".py", ".md"))
    )


def _date(rng: Random) -> str:
    year, month, day = rng.randrange(1900, 2060), rng.randrange(1, 13), rng.randrange(1, 29)
    name = lexicon.MONTHS[month - 1]
    clock = f"{rng.randrange(0, 24):02d}:{rng.randrange(0, 60):02d}"
    return rng.choice(
        (
            f"{year}-{month:02d}-{day:02d}",
            f"{year}-{month:02d}-{day:02d}",
            f"{day} {name} {year}",
            f"{name} {day}, {year}",
            f"{day:02d}.{month:02d}.{year}",
            f"{month}/{day}/{year}",
            f"{year}-{month:02d}-{day:02d} {clock}",
            clock,
        )
    )


def _digits(rng: Random) -> str:
    return "".join(rng.choice("0123456789") for _ in range(rng.randrange(2, 10)))


_DRAWS: tuple[tuple[Callable[[Random], str], int], ...] = (
    (_word, 14),
    (_phrase, 18),
    (_person, 12),
    (_place, 12),
    (_firm, 6),
    (_script, 13),
    (_sentence, 9),
    (_code, 6),
    (_email, 3),
    (_path, 3),
    (_date, 4),
    (_digits, 2),
)
_TEXTS = tuple(draw for draw, _ in _DRAWS)
_WEIGHTS = tuple(weight for _, weight in _DRAWS)
