"""Whether two tokenizers are the same one.

Owns the comparison: vocabulary, merges, how text is cut before merging, added and special tokens. Not
``config.vocab_size``, which is padded differently inside one family.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["same_tokenizer"]

_DECISIVE = ("normalizer", "pre_tokenizer", "decoder", "model")


def same_tokenizer(one: Any, other: Any) -> bool:
    """Say whether every text has the same ids under both, and every id the same text."""
    if one is other:
        return True
    if one.get_vocab() != other.get_vocab() or _added(one) != _added(other):
        return False
    rules = _rules(one)
    return rules is not None and rules == _rules(other)


def _added(tokenizer: Any) -> dict[int, str]:
    return {int(i): token.content for i, token in tokenizer.added_tokens_decoder.items()}


def _rules(tokenizer: Any) -> dict[str, Any] | None:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return None
    state = json.loads(backend.to_str())
    return {part: state[part] for part in _DECISIVE}
