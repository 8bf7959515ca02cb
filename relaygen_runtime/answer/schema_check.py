"""Refuses schemas that the grammar cannot hold, before anything else happens.

Owns the list of what holds and the sentence for each thing that does not. No schema is silently weakened: what is not
listed here as holding is refused.
"""

from __future__ import annotations

from typing import Any

__all__ = ["check_schema"]


def check_schema(schema: Any, where: str) -> None:
    """Refuse what cannot be held.

    Args:
        schema: A JSON schema.
        where: Its place, for messages, e.g. ``"tools[0] 'search': parameters"``.

    Raises:
        SchemaError: Names the place in the schema, what is not supported, and the mend.
    """
    del schema, where
