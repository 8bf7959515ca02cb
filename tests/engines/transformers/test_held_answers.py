"""Whatever the model, the temperature and the limit: an answer that is held to a form has it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from relaygen_runtime.answer.tool_calls import parse_answer
from relaygen_runtime.engines.base import Chunk
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.errors import EngineError, RequestError
from relaygen_runtime.vocabulary import Role, Stop
from tests.engines.transformers.held import (
    PERSON,
    SCHEMAS,
    TOOLS,
    answer,
    answering,
    asking,
    calls,
    direct,
    least,
    schema,
    text,
)
from tests.engines.transformers.pairs import alike, engine, ids, pieces, qwen, request, tokenizer

PARAMETERS: dict[str, Any] = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
LIMITS = (0, 1, 2, 3, 5, 8, 13, 40)


@pytest.fixture(scope="module")
def pair() -> TransformersEngine:
    return engine(ends=True)


def meets(written: str, form: dict[str, Any]) -> None:
    jsonschema.validate(json.loads(written), form)


@pytest.mark.parametrize("speculation", [False, True])
@pytest.mark.parametrize("temperature", [0.0, 1.0, 1.5])
@pytest.mark.parametrize("name", SCHEMAS)
def test_at_every_limit_an_answer_meets_its_schema(
    pair: TransformersEngine, name: str, temperature: float, speculation: bool
) -> None:
    constraint = schema(SCHEMAS[name])
    for beyond in LIMITS:
        written, stop = answer(
            pair, constraint, beyond=beyond, temperature=temperature, seed=beyond, speculation=speculation
        )
        meets(text(written), SCHEMAS[name])
        assert stop in (Stop.EOS, Stop.CLOSED, Stop.MAX_TOKENS)


@pytest.mark.parametrize("author", Role)
def test_either_model_keeps_to_it(pair: TransformersEngine, author: Role) -> None:
    written, _ = answer(pair, schema(PERSON), author=author, temperature=1.0)
    meets(text(written), PERSON)


def test_the_least_limit_leaves_the_shortest_answer(pair: TransformersEngine) -> None:
    session = pair.open(asking(schema(PERSON), temperature=1.0))
    needed = least(session)
    written, _ = pieces(session.write(answering(tokens=needed)))
    session.close()
    assert len(written) == needed


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("choice", ["required", "add", "now"])
def test_calls_that_are_asked_for_are_made(pair: TransformersEngine, choice: str, temperature: float) -> None:
    for beyond in (0, 4, 60):
        written, _ = answer(pair, calls(choice), beyond=beyond, temperature=temperature, seed=beyond)
        parsed = parse_answer(text(written), "qwen3")
        assert parsed.tool_calls
        assert (parsed.invalid_calls, parsed.content) == ((), "")
        for call in parsed.tool_calls:
            jsonschema.validate(json.loads(call.arguments), PARAMETERS[call.name])
        assert choice == "required" or [call.name for call in parsed.tool_calls] == [choice]


def test_calls_in_a_free_answer_are_complete(pair: TransformersEngine) -> None:
    """The text before them is free; this one is the caller's, so that a call begins at all."""
    begun = direct({**json.loads(calls().structural_tag)["format"], "at_least_one": True}, required=False)
    for beyond in (0, 3, 50):
        written, _ = answer(pair, begun, beyond=beyond, temperature=1.0, seed=beyond)
        assert text(written).count("<tool_call>") == text(written).count("</tool_call>") >= 1


def test_a_free_answer_without_a_call_is_the_model_s_own(pair: TransformersEngine) -> None:
    free, _ = answer(pair, calls(), beyond=30)
    unheld = pair.open(request())
    expected, _ = pieces(unheld.write(answering(tokens=30)))
    unheld.close()
    assert "<tool_call>" not in text(free)
    assert ids(free) == ids(expected)


