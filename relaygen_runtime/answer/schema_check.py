"""Refuses schemas that no answer can be held to, before anything else happens.

Owns the question alone: reading a schema into a grammar is what answers it, so that what is checked and what is
enforced cannot differ.
"""

from __future__ import annotations

from typing import Any

from relaygen_runtime.answer.schema_grammar import schema_grammar

__all__ = ["check_schema"]


def check_schema(schema: Any, where: str) -> None:
    """Refuse what cannot be held.

    Args:
        schema: A JSON schema.
        where: Its place, for messages, e.g. ``"tools[0] 'search': parameters"``.

    Raises:
        SchemaError: Names the place in the schema, what is not supported, and the mend.
    """
    schema_grammar(schema, where)
