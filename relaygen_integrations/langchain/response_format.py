"""What a schema may be given as, the response format that a relay takes, and how the models are told of it.

Owns the conversion: pydantic classes, typed dictionaries, OpenAI's functions and plain JSON schemas become a JSON
schema; and the sentence that shows it to the models, who could not think about what they do not know. Refuses what is
no schema. What a schema may hold is the relay's to say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel

from relaygen_integrations.langchain.conversion import converting
from relaygen_integrations.langchain.recursion import refuse_recursion

__all__ = ["format_for", "json_schema_of", "relay_format", "shown"]

_INSTRUCTION = "Answer with a JSON object that follows this schema:\n{schema}"
_MEND = (
    "give a pydantic class whose fields JSON can hold, a TypedDict or a JSON schema; what is no object, as a list, "
    "goes into a field of one"
)
_NO_SCHEMA = ("text", "json_object")


def json_schema_of(schema: Any, *, strict: bool | None = None) -> dict[str, Any]:
    """The JSON schema of what a schema may be given as.

    Args:
        schema: A pydantic class, a typed dictionary, a function in OpenAI's form, or a JSON schema.
        strict: Every property required and none besides, as OpenAI's strict mode has it.

    Raises:
        RelaySchemaError: It is none of these, holds what JSON cannot, or refers to itself.
    """
    with converting(schema, "schema", "a JSON schema", _MEND):
        refuse_recursion(schema, "schema")
        if isinstance(schema, Mapping) and "title" not in schema and "name" not in schema and "type" in schema:
            schema = {"title": "answer", **schema}  # a schema without a name is a schema all the same
        if isinstance(schema, type) and issubclass(schema, BaseModel) and not strict:
            return schema.model_json_schema()
        return dict(convert_to_json_schema(dict(schema) if isinstance(schema, Mapping) else schema, strict=strict))


def format_for(schema: Any, *, strict: bool | None = None) -> dict[str, Any]:
    """The response format that holds an answer to a schema."""
    made = json_schema_of(schema, strict=strict)
    named: dict[str, Any] = {"name": str(made.get("title", "answer")), "schema": made}
    if strict is not None:
        named["strict"] = strict
    return {"type": "json_schema", "json_schema": named}


def relay_format(asked: Any) -> Mapping[str, Any]:
    """A response format as it may stand in a call: OpenAI's dictionary, or a schema of any kind."""
    return asked if isinstance(asked, Mapping) else format_for(asked)


def shown(messages: list[dict[str, Any]], asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages with the format's schema, if it has one, in the system message.

    A grammar holds the answer to its schema in any case; but it tells the models nothing, and holds no thinking.
    """
    if asked.get("type") in _NO_SCHEMA:
        return messages
    schema = asked.get("json_schema", {}).get("schema") if asked.get("type") == "json_schema" else asked
    instruction = _INSTRUCTION.format(schema=json.dumps(schema, ensure_ascii=False))
    first, rest = (messages[0], messages[1:]) if messages[0]["role"] == "system" else (None, messages)
    system = f"{first['content']}\n\n{instruction}" if first is not None else instruction
    return [{"role": "system", "content": system}, *rest]