class TestSpeculation:
    @pytest.mark.parametrize("name", SCHEMAS)
    @pytest.mark.parametrize("noise", [0.0, 0.15, 0.6])
    def test_drafts_change_no_token(self, name: str, noise: float) -> None:
        large = qwen(7, len(tokenizer()))
        drafting = engine(large, alike(large, 2, noise), ends=True, draft_max=7)
        for beyond in (0, 5, 30):
            plain = answer(drafting, schema(SCHEMAS[name]), beyond=beyond, speculation=False)
            assert answer(drafting, schema(SCHEMAS[name]), beyond=beyond, speculation=True) == plain

    def test_forced_tokens_are_drafted_with_certainty(self) -> None:
        large = qwen(1, len(tokenizer()))
        unsure = engine(large, alike(large, 2, 0.6), ends=True, draft_max=24, draft_confidence=0.999)
        session = unsure.open(asking(schema({"const": "QZXJKVWYQZXJKVWY"})))
        written, _ = pieces(session.write(answering()))
        stats = session.take_stats()
        session.close()
        assert stats.accepted_tokens >= len(written) - 4, "all but the white space before it is forced"

    def test_a_seed_says_what_is_written(self, pair: TransformersEngine) -> None:
        first, second, other = (text(answer(pair, schema(PERSON), temperature=1.0, seed=seed)[0]) for seed in (3, 3, 4))
        assert first == second != other


class TestRuns:
    def test_a_model_that_takes_over_goes_on_in_the_middle(self, pair: TransformersEngine) -> None:
        for cut in range(1, 16):
            session = pair.open(asking(schema(PERSON), temperature=1.0, seed=cut))
            left = least(session) + 40
            first, stop = pieces(session.write(answering(Role.SMALL, cut, left=left)))
            assert stop is Stop.MAX_TOKENS
            rest, _ = pieces(session.write(answering(Role.LARGE, left - cut)))
            session.close()
            meets(text(first + rest), PERSON)

    def test_closing_that_one_run_began_the_next_one_ends(self, pair: TransformersEngine) -> None:
        session = pair.open(asking(schema(PERSON), temperature=1.0))
        left = least(session)
        written, stop = pieces(session.write(answering(Role.SMALL, left - 4, left=left)))
        assert stop is Stop.MAX_TOKENS
        rest, stop = pieces(session.write(answering(Role.LARGE, 4)))
        session.close()
        meets(text(written + rest), PERSON)

    def test_what_is_rolled_back_is_rolled_back_in_the_grammar(self, pair: TransformersEngine) -> None:
        for drop in range(1, 12):
            session = pair.open(asking(schema(PERSON), temperature=1.0, seed=drop))
            written, _ = pieces(session.write(answering(tokens=12, left=90)))
            session.rollback(drop)
            rest, _ = pieces(session.write(answering(Role.SMALL, 90 - 12 + drop)))
            session.close()
            meets(text(written[: len(written) - drop] + rest), PERSON)

    def test_a_run_that_is_to_finish_closes_at_once(self, pair: TransformersEngine) -> None:
        session = pair.open(asking(schema(PERSON), temperature=1.0))
        begun, _ = pieces(session.write(answering(tokens=15, left=200)))
        session.take_stats()
        closing, stop = pieces(session.write(answering(tokens=185, finish=True)))
        stats = session.take_stats()
        session.close()
        assert stop is Stop.CLOSED
        assert (stats.generated_tokens, stats.forward_passes) == (len(closing), 0)
        meets(text(begun + closing), PERSON)

    def test_without_a_constraint_a_run_that_is_to_finish_just_ends(self, pair: TransformersEngine) -> None:
        session = pair.open(request())
        assert list(session.write(answering(finish=True))) == [Chunk((), Stop.CLOSED)]
        session.close()

    def test_a_complete_answer_ends_without_a_pass(self, pair: TransformersEngine) -> None:
        session = pair.open(asking(schema({"const": 7})))
        pieces(session.write(answering()))
        session.take_stats()
        assert pieces(session.write(answering())) == ([], Stop.EOS)
        assert session.take_stats().forward_passes == 0
        session.close()

    def test_too_little_left_is_written_as_far_as_it_goes(self, pair: TransformersEngine) -> None:
        session = pair.open(asking(schema(PERSON)))
        written, stop = pieces(session.write(answering(tokens=3)))
        session.close()
        assert (len(written), stop) == (3, Stop.MAX_TOKENS)


