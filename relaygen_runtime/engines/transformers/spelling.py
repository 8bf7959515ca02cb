"""From token ids to text, one token at a time.

Owns what a single token adds to the text. A character whose bytes come in several tokens belongs to the token that
completes it; bytes that are no character at all never become U+FFFD: they are left out. The state after each token is a
small value, so that tokens can be taken back. Cost per token is constant.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from typing import Any, Protocol

__all__ = ["ByteSpelling", "Spelling", "StreamSpelling", "spelling_of"]

_REPLACEMENT = "\ufffd"
_LONGEST_CHARACTER = 4
_CONTEXT = 6


class Spelling(Protocol):
    """Spells a sequence token by token; states are opaque and immutable."""

    def begin(self, ids: Sequence[int]) -> Any:
        """Return the state after a sequence whose text is known."""
        ...

    def add(self, ids: Sequence[int], state: Any) -> tuple[str, Any]:
        """Return what the last of `ids` adds to the text, given the state before it, and the state after it."""
        ...


class ByteSpelling:
    """For byte-level BPE (GPT-2's alphabet): every token is a string of bytes.

    Args:
        tokenizer: A fast transformers tokenizer.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._added = {int(i): token.content for i, token in tokenizer.added_tokens_decoder.items()}
        self._bytes: dict[int, bytes] = {}

    def begin(self, ids: Sequence[int]) -> bytes:  # noqa: ARG002  (a rendered prompt ends with whole characters)
        """No bytes wait after a prompt."""
        return b""

    def add(self, ids: Sequence[int], state: bytes) -> tuple[str, bytes]:
        """Spell the last token; see `Spelling.add`."""
        data = state + self.token_bytes(ids[-1])
        text = ""
        while data:
            try:
                return text + data.decode("utf-8"), b""
            except UnicodeDecodeError as error:
                text += data[: error.start].decode("utf-8")
                if error.end == len(data) and _may_continue(data[error.start :]):
                    return text, data[error.start :]
                data = data[error.end :]  # no character begins so: left out
        return text, b""

    def token_bytes(self, token_id: int) -> bytes:
        """Bytes of one token."""
        known = self._bytes.get(token_id)
        if known is None:
            known = self._bytes[token_id] = self._look_up(token_id)
        return known

    def _look_up(self, token_id: int) -> bytes:
        if token_id in self._added:
            return str(self._added[token_id]).encode()
        token = self._tokenizer.convert_ids_to_tokens(token_id)
        if token is None:  # a padded row of the embedding: no text
            return b""
        return bytes(_BYTE_OF[c] for c in token) if all(c in _BYTE_OF for c in token) else token.encode()


def _may_continue(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(data)
    except UnicodeDecodeError:
        return False
    return len(data) < _LONGEST_CHARACTER


def _alphabet() -> dict[str, int]:
    """GPT-2's stand-ins: printable bytes stand for themselves, the others are shifted past 255."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    shifted = [b for b in range(256) if b not in printable]
    return {chr(b): b for b in printable} | {chr(256 + i): b for i, b in enumerate(shifted)}


_BYTE_OF = _alphabet()


class StreamSpelling:
    """For any other tokenizer: decodes a short tail twice and takes the difference.

    Args:
        tokenizer: A transformers tokenizer.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def begin(self, ids: Sequence[int]) -> tuple[int, int]:
        """The state is two places: where decoding starts, and up to where the text is out."""
        start = max(0, len(ids) - _CONTEXT)
        while start > 0 and _REPLACEMENT in self._decode(ids[start:]):  # it starts inside a character
            start -= 1
        return start, len(ids)

    def add(self, ids: Sequence[int], state: tuple[int, int]) -> tuple[str, tuple[int, int]]:
        """Spell the last token; see `Spelling.add`."""
        start, done = state
        before, after = self._decode(ids[start:done]), self._decode(ids[start:])
        if after.endswith(_REPLACEMENT) and len(ids) - done < _LONGEST_CHARACTER:
            return "", state
        text = after[len(before) :].replace(_REPLACEMENT, "")
        # The next decoding starts where this text began: between two characters, and after a token that gives the
        # first one its leading space.
        return text, (done, len(ids))

    def _decode(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))


def spelling_of(tokenizer: Any) -> Spelling:
    """Return the spelling that fits a tokenizer."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    decoder = json.loads(backend.to_str())["decoder"] if backend is not None else None
    if decoder is not None and decoder.get("type") == "ByteLevel":
        return ByteSpelling(tokenizer)
    return StreamSpelling(tokenizer)
