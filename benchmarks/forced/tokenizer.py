"""A tokenizer for the texts that forced models follow, trained on the spot.

Owns a byte-level BPE that cuts text roughly as Qwen's does (single digits, words with their leading space, think tags
of one token each, not special), and a trivial chat template. It stands in for the real one in numbers of tokens and in
the vocabulary's size, not in ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

__all__ = ["QWEN_TOKENS", "plain_words", "trace_tokenizer"]

QWEN_TOKENS = 151_669
"""Length of Qwen3's tokenizer: so many logits are sampled from, the model's padding after them is cut off."""

_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_TAGS = ("<think>", "</think>")
_LEARNED = 12_000
_CUTS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_WORD = re.compile(r"\u0120[a-z]{3,}")


def trace_tokenizer(texts: Sequence[str], size: int | None = None) -> Any:
    """Train on the texts.

    Args:
        texts: What will be written.
        size: Tokens in all; rows without meaning fill up what the texts don't need. None: no such rows.

    Returns:
        A fast transformers tokenizer with a chat template.
    """
    learned = _learn(texts)
    vocabulary: dict[str, int] = learned["vocab"]
    spare = 0 if size is None else size - len(vocabulary) - len(_SPECIAL) - len(_TAGS)
    vocabulary |= {f"<|unused_{number}|>": len(vocabulary) + number for number in range(spare)}
    bare = _bare(models.BPE(vocab=vocabulary, merges=[tuple(pair) for pair in learned["merges"]]))
    bare.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in _SPECIAL])
    bare.add_tokens([AddedToken(text, special=False, normalized=False) for text in _TAGS])
    ends = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    build: Any = PreTrainedTokenizerFast  # untyped in transformers
    fast = build(tokenizer_object=bare, **ends)
    fast.chat_template = _TEMPLATE
    return fast


def plain_words(tokenizer: Any, without: Sequence[str]) -> list[int]:
    """Ids of lower-case words with their leading space, in order: what a wrong guess looks like.

    Args:
        tokenizer: From `trace_tokenizer`.
        without: Words that are left out (switch cues).
    """
    left_out = {word.strip(" ,").lower() for word in without}
    vocabulary = tokenizer.get_vocab()
    return sorted(i for token, i in vocabulary.items() if _WORD.fullmatch(token) and token[1:] not in left_out)


def _bare(model: Any) -> Tokenizer:
    bare = Tokenizer(model)
    bare.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_CUTS), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bare.decoder = decoders.ByteLevel()
    return bare


def _learn(texts: Sequence[str]) -> dict[str, Any]:
    bare = _bare(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=_LEARNED,
        min_frequency=2,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    untagged = [re.sub(r"</?think>", "\n", text) for text in texts]
    bare.train_from_iterator(untagged, trainer)
    state: dict[str, Any] = json.loads(bare.to_str())["model"]
    return state
