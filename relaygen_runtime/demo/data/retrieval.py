"""Prompts as retrieval writes them: a context, an instruction, a query.

Owns: many layouts, documents of many kinds around the facts, and questions whose answer is a fact to copy.
Refuses: sums (`arithmetic`) and the layouts of the older problems (`passages`).
"""

from __future__ import annotations

from random import Random

from relaygen_runtime.demo.data import lexicon, passages, phrasing, values
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.tool_calls import easy, user

_INTRODUCTIONS = (
    "Here is some context.",
    "The context follows.",
    "These are the documents that were found:",
    "Context information:",
    "Below stand passages that may help.",
    "We know this much:",
    "Sources:",
    "Use these pieces of text.",
    "",
)
_INSTRUCTIONS = (
    "Answer the query from the context and not from what you knew before.",
    "With this context and nothing else, answer the question.",
    "Use only the text above.",
    "Reply to the question below. If the text does not say it, say so.",
    "From the above, and without other knowledge, answer.",
    "Keep the answer short.",
    "",
)
_QUESTIONS = (
    "Query: {q}\nAnswer: ",
    "Question: {q}",
    "Question: {q}\nAnswer:",
    "{q}",
    "Query: {q}",
    "User question: {q}\n\nAnswer:",
    "Q: {q}\nA:",
)
_RULES = ("-----", "---------------------", "=====", "***", "```", '"""', "", "")
_HEADS = (
    "",
    "",
    "",
    "file_path: {f}\n",
    "source: {f}\n\n",
    "[{i}] ",
    "Document {i}:\n",
    "page: {i}\n",
    "title: {t}\n",
    "{i}) ",
)


def layout(rng: Random, facts: tuple[str, ...], question: str, extra: int) -> str:
    """Spread facts over documents among ``extra`` other ones, and ask.

    Args:
        rng: Draws everything.
        facts: The sentences that matter; their order is kept.
        question: What is asked.
        extra: How many other documents there are.
    """
    documents = [" ".join(_padded(rng, group)) for group in _groups(rng, facts)]
    for _ in range(extra):
        documents.insert(rng.randrange(len(documents) + 1), document(rng))
    head, rule = rng.choice(_HEADS), rng.choice(_RULES)
    shown = [
        head.format(
            i=i,
            f=f"{rng.choice(lexicon.NOUNS)}.{rng.choice(('txt', 'md', 'pdf'))}",
            t=rng.choice(lexicon.NOUNS).title(),
        )
        + text
        for i, text in enumerate(documents, start=1)
    ]
    block = rng.choice(("\n", "\n\n", "\n\n")).join(shown)
    block = f"{rule}\n{block}\n{rule}" if rule else block
    asked = rng.choice(_QUESTIONS).format(q=question)
    parts = [rng.choice(_INTRODUCTIONS), block, rng.choice(_INSTRUCTIONS), asked]
    if rng.random() < 0.12:
        parts = [parts[2], parts[3].removesuffix("\nAnswer: ").removesuffix("\nAnswer:"), parts[0], block]
    return rng.choice(("\n", "\n", "\n\n")).join(part for part in parts if part)


def _groups(rng: Random, facts: tuple[str, ...]) -> list[list[str]]:
    groups = [[facts[0]]]
    for fact in facts[1:]:
        if rng.random() < 0.4:
            groups[-1].append(fact)
        else:
            groups.append([fact])
    return groups


def _padded(rng: Random, group: list[str]) -> list[str]:
    out = list(group)
    if rng.random() < 0.3:
        out.insert(rng.randrange(len(out) + 1), document(rng, 1))
    return out


def document(rng: Random, sentences: int = 0) -> str:
    """Return a document without anything that is asked for."""
    count = sentences or rng.choice((1, 1, 2, 3))
    return " ".join(rng.choice((passages.distraction, fact_sentence, phrasing.sentence))(rng) for _ in range(count))


def fact_sentence(rng: Random) -> str:
    """Return a sentence that states something."""
    return fact(rng, held_out=False)[0]


