"""What ``response_format`` asks for: OpenAI's forms, and a bare JSON schema for convenience.

Owns the way from each form to a schema. Looks into no schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from relaygen_runtime.answer.keywords import KEYWORDS_OF, TYPES
from relaygen_runtime.errors import ConfigurationError

__all__ = ["Wanted", "read_response_format"]

_FORMS: Final = (
    "{'type': 'text'}, {'type': 'json_object'}, {'type': 'json_schema', 'json_schema': {'schema': ...}} "
    "or a JSON schema"
)
_BARE: Final = {
    "$ref",
    "anyOf",
    "oneOf",
    "allOf",
    "enum",
    "const",
    *(name for names in KEYWORDS_OF.values() for name in names),
}

Wanted = tuple[Mapping[str, Any], str]
"""A schema, and its place for messages."""


def read_response_format(form: Mapping[str, Any] | None) -> Wanted | None:
    """The schema of the whole answer; None: it is free.

    Raises:
        ConfigurationError: It is written in no known way.
    """
    if form is None:
        return None
    if not isinstance(form, Mapping):
        raise ConfigurationError(f"response_format: {form!r} is not understood; expected {_FORMS}")
    kind = form.get("type")
    if kind == "text":
        return None
    if kind == "json_object":
        return {"type": "object"}, "response_format"
    if kind == "json_schema":
        inner = form.get("json_schema")
        schema = inner.get("schema") if isinstance(inner, Mapping) else None
        if not isinstance(inner, Mapping) or not isinstance(schema, Mapping):
            raise ConfigurationError(
                "response_format: there is no schema in it; expected "
                '{"type": "json_schema", "json_schema": {"name": ..., "schema": {...}}}'
            )
        name = inner.get("name")
        return schema, f"response_format {name!r}: schema" if isinstance(name, str) else "response_format: schema"
    if kind in TYPES or isinstance(kind, list) or (kind is None and not _BARE.isdisjoint(form)):
        return form, "response_format"
    raise ConfigurationError(f"response_format: {dict(form)!r} is not understood; expected {_FORMS}")
