"""The words that templates are filled with.

Owns: word lists, and made-up words. Refuses: sentences of its own.
"""

from __future__ import annotations

from random import Random


def _words(text: str, separator: str | None = None) -> tuple[str, ...]:
    return tuple(text.split(separator))


PEOPLE = _words(
    "Ana Ben Carla David Elif Farid Greta Hugo Ines Jonas Kemal Lena Mara Nils Olga Pavel Rosa Sam "
    "Tara Umar Vera Wim Yara Zoe Bob Alice Selma Mia Noah Emma Liam Karim Ingrid Tom"
)
PLACES = _words(
    "shop market museum library bakery school garden station hotel factory hall store theater "
    "workshop farm office harbor depot"
)
NOUNS = _words(
    "apples pears books pens cups plates chairs stones bottles candles eggs lemons stamps bricks "
    "toys coins tiles roses tickets buttons marbles boxes lamps flags shells"
)
CONTAINERS = _words("boxes crates bags baskets trays chests sacks cases jars bins")
CITIES = _words(
    "Paris|Rome|Oslo|Lima|Cairo|Tokyo|Boston|Madrid|Vienna|Berlin|Quito|Delhi|Lagos|Seoul|Athens|"
    "San Francisco|New York|London|Zürich|São Paulo|München|北京|東京|Москва",
    "|",
)
SYSTEM_PROMPTS = (
    "You are a helpful assistant.",
    "You are a careful assistant that works with numbers.",
    "Answer the user's question.",
    "You are a small demonstration model. Be brief.",
    "Work step by step and keep the answer short.",
    "You help people with sums and with tools.",
    "You are an expert in arithmetic.",
    "Always answer in English.",
    "Be polite.",
    "You are a friendly clerk in a shop.",
    "Today is a good day to count things.",
    "Your answers are short and exact.",
    "You are a system that answers questions from given facts. Do not mention the facts themselves.",
    "Never guess. If you have tools, use them.",
    "You are Robo, a counting machine.",
    "Act as a teacher who explains sums to a class.",
    "You are an assistant that can call functions.",
    "Use the tools where they help.",
)
NUMBER_ONLY_PROMPTS = (
    "Answer with the number alone.",
    "Reply with nothing but the number.",
    "Give only the number as your answer.",
)
VERBS = _words(
    "get set find list add make send load open read count check create delete update fetch run "
    "start stop book search look compute convert show call store"
)
THINGS = _words(
    "item user order price weather mail file room ticket task time note score color value code "
    "report flight city record customer table image song alarm light magic secret"
)
PARAMETERS = _words(
    "name id city query amount value text count input x y a b key level date title size color "
    "first second unit location topic number language"
)
WORDS = _words(
    "red blue green river table window happy small large early spring winter paper silver music "
    "bread light cloud stone water fire north south story letter engine simple quiet purple orange "
    "hello world morning evening number answer"
)
TOPICS = _words(
    "cats dogs rain trains bread the_moon birds snow robots music the_sea clocks tea bees horses trees ships shoes"
)
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiouy"
_FOREIGN = (
    "你好世界公司天水火山大小中文字日本月人客户名称集团上海",
    "áéíóúñçüöäßøåêèžšł",
    "приветмирдатагород",
    "😀🚀🌍🎉🍎🐱✨🔥",
    "αβγδεζηθλμ",
    "안녕하세요서울",
)


def made_up_word(rng: Random) -> str:
    """Return a word that no one has seen: two to four syllables, or plain random letters."""
    if rng.random() < 0.3:
        return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randrange(3, 9)))
    return "".join(
        rng.choice(_CONSONANTS) + rng.choice(_VOWELS) + rng.choice(("", "", rng.choice("nrstlk")))
        for _ in range(rng.randrange(2, 5))
    )


def foreign_text(rng: Random) -> str:
    """Return a few characters that are not ASCII, of one or two scripts."""
    script = rng.choice(_FOREIGN)
    text = "".join(rng.choice(script) for _ in range(rng.randrange(1, 7)))
    if rng.random() < 0.3:
        return f"{made_up_word(rng)} {text}"
    return text + "".join(rng.choice(rng.choice(_FOREIGN)) for _ in range(rng.randrange(0, 2)))


def topic(rng: Random) -> str:
    """Return something to talk about."""
    return rng.choice(TOPICS).replace("_", " ")