class TestRefusals:
    @pytest.mark.parametrize(
        ("form", "reason"),
        [
            ({"type": "json_schema", "json_schema": {"type": "bogus"}}, 'Unsupported type "bogus"'),
            ({"type": "no_such_format"}, "grammar"),
            ({"type": "regex", "pattern": "[a-"}, "Unclosed"),
        ],
    )
    def test_what_is_no_grammar_is_refused_before_a_token(
        self, pair: TransformersEngine, form: dict[str, Any], reason: str
    ) -> None:
        with pytest.raises(RequestError, match=reason):
            pair.open(asking(direct(form)))
        session = pair.open(asking(schema(PERSON)))  # and holds nobody up
        session.close()

    def test_what_no_answer_meets_is_refused(self, pair: TransformersEngine) -> None:
        endless = {
            "$ref": "#/$defs/n",
            "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]}},
        }
        with pytest.raises(RequestError, match="requires itself"):
            pair.open(asking(direct({"type": "json_schema", "json_schema": endless})))

    def test_a_model_without_an_end_is_refused(self) -> None:
        with pytest.raises(RequestError, match="no token that ends its turn"):
            engine().open(asking(schema(PERSON)))

    def test_a_vocabulary_that_lacks_what_is_needed_is_told(self, pair: TransformersEngine) -> None:
        session = pair.open(asking(schema(PERSON)))
        grammar = pair._compilers[Role.LARGE].compile(schema(PERSON).structural_tag)
        grammar.banned.fill(-1)
        try:
            with pytest.raises(EngineError, match="the vocabulary lacks"):
                list(session.write(answering()))
        finally:
            session.close()
            pair._compilers.clear()


class TestVocabularies:
    def test_logits_without_a_token_are_never_written(self) -> None:
        padded = engine(qwen(1, 512), ends=True)
        written, _ = answer(padded, schema(PERSON), temperature=1.5, beyond=20)
        meets(text(written), PERSON)

    def test_special_tokens_are_no_part_of_a_string(self, pair: TransformersEngine) -> None:
        written, _ = answer(pair, schema({"type": "string"}), temperature=3.0, beyond=200)
        assert not set(ids(written)) & set(tokenizer().all_special_ids)

    def test_any_of_several_ends_may_end_it(self) -> None:
        large = qwen(1, len(tokenizer()))
        large.generation_config.eos_token_id = tokenizer().convert_tokens_to_ids(["<|end|>", "<|user|>"])
        several = engine(large, ends=True)
        assert len(several._ends[Role.LARGE]) == 2
        written, stop = answer(several, schema({"enum": [1, 2]}), temperature=1.0)
        assert (text(written) in ("1", "2"), stop) == (True, Stop.EOS)


@pytest.fixture(scope="module")
def strangers() -> TransformersEngine:
    other = tokenizer(420, extra='{"name": "nothing", "age": 42} ' * 30)
    return engine(qwen(1, 384), qwen(2, 420), small_tok=other, ends=True)


class TestTwoTokenizers:
    @pytest.mark.parametrize("name", SCHEMAS)
    def test_the_grammar_goes_through_text(self, strangers: TransformersEngine, name: str) -> None:
        for cut in (1, 4, 9, 14):
            session = strangers.open(asking(schema(SCHEMAS[name]), temperature=1.0, seed=cut))
            left = least(session) + 40
            first, stop = pieces(session.write(answering(Role.SMALL, cut, left=left)))
            while first and not first[-1].text:  # as the policy does: no half characters are handed over
                session.rollback(1)
                first.pop()
            rest: list[Any] = []
            if stop is Stop.MAX_TOKENS:
                rest, _ = pieces(session.write(answering(Role.LARGE, left - len(first))))
            session.close()
            meets(text(first + rest), SCHEMAS[name])
