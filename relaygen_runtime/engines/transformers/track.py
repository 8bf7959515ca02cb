"""The sequence of one generation as one tokenizer sees it.

Owns the ids and what depends on ids alone: the spelling of each token and the penalties. Models that share a tokenizer
share one `SharedTrack`, so a handoff passes ids. Otherwise each has a `TextTrack`, which reads the other's writing as
text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from relaygen_runtime.engines.transformers.sampling import Penalties
from relaygen_runtime.engines.transformers.spelling import Spelling

__all__ = ["SharedTrack", "TextTrack", "Track"]


class Track(ABC):
    """Ids of the prompt and of the pieces after it.

    Args:
        prompt: Ids of the prompt.
        spelling: Spells the tokenizer's tokens.
        penalties: Counts what was written.
    """

    def __init__(self, prompt: Sequence[int], spelling: Spelling, penalties: Penalties) -> None:
        self.ids = list(prompt)
        self.penalties = penalties
        self._spelling = spelling

    @abstractmethod
    def write(self, token_id: int) -> str:
        """Append a token that this tokenizer's model wrote: one piece. Return the piece's text."""

    @abstractmethod
    def cover(self, texts: Sequence[str]) -> None:
        """Take over what was written elsewhere, given the texts of all pieces so far."""

    @abstractmethod
    def truncate(self, pieces: int) -> None:
        """Drop everything after the first `pieces` pieces."""

    def _drop_to(self, length: int) -> None:
        for token_id in self.ids[length:]:
            self.penalties.remove(token_id)
        del self.ids[length:]


class SharedTrack(Track):
    """For models with one tokenizer: a piece is a token."""

    def __init__(self, prompt: Sequence[int], spelling: Spelling, penalties: Penalties) -> None:
        super().__init__(prompt, spelling, penalties)
        self._prompt = len(self.ids)
        self._states: list[Any] = [spelling.begin(self.ids)]

    def write(self, token_id: int) -> str:
        """See `Track.write`."""
        self.ids.append(token_id)
        self.penalties.add(token_id)
        text, state = self._spelling.add(self.ids, self._states[-1])
        self._states.append(state)
        return text

    def cover(self, texts: Sequence[str]) -> None:
        """Nothing is written elsewhere."""

    def truncate(self, pieces: int) -> None:
        """See `Track.truncate`."""
        self._drop_to(self._prompt + pieces)
        del self._states[pieces + 1 :]


class TextTrack(Track):
    """For models whose tokenizers differ: own tokens as ids, the other's as text.

    Args:
        prompt: Ids of the prompt.
        spelling: Spells the tokenizer's tokens.
        penalties: Counts what was written.
        encode: From text to ids, without special tokens around it.
    """

    def __init__(
        self, prompt: Sequence[int], spelling: Spelling, penalties: Penalties, encode: Callable[[str], list[int]]
    ) -> None:
        super().__init__(prompt, spelling, penalties)
        self._encode = encode
        # After how many pieces how many ids stood, and the spelling's state there.
        self._marks: list[tuple[int, int, Any]] = [(0, len(self.ids), spelling.begin(self.ids))]

    def write(self, token_id: int) -> str:
        """See `Track.write`."""
        pieces, _, state = self._marks[-1]
        self.ids.append(token_id)
        self.penalties.add(token_id)
        text, state = self._spelling.add(self.ids, state)
        self._marks.append((pieces + 1, len(self.ids), state))
        return text

    def cover(self, texts: Sequence[str]) -> None:
        """See `Track.cover`. Bytes of an unfinished character have no text and are not handed over."""
        pieces = self._marks[-1][0]
        if pieces == len(texts):
            return
        for token_id in self._encode("".join(texts[pieces:])):
            self.ids.append(token_id)
            self.penalties.add(token_id)
        self._marks.append((len(texts), len(self.ids), self._spelling.begin(self.ids)))

    def truncate(self, pieces: int) -> None:
        """See `Track.truncate`. Text that was read in one go is forgotten as a whole, to be read anew."""
        while self._marks[-1][0] > pieces:
            self._marks.pop()
        self._drop_to(self._marks[-1][1])
