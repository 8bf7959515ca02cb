"""Tiny random pairs, built in a moment: the decoding around them is real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from relaygen_runtime.engines.base import Chunk, GenerationRequest, Run, Sampling, Session
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.vocabulary import Phase, Piece, Role, Stop

TEMPLATE = (
    "{% for m in messages %}{% if m.role not in ['system', 'user', 'assistant', 'tool'] %}"
    "{{ raise_exception('unknown role ' + m.role) }}{% endif %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% if enable_thinking is defined and not enable_thinking %}"
    "<think></think>{% endif %}{% endif %}"
)
_TEXTS = [
    "Now, the sum of 12 and 30 is 42. Therefore, the answer is 42.",
    "So, we add the numbers again and again until nothing is left.",
    "数学 is fun 🙂 and so is עברית, isn't it?",
]
_SPECIAL = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>"]


def tokenizer(vocabulary: int = 384, *, extra: str = "") -> Any:
    """A byte-level BPE; `extra` text changes its merges."""
    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(_SPECIAL) - 2,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
        special_tokens=[],
    )
    bare.train_from_iterator([*_TEXTS, extra], trainer)
    bare.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in _SPECIAL])
    bare.add_tokens([AddedToken(text, special=False, normalized=False) for text in ("<think>", "</think>")])
    build: Any = PreTrainedTokenizerFast
    fast = build(tokenizer_object=bare, eos_token="<|end|>", pad_token="<|end|>")  # noqa: S106
    fast.chat_template = TEMPLATE
    return fast


def qwen(seed: int, vocabulary: int, *, layers: int = 2, wide: int = 48, context: int = 2048, **more: Any) -> Any:
    """A random Qwen3 with grouped heads; sharper than an untrained one, so that greedy text varies."""
    torch.manual_seed(seed)
    settings: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": wide,
        "intermediate_size": 64,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": context,
        "tie_word_embeddings": False,
        "initializer_range": 0.2,
        "bos_token_id": None,
        "pad_token_id": None,
        "eos_token_id": None,
        **more,
    }
    model: Any = Qwen3ForCausalLM(Qwen3Config(**settings))
    return model.eval()


def alike(model: Any, seed: int, noise: float) -> Any:
    """A copy with noise on its weights: a draft that is often, not always, right."""
    torch.manual_seed(seed)
    copy = type(model)(model.config)
    copy.eval()
    copy.load_state_dict(model.state_dict())
    with torch.no_grad():
        for parameter in copy.parameters():
            parameter.add_(torch.randn_like(parameter) * noise * parameter.std())
    return copy


def engine(large: Any = None, small: Any = None, **options: Any) -> TransformersEngine:
    """A pair that agrees often, but not always."""
    tok = options.pop("tok", None) or tokenizer()
    large = large if large is not None else qwen(1, len(tok))
    small = small if small is not None else alike(large, 2, 0.15)
    options.setdefault("draft_confidence", 0.0)
    options.setdefault("draft_max", 5)
    ends = options.pop("ends", False)
    pair = TransformersEngine(large, small, tok, options.pop("small_tok", None), **options)
    if not ends:  # random models end their turn at random; most tests want all the tokens that they asked for
        pair._ends = dict.fromkeys(Role, frozenset[int]())
    return pair


def request(text: str = "Add 12 and 30.", **more: Any) -> GenerationRequest:
    sampling = Sampling(**more.pop("sampling", {"temperature": 0.0}))
    return GenerationRequest([{"role": "user", "content": text}], sampling=sampling, **more)


def run(author: Role = Role.LARGE, tokens: int = 40, **more: Any) -> Run:
    return Run(author, Phase.THINKING, tokens, **more)


def write(session: Session, author: Role = Role.LARGE, tokens: int = 40, **more: Any) -> list[Piece]:
    return pieces(session.write(run(author, tokens, **more)))[0]


def pieces(chunks: Any) -> tuple[list[Piece], Stop | None]:
    out: list[Piece] = []
    stop = None
    chunk: Chunk
    for chunk in chunks:
        out += chunk.pieces
        stop = chunk.stop
    return out, stop


def ids(written: list[Piece]) -> list[int]:
    return [piece.token_id for piece in written if piece.token_id is not None]


def save(model: Any, tok: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    if tok is not None:
        tok.save_pretrained(folder)
    return folder
