"""A prompt, the trace that answers it, and the scripts that make two models write it.

Owns cutting a trace to a length, and finding out (by a dry run of the policy) who would write which part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.forced.authors import Authors, authors_of
from benchmarks.forced.script import Agreement, Script, certain_script, doubtful_script
from benchmarks.forced.texts import TraceText
from benchmarks.forced.tokenizer import plain_words
from relaygen_runtime.cues.profile import load_profile
from relaygen_runtime.engines.base import GenerationRequest
from relaygen_runtime.engines.transformers.prompt import encode, render
from relaygen_runtime.engines.transformers.spelling import spelling_of

__all__ = ["PROFILE", "Scenario", "options_for", "prepare"]

PROFILE = "qwen3"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A prompt and what is written after it.

    Attributes:
        name: The trace's name.
        prompt: The user's message.
        prompt_tokens: Length of the rendered prompt.
        ids: The trace, cut to the wanted length.
        text: What these tokens spell.
        whole_tokens: Length of the whole trace under our tokenizer.
        declared_tokens: The same as its publisher counted.
        authors: Who writes what when it is relayed.
        words: Ids of plain words.
        end: Id of the token that ends a turn.
    """

    name: str
    prompt: str
    prompt_tokens: int
    ids: tuple[int, ...]
    text: str
    whole_tokens: int
    declared_tokens: int | None
    authors: Authors
    words: tuple[int, ...]
    end: int

    @property
    def certain(self) -> Script:
        """The trace without doubts: for the large model, and for the small one alone."""
        return certain_script(self.prompt_tokens, self.ids, end=self.end, words=self.words)

    def doubtful(self, agreement: Agreement) -> Script:
        """The trace with the small model's errors, but for the places where it is an author."""
        return doubtful_script(
            self.prompt_tokens,
            self.ids,
            end=self.end,
            words=self.words,
            agreement=agreement,
            certain=self.authors.small,
        )


def options_for(tokens: int) -> dict[str, Any]:
    """Options of every generation: thinking may fill all of it, so that nothing is ever injected into a trace."""
    return {"max_tokens": tokens, "max_thinking_tokens": tokens}


def prepare(trace: TraceText, tokenizer: Any, tokens: int, history: str = "") -> Scenario:
    """Cut a trace to a length and find out who would write which part of it.

    Args:
        trace: The text.
        tokenizer: From `trace_tokenizer`.
        tokens: How many tokens of it are written.
        history: Text before the question, to measure at a greater length.

    Raises:
        ValueError: The tokenizer knows fewer than two plain words.
    """
    words = plain_words(tokenizer, load_profile(PROFILE).cues)
    if len(words) < 2:
        raise ValueError("the texts are too short: no two plain words were learned from them")
    prompt = f"{history}\n\n{trace.problem}" if history else trace.problem
    request = GenerationRequest([{"role": "user", "content": prompt}])
    prompt_ids = encode(tokenizer, render(tokenizer, request))
    whole = encode(tokenizer, trace.text)
    ids = whole[:tokens]
    pieces = _pieces(tokenizer, prompt_ids, ids)
    return Scenario(
        name=trace.name,
        prompt=prompt,
        prompt_tokens=len(prompt_ids),
        ids=tuple(ids),
        text="".join(pieces),
        whole_tokens=len(whole),
        declared_tokens=trace.declared_tokens,
        authors=authors_of(pieces, PROFILE, **options_for(tokens)),
        words=tuple(words),
        end=int(tokenizer.eos_token_id),
    )


def _pieces(tokenizer: Any, prompt: Sequence[int], ids: Sequence[int]) -> list[str]:
    spelling = spelling_of(tokenizer)
    state, texts = spelling.begin(prompt), []
    for token_id in ids:
        text, state = spelling.add([token_id], state)
        texts.append(text)
    return texts
