"""Grammars: structural tags compiled for one tokenizer.

Owns the compiling (xgrammar's), what is known of a tokenizer for it, and the most recent results. A grammar that can't
be compiled, or that no answer of finite length meets, is refused here, before a token is written. Knows no generation.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from relaygen_runtime.engines.transformers.closing import Closer
from relaygen_runtime.engines.transformers.token_rows import Row, row_of
from relaygen_runtime.errors import MissingDependencyError, RequestError

if TYPE_CHECKING:
    from xgrammar import CompiledGrammar, GrammarMatcher

__all__ = ["Grammar", "GrammarCompiler"]

_KEPT: Final = 32
_LONGEST: Final = 4096
"""The shortest answer that a grammar allows may take so many tokens."""
_EFFORT: Final = 30_000


@dataclass(frozen=True, slots=True)
class Grammar:
    """One structural tag for one tokenizer. Immutable, and safe to share between threads.

    Attributes:
        compiled: The automaton.
        closer: Finds ends.
        width: How many tokens there are.
        ends: Bits of the tokens that end a turn.
        banned: Bits of the special tokens that end nothing: no part of any answer.
        shortest: A shortest answer, as far as one was found.
    """

    compiled: CompiledGrammar
    closer: Closer
    width: int
    ends: Row
    banned: Row
    shortest: tuple[int, ...] = ()

    def matcher(self) -> GrammarMatcher:
        """A matcher at the grammar's beginning."""
        matcher: GrammarMatcher = _xgrammar().GrammarMatcher(self.compiled)
        return matcher


class GrammarCompiler:
    """Compiles for one tokenizer. Thread-safe.

    Args:
        tokenizer: A transformers tokenizer.
        width: How many logits the model has: ids from there on don't exist.
        ends: Ids that end a turn.
        encode: From text to ids, without special tokens around it.

    Raises:
        MissingDependencyError: xgrammar is not installed.
        RequestError: The tokenizer is of a kind that no grammar can be laid over.
    """

    def __init__(self, tokenizer: Any, width: int, ends: Collection[int], encode: Callable[[str], list[int]]) -> None:
        xgrammar = _xgrammar()
        stops = sorted(i for i in ends if i < width)
        if not stops:
            raise RequestError("the model has no token that ends its turn: its answer can't be held to a form")
        try:
            info = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=width, stop_token_ids=stops)
        except (ValueError, RuntimeError, AttributeError) as error:
            raise RequestError(
                f"no grammar can be laid over the tokenizer {type(tokenizer).__name__}: {error}"
            ) from error
        special = {int(i) for i, token in tokenizer.added_tokens_decoder.items() if token.special} - set(stops)
        self._compiler = xgrammar.GrammarCompiler(info, max_threads=2)
        self._closer = Closer(info.decoded_vocab, encode, special)
        self._width = width
        self._ends, self._banned = row_of(stops, width), row_of(special, width)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Grammar] = OrderedDict()

    def compile(self, structural_tag: str) -> Grammar:
        """Compile a structural tag, or return what it was compiled to before.

        Raises:
            RequestError: It can't be compiled, or no answer meets it.
        """
        return self._recent(structural_tag, self._compile_answer)

    def compile_opening(self, open_tag: str) -> Grammar:
        """Compile the grammar of a text that begins with the thinking's opening tag."""
        blank = {"type": "regex", "pattern": r"[ \t\r\n]{0,4}"}
        elements = [blank, {"type": "const_string", "value": open_tag}, {"type": "any_text"}]
        tag = {"type": "structural_tag", "format": {"type": "sequence", "elements": elements}}
        return self._recent(json.dumps(tag), self._compile)

    def _recent(self, structural_tag: str, compile_it: Callable[[str], Grammar]) -> Grammar:
        with self._lock:
            grammar = self._kept.get(structural_tag)
            if grammar is None:
                grammar = self._kept[structural_tag] = compile_it(structural_tag)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(structural_tag)
            return grammar

    def _compile(self, structural_tag: str) -> Grammar:
        try:
            compiled = self._compiler.compile_structural_tag(structural_tag)
        except RuntimeError as error:
            reason = " ".join(str(error).rpartition(" is false: ")[2].split())
            raise RequestError(f"the answer's form can't be made a grammar of: {reason}") from error
        return Grammar(compiled, self._closer, self._width, self._ends, self._banned)

    def _compile_answer(self, structural_tag: str) -> Grammar:
        grammar = self._compile(structural_tag)
        shortest = self._closer.shortest(grammar.matcher(), _LONGEST, _EFFORT)
        if shortest is None:
            raise RequestError(
                f"no answer of at most {_LONGEST} tokens was found that has the form asked for; a schema that "
                "requires itself, or a pattern that nothing meets, has none"
            )
        return Grammar(grammar.compiled, self._closer, self._width, self._ends, self._banned, shortest=tuple(shortest))


def _xgrammar() -> Any:
    try:
        import xgrammar  # noqa: PLC0415  (only constrained answers need it)
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"{error.name} is not installed, and an answer is held to a form with it: pip install 'relaygen[torch]'"
        ) from error
    return xgrammar