def fact(rng: Random, held_out: bool) -> tuple[str, str, str]:
    """Return a fact, a question for it, and the answer."""
    who, place, noun = values.person(rng, held_out), values.place(rng, held_out), rng.choice(lexicon.NOUNS)
    thing, value = values.word(rng, held_out), values.phrase(rng, held_out)
    date, number = values.date(rng, held_out), rng.randrange(2, 5000)
    return rng.choice(
        (
            (
                f"The {thing} {noun} was built on {date}.",
                f"When was the {thing} {noun} built?",
                f"The {thing} {noun} was built on {date}.",
            ),
            (f"{who} comes from {place}.", f"Where does {who} come from?", f"{who} comes from {place}."),
            (
                f"The {noun} of {thing} is {value}.",
                f"What is the {noun} of {thing}?",
                f"The {noun} of {thing} is {value}.",
            ),
            (
                f"The {thing} {noun} is kept by {who}.",
                f"Who keeps the {thing} {noun}?",
                f"The {thing} {noun} is kept by {who}.",
            ),
            (f"{who} has {number} {noun}s.", f"How many {noun}s does {who} have?", f"{who} has {number} {noun}s."),
            (
                f"{thing.title()} is a {value} from {place}.",
                f"What is {thing.title()}?",
                f"{thing.title()} is a {value} from {place}.",
            ),
            (
                f"{who} invented the {thing} {noun} in {number}.",
                f"Who invented the {thing} {noun}?",
                f"{who} invented the {thing} {noun} in {number}.",
            ),
            (
                f"The secret code of {who} is {value}.",
                f"What is the secret code of {who}?",
                f"The secret code of {who} is {value}.",
            ),
        )
    )


def lookup(rng: Random, held_out: bool = False) -> Conversation:
    """Ask for a fact that stands in a document among others."""
    stated, question, reply = fact(rng, held_out)
    if rng.random() < 0.25:
        text = passages.layout(rng, (stated,), question, rng.randrange(0, 7), unseen=False)
    else:
        text = layout(rng, (stated,), question, rng.randrange(0, 7))
    messages: list[Message] = [user(text)]
    if rng.random() < 0.3:
        messages = [{"role": "system", "content": phrasing.system_prompt(rng)}, *messages]
    message: Message = {"role": "assistant", "content": reply}
    think = rng.random() < 0.8
    if think:
        message["reasoning_content"] = f"The text says: {stated} {easy('So', 'I tell the user what the text says')}"
    return Conversation("lookup", (*messages, message), thinking=think)


def refine(rng: Random, held_out: bool = False) -> Conversation:
    """Improve an answer with more context, or keep it where the context does not help."""
    stated, question, reply = fact(rng, held_out)
    helps = rng.random() < 0.5
    first = "The text does not say it." if helps else reply
    context = f"{document(rng)} {stated}" if helps else document(rng)
    text = rng.choice(
        (
            f"The question was: {question}\nThe answer so far: {first}\nHere is more context:\n-----\n{context}\n"
            "-----\nIf it helps, write a better answer. If not, repeat the answer so far.",
            f"Question: {question}\nExisting answer: {first}\nNew text: {context}\n"
            "Refine the answer, or give it back unchanged.",
        )
    )
    says = f"The new text says: {stated}" if helps else "The new text says nothing about the question."
    then = "I tell the user what the text says" if helps else "I repeat the answer so far"
    message = {"role": "assistant", "reasoning_content": f"{says} {easy('So', then)}", "content": reply}
    return Conversation("refine", (user(text), message))


def standalone(rng: Random) -> Conversation:
    """Write a follow-up question so that it stands alone."""
    topic, other = values.person(rng), values.phrase(rng)
    noun, noun2 = rng.sample(lexicon.NOUNS, 2)
    history = rng.choice(
        ("user: What is the {n} of {t}?\nassistant: It is {o}.", "Human: Tell me about the {n} of {t}.\nAI: {o}")
    )
    follow = rng.choice((f"And the {noun2}?", f"What about the {noun2}?", f"What is the {noun2}?"))
    text = rng.choice(
        (
            "Given the talk below and a new question, write the question so that it can be understood alone."
            "\n\n{h}\n\nNew question: {f}\nAlone:",
            "Conversation:\n{h}\n\nFollow-up: {f}\n\nTurn the follow-up into a question that needs no context.",
        )
    ).format(h=history.format(n=noun, t=topic, o=other), f=follow)
    thinking = f"The talk is about {topic}, and the new question asks for the {noun2}. "
    thinking += easy("So", f"I ask for the {noun2} of {topic}")
    message = {"role": "assistant", "reasoning_content": thinking, "content": f"What is the {noun2} of {topic}?"}
    return Conversation("standalone", (user(text), message))
