"""How the next token is drawn: settings, penalties, filters.

Owns the filtered distribution that is sampled from, the same function for the large model, the small one, and drafts.
Knows nothing of acceptance (`speculative` does).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from relaygen_runtime.engines.base import Sampling
from relaygen_runtime.errors import ConfigurationError

__all__ = ["Penalties", "Settings", "distribution", "resolve"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Sampling with every default filled in; fields as in `Sampling`."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    presence_penalty: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None

    @property
    def greedy(self) -> bool:
        """The best token is taken; nothing is random."""
        return self.temperature == 0


def resolve(sampling: Sampling, generation_config: Any) -> Settings:
    """Fill what the caller left open from the large model's generation config.

    Args:
        sampling: What the caller wants.
        generation_config: A transformers ``GenerationConfig``.

    Raises:
        ConfigurationError: A value outside its range.
    """

    def pick(name: str, otherwise: float) -> Any:
        asked = getattr(sampling, name)
        stated = getattr(generation_config, name, None) if asked is None else asked
        return otherwise if stated is None else stated

    temperature = sampling.temperature
    if temperature is None:
        temperature = pick("temperature", 1.0) if getattr(generation_config, "do_sample", False) else 0.0
    settings = Settings(
        temperature=temperature,
        top_p=pick("top_p", 1.0),
        top_k=pick("top_k", 0),
        min_p=pick("min_p", 0.0),
        presence_penalty=sampling.presence_penalty or 0.0,
        repetition_penalty=pick("repetition_penalty", 1.0),
        seed=sampling.seed,
    )
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    for name, good, expected in (
        ("temperature", 0 <= settings.temperature < math.inf, "0 (greedy) or above"),
        ("top_p", 0 < settings.top_p <= 1, "above 0, at most 1"),
        ("top_k", settings.top_k >= 0, "0 (off) or above"),
        ("min_p", 0 <= settings.min_p < 1, "at least 0, below 1"),
        ("repetition_penalty", 0 < settings.repetition_penalty < math.inf, "above 0"),
        ("presence_penalty", math.isfinite(settings.presence_penalty), "a finite number"),
    ):
        if not good:
            raise ConfigurationError(f"{name}: {getattr(settings, name)} given; expected {expected}")


def distribution(logits: Tensor, settings: Settings) -> Tensor:
    """Turn logits into the probabilities that are sampled from.

    The filters run in transformers' order (temperature, top-k, top-p, min-p). Each keeps the logits above some
    threshold, so their combination is the highest threshold.

    Args:
        logits: Of shape (rows, vocabulary), after penalties.
        settings: Not greedy.

    Returns:
        Probabilities of shape (rows, vocabulary), float32.
    """
    logits = logits.float() / settings.temperature
    vocabulary = logits.shape[1]
    floor = torch.full_like(logits[:, :1], -math.inf)
    # top-k first: a nucleus inside k candidates needs no sorting of the whole vocabulary.
    wanted = min(settings.top_k, vocabulary) if settings.top_k else (vocabulary if settings.top_p < 1 else 0)
    if wanted:
        candidates = logits.topk(wanted).values
        floor = candidates[:, -1:]
        if settings.top_p < 1:
            mass = candidates.softmax(-1)
            before = mass.cumsum(-1) - mass
            kept = (before < settings.top_p).sum(-1, keepdim=True).clamp_(min=1)
            floor = candidates.gather(1, kept - 1)
    if settings.min_p > 0:
        floor = torch.maximum(floor, logits.amax(-1, keepdim=True) + math.log(settings.min_p))
    return logits.masked_fill(logits < floor, -math.inf).softmax(-1)


class Penalties:
    """Presence and repetition penalties over the whole generation, whoever wrote it.

    Args:
        settings: The penalties' strengths.
        vocabulary: Number of tokens.
        prompt: Ids of the prompt: the repetition penalty counts them, the presence penalty doesn't.
    """

    def __init__(self, settings: Settings, vocabulary: int, prompt: Sequence[int]) -> None:
        self.active = settings.presence_penalty != 0 or settings.repetition_penalty != 1
        self._presence = settings.presence_penalty
        self._repetition = settings.repetition_penalty
        self._prompt = torch.zeros(vocabulary, dtype=torch.bool)
        self._counts = torch.zeros(vocabulary, dtype=torch.long)
        if self.active:
            self._prompt[torch.tensor([i for i in prompt if i < vocabulary], dtype=torch.long)] = True

    def add(self, token_id: int) -> None:
        """A token was written."""
        if self.active and token_id < len(self._counts):
            self._counts[token_id] += 1

    def remove(self, token_id: int) -> None:
        """A token was taken back."""
        if self.active and token_id < len(self._counts):
            self._counts[token_id] -= 1

    def apply(self, logits: Tensor, draft: Sequence[int] = ()) -> Tensor:
        """Penalise.

        Args:
            logits: Of shape (rows, vocabulary); the last row follows the whole draft, the one before it all but the
                draft's last token, and so on.
            draft: Tokens after the sequence.

        Returns:
            Penalised logits; the same object where no penalty is on.
        """
        if not self.active:
            return logits
        rows = logits.shape[0]
        written = (self._counts > 0).repeat(rows, 1)
        for index, token_id in enumerate(draft):
            written[max(0, rows - len(draft) + index) :, token_id] = True
        known = written | self._prompt
        written, known = written.to(logits.device), known.to(logits.device)
        scaled = torch.where(logits > 0, logits / self._repetition, logits * self._repetition)
        return torch.where(known, scaled, logits) - self._presence * written
