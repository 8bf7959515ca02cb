"""Answers held to a form, for pairs that know nothing of forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from relaygen_runtime.answer.build import build_constraint
from relaygen_runtime.answer.constraint import AnswerConstraint
from relaygen_runtime.engines.base import GenerationRequest, Run, Session
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.vocabulary import Phase, Piece, Role, Stop
from tests.engines.transformers.pairs import pieces, request

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
LIST = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"x": {"type": "integer", "minimum": 100, "maximum": 250}},
        "required": ["x"],
        "additionalProperties": False,
    },
    "minItems": 2,
}
NESTED = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"enum": ["é", "long one", 3]},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["value", "next"],
            "additionalProperties": False,
        }
    },
}
BOUNDED = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "pattern": "^[a-c]{2}-[0-9]{3}$"},
        "note": {"type": "string", "maxLength": 9},
    },
    "required": ["code"],
    "additionalProperties": False,
}
SCHEMAS: dict[str, dict[str, Any]] = {"person": PERSON, "list": LIST, "nested": NESTED, "bounded": BOUNDED}
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "note": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": False,
            },
        },
    },
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
]


def schema(form: Mapping[str, Any]) -> AnswerConstraint:
    if "$ref" in form:  # recursion is xgrammar's to hold, not our builder's
        return direct({"type": "json_schema", "json_schema": dict(form), "max_whitespace_cnt": 2})
    return _built(response_format=form)


def calls(choice: str | None = None, **more: Any) -> AnswerConstraint:
    return _built(tools=TOOLS, tool_choice=choice, tool_format="qwen3", **more)


def _built(**options: Any) -> AnswerConstraint:
    constraint = build_constraint(**options)
    assert constraint is not None
    return constraint


def direct(form: Mapping[str, Any], *, required: bool = True) -> AnswerConstraint:
    return AnswerConstraint(json.dumps({"type": "structural_tag", "format": dict(form)}), required)


def asking(constraint: AnswerConstraint, *, temperature: float = 0.0, seed: int = 0, **more: Any) -> GenerationRequest:
    return request(constraint=constraint, sampling={"temperature": temperature, "seed": seed}, **more)


def answering(author: Role = Role.LARGE, tokens: int = 80, **more: Any) -> Run:
    return Run(author, Phase.ANSWER, tokens, **more)


def answer(
    pair: TransformersEngine, constraint: AnswerConstraint, *, beyond: int = 60, author: Role = Role.LARGE, **more: Any
) -> tuple[list[Piece], Stop | None]:
    """An answer with so many tokens more than the shortest one needs."""
    session = pair.open(asking(constraint, **more))
    try:
        return pieces(session.write(answering(author, least(session) + beyond)))
    finally:
        session.close()


def least(session: Session) -> int:
    assert session.shortest_answer is not None
    return session.shortest_answer


def text(written: list[Piece]) -> str:
    return "".join(piece.text for piece in written)
