"""Tokens that complete an unfinished answer: valid, few, and the matcher stays where it was."""

from __future__ import annotations

import json
import sys
from typing import Any

import jsonschema
import pytest

from relaygen_runtime.engines.transformers.grammar import Grammar, GrammarCompiler
from relaygen_runtime.errors import MissingDependencyError, RequestError
from tests.engines.transformers.held import BOUNDED, LIST, NESTED, PERSON, direct, schema
from tests.engines.transformers.pairs import tokenizer

TOKENIZER = tokenizer()


def encode(text: str) -> list[int]:
    return list(TOKENIZER(text, add_special_tokens=False)["input_ids"])


@pytest.fixture(scope="module")
def compiler() -> GrammarCompiler:
    return GrammarCompiler(TOKENIZER, len(TOKENIZER), [TOKENIZER.eos_token_id], encode)


def spell(tokens: Any) -> str:
    return str(TOKENIZER.decode(list(tokens)))


def ends_of(grammar: Grammar, begun: str) -> str:
    matcher = grammar.matcher()
    assert matcher.accept_string(begun)
    way = grammar.closer.quick(matcher, 200)
    assert way is not None
    assert grammar.closer.fits(matcher, way)
    assert not matcher.is_completed(), "it is where it was"
    return spell(way)


@pytest.mark.parametrize(
    ("form", "begun"),
    [
        (PERSON, "{"),
        (PERSON, '{"na'),
        (PERSON, '{"name": "x'),
        (PERSON, '{"name": "x\\'),
        (PERSON, '{"name": "x\\u00'),
        (PERSON, '{"name": "}]'),
        (PERSON, '{"name": "x", "age": -'),
        (LIST, '[{"x": 1'),
        (LIST, '[{"x": 120}, '),
        (BOUNDED, '{"code": "a'),
        (BOUNDED, '{"code": "ab-123", "note": "12345678'),
        (NESTED, '{"value": "l'),
        (NESTED, '{"value": 3, "next": {"value": 3, "next": '),
    ],
)
def test_what_is_open_is_closed(compiler: GrammarCompiler, form: dict[str, Any], begun: str) -> None:
    jsonschema.validate(json.loads(begun + ends_of(compiler.compile(schema(form).structural_tag), begun)), form)


def test_a_character_that_is_begun_is_completed(compiler: GrammarCompiler) -> None:
    grammar = compiler.compile(schema({"type": "string"}).structural_tag)
    matcher = grammar.matcher()
    begun = [*encode('"'), *encode("巔")[:1]]
    assert len(encode("巔")) > 1
    assert all(matcher.accept_token(token) for token in begun)
    way = grammar.closer.quick(matcher, 20)
    assert way is not None
    assert isinstance(json.loads(bytes_of(grammar, [*begun, *way]).decode()), str)


def bytes_of(grammar: Grammar, tokens: list[int]) -> bytes:
    return b"".join(grammar.closer._spellings[token] for token in tokens)


@pytest.mark.parametrize(
    ("form", "shortest"),
    [
        ({"anyOf": [PERSON, {"type": "null"}]}, "null"),
        ({"enum": ["a long way to say it", "b"]}, '"b"'),
        ({"type": "array", "items": {"type": "string"}}, "[]"),
        ({"type": "string"}, '""'),
    ],
)
def test_the_shortest_answer_is_found(compiler: GrammarCompiler, form: dict[str, Any], shortest: str) -> None:
    assert spell(compiler.compile(schema(form).structural_tag).shortest) == shortest


def test_a_pattern_that_may_repeat_for_ever_is_left(compiler: GrammarCompiler) -> None:
    for pattern in ("[a-z]+@[a-z]+", "a*b", "[0-9,]+;"):
        grammar = compiler.compile(direct({"type": "regex", "pattern": pattern}).structural_tag)
        assert len(grammar.shortest) <= 5


def test_no_more_than_asked_for_is_written(compiler: GrammarCompiler) -> None:
    grammar = compiler.compile(schema(PERSON).structural_tag)
    needed = len(grammar.shortest)
    for find in (grammar.closer.quick, grammar.closer.shortest):
        assert find(grammar.matcher(), needed - 1) is None
    assert len(grammar.closer.shortest(grammar.matcher(), needed) or ()) == needed
    assert grammar.closer.quick(grammar.matcher(), -1) is None


def test_what_was_compiled_is_kept(compiler: GrammarCompiler) -> None:
    tag = schema(PERSON).structural_tag
    first = compiler.compile(tag)
    assert compiler.compile(tag) is first
    for number in range(40):
        compiler.compile(schema({"const": number}).structural_tag)
    assert compiler.compile(tag) is not first, "but not for ever"


def test_a_tokenizer_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(RequestError, match="no grammar can be laid over the tokenizer object"):
        GrammarCompiler(object(), 10, [1], encode)


def test_without_the_library_its_name_and_the_command_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xgrammar", None)
    with pytest.raises(MissingDependencyError, match=r"xgrammar is not installed.*pip install 'relaygen\[torch\]'"):
        GrammarCompiler(TOKENIZER, len(TOKENIZER), [TOKENIZER.eos_token_id], encode)
