"""Where it is open whether the model thinks, it may begin with the tag or with the answer, and with nothing else."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from relaygen_runtime.engines.base import Run
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.steps import Done, Inject, Text
from relaygen_runtime.vocabulary import FinishReason, Phase, Piece, Role, Stop
from tests.engines.transformers.held import PERSON, answering, asking, least, schema, text
from tests.engines.transformers.pairs import engine, pieces, qwen, request, tokenizer

TAG = "<think>"


@pytest.fixture(scope="module")
def pair() -> TransformersEngine:
    return engine(ends=True)


def fond_of(token: str) -> TransformersEngine:
    """A pair that begins with this token whenever it may."""
    vocabulary = tokenizer()
    large = qwen(1, len(vocabulary))
    favourite = vocabulary.convert_tokens_to_ids(token)
    assert favourite is not None
    head = large.lm_head.forward

    def forward(states: Any) -> Any:
        logits = head(states).clone()
        logits[..., favourite] = 40
        return logits

    large.lm_head.forward = forward
    return engine(large, ends=True, draft_max=4)


def opening(tokens: int, tag: str = TAG, **more: Any) -> Run:
    return Run(Role.LARGE, Phase.THINKING, tokens, opening=True, open_tag=tag, **more)


@pytest.mark.parametrize("speculation", [False, True])
def test_a_model_that_answers_at_once_keeps_to_the_form(speculation: bool) -> None:
    session = fond_of("{").open(asking(schema(PERSON), speculation=speculation))
    written, _ = pieces(session.write(opening(90)))
    session.close()
    jsonschema.validate(json.loads(text(written)), PERSON)


@pytest.mark.parametrize("speculation", [False, True])
def test_a_model_that_thinks_is_free_after_the_tag(speculation: bool) -> None:
    fond = fond_of(TAG)
    session = fond.open(asking(schema(PERSON), speculation=speculation))
    written, stop = pieces(session.write(opening(20, left=200)))
    assert [piece.text for piece in written] == [TAG] * 20, "it may think what it likes"
    session.inject("</think>\n\n")
    answer, _ = pieces(session.write(answering(tokens=least(session) + 30)))
    session.close()
    assert stop is Stop.MAX_TOKENS
    jsonschema.validate(json.loads(text(answer)), PERSON)


def test_the_tag_may_come_in_parts(pair: TransformersEngine) -> None:
    seen = set()
    for seed in range(30):
        session = pair.open(asking(schema({"const": 1}), temperature=2.0, seed=seed))
        written, _ = pieces(session.write(opening(6, tag="<|:", left=60)))
        session.close()
        begun = text(written).lstrip()
        thinks = begun.startswith("<|:")
        assert thinks or begun in ("1", "<", "<|")
        seen.add(thinks)
    assert seen == {True, False}


def test_where_little_is_left_no_thinking_begins() -> None:
    session = fond_of(TAG).open(asking(schema(PERSON)))
    written, _ = pieces(session.write(opening(least(session) + 10)))
    session.close()
    jsonschema.validate(json.loads(text(written)), PERSON)


def test_an_opening_that_goes_on_in_another_run_is_one_answer() -> None:
    session = fond_of("{").open(asking(schema(PERSON)))
    begun, _ = pieces(session.write(opening(2, left=90)))
    rest, _ = pieces(session.write(answering(tokens=88)))
    session.close()
    jsonschema.validate(json.loads(text(begun + rest)), PERSON)


def test_a_tag_that_is_taken_back_leaves_the_answer_possible() -> None:
    fond = fond_of(TAG)
    session = fond.open(asking(schema(PERSON)))
    written, _ = pieces(session.write(opening(3, left=200)))
    session.rollback(len(written))
    answer, _ = pieces(session.write(answering(tokens=90)))
    session.close()
    jsonschema.validate(json.loads(text(answer)), PERSON)


def test_thinking_is_never_held(pair: TransformersEngine) -> None:
    free = pair.open(request())
    expected, _ = pieces(free.write(Run(Role.LARGE, Phase.THINKING, 30)))
    free.close()
    held = pair.open(asking(schema(PERSON)))
    written, _ = pieces(held.write(Run(Role.LARGE, Phase.THINKING, 30)))
    held.close()
    assert written == expected
    assert not text(written).lstrip().startswith("{")


class TestDriven:
    """The policy and the engine together."""

    @staticmethod
    def drive(pair: TransformersEngine, rules: Rules, form: dict[str, Any], **how: Any) -> tuple[str, Done, int]:
        session = pair.open(asking(schema(form), **how))
        machine = RelayMachine(rules, session.prompt_text)
        told: list[Text] = []
        kept: list[Piece] = []
        while not isinstance(ask := machine.ask(), Done):
            if isinstance(ask, Inject):
                injected = list(session.inject(ask.text))
                step = machine.injected(injected)
                kept += injected
                told += [output for output in step.outputs if isinstance(output, Text)]
                continue
            run = Run(
                ask.author,
                ask.phase,
                ask.max_tokens,
                would_cut=machine.would_cut,
                opening=ask.opening,
                open_tag=ask.open_tag,
                finish=ask.finish,
                left=ask.left,
            )
            for chunk in session.write(run):
                step = machine.feed(chunk.pieces)
                kept += chunk.pieces
                told += [output for output in step.outputs if isinstance(output, Text)]
                if step.cut is None and chunk.stop is not None:
                    step = machine.stopped(chunk.stop)
                    told += [output for output in step.outputs if isinstance(output, Text)]
                if step.cut is not None:
                    session.rollback(step.cut.drop)
                    del kept[len(kept) - step.cut.drop :]
                    break
        session.close()
        assert text(kept) == "".join(output.text for output in told)
        answer = "".join(output.text for output in told if output.phase is Phase.ANSWER and not output.markup)
        return answer, ask, len(kept)

    @pytest.mark.parametrize("speculation", [False, True])
    @pytest.mark.parametrize("answerer", Role)
    @pytest.mark.parametrize("tight", [False, True])
    def test_whatever_happens_before_it_the_answer_has_its_form(
        self, pair: TransformersEngine, tight: bool, answerer: Role, speculation: bool
    ) -> None:
        for seed in range(6):
            session = pair.open(asking(schema(PERSON)))
            needed = least(session) + 12
            session.close()
            most = needed + (5 if tight else 90)
            rules = Rules(
                cues=("a", " a"),
                max_tokens=most,
                max_thinking_tokens=most - needed,
                answerer=answerer,
                constrained=True,
            )
            answer, done, tokens = self.drive(pair, rules, PERSON, temperature=1.0, seed=seed, speculation=speculation)
            jsonschema.validate(json.loads(answer), PERSON)
            assert tokens <= most
            assert done.reason in (FinishReason.STOP, FinishReason.LENGTH, FinishReason.LOOP)

    def test_an_answer_that_goes_round_in_circles_is_closed(self) -> None:
        fond = fond_of("a")
        form = {"type": "string"}
        rules = Rules(cues=(), max_tokens=1500, max_thinking_tokens=0, answerer=Role.LARGE, constrained=True)
        answer, done, tokens = self.drive(fond, rules, form)
        assert done.reason is FinishReason.LOOP
        assert tokens < 1400
        assert set(json.loads(answer)) == {"a"}
