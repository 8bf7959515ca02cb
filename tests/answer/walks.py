"""Random texts of a grammar, by the embedded pair's tokens: what a model without any sense would write."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import xgrammar
from transformers import AutoTokenizer

from relaygen_runtime.demo import pair_paths

SPECIAL = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")


@cache
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(str(pair_paths().large))


@cache
def _info() -> xgrammar.TokenizerInfo:
    return xgrammar.TokenizerInfo.from_huggingface(tokenizer(), vocab_size=len(tokenizer()))


@cache
def _compiler() -> xgrammar.GrammarCompiler:
    return xgrammar.GrammarCompiler(_info(), max_threads=1)


def compiled(structural_tag: str | Mapping[str, Any]) -> xgrammar.CompiledGrammar:
    text = structural_tag if isinstance(structural_tag, str) else json.dumps(structural_tag)
    return _compiler().compile_structural_tag(text)


def of_grammar(grammar: str) -> xgrammar.CompiledGrammar:
    return compiled({"type": "structural_tag", "format": {"type": "grammar", "grammar": grammar}})


def accepts(grammar: xgrammar.CompiledGrammar, text: str) -> bool:
    matcher = xgrammar.GrammarMatcher(grammar, terminate_without_stop_token=True)
    return bool(matcher.accept_string(text)) and matcher.is_terminated()


@cache
def _closers() -> dict[int, None]:
    ids = (tokenizer().convert_tokens_to_ids(char) for char in '"}]')
    return dict.fromkeys(int(token) for token in ids)


def walk(grammar: xgrammar.CompiledGrammar, seed: int, most: int = 600) -> str | None:
    """A random text; None where it does not end within so many tokens."""
    rng = random.Random(seed)
    matcher = xgrammar.GrammarMatcher(grammar)
    mask = xgrammar.allocate_token_bitmask(1, _info().vocab_size)
    stops = set(_info().stop_token_ids)
    written: list[int] = []
    while len(written) < most:
        matcher.fill_next_token_bitmask(mask)
        bits = np.unpackbits(mask.numpy().view(np.uint8), bitorder="little")[: _info().vocab_size]
        allowed = [int(token) for token in np.flatnonzero(bits)]
        assert allowed, f"nothing may follow {tokenizer().decode(written)!r}"
        if stops.intersection(allowed) and rng.random() < 0.5:
            return str(tokenizer().decode(written))
        closing = [token for token in allowed if token in _closers()]
        choices = [token for token in allowed if token not in stops]
        if not choices:
            return str(tokenizer().decode(written))
        token = rng.choice(closing if closing and rng.random() < 0.2 else choices)
        assert matcher.accept_token(token)
        written.append(token)
    return None
