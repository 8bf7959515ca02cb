"""Finds schemas that refer to themselves.

Owns that question alone. LangChain writes references out when it converts a schema, and where one leads back into
itself it writes "anything": the schema would be weakened without a word. So it is refused before that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.tools.base import create_schema_from_function
from pydantic import BaseModel

from relaygen_integrations.langchain.errors import RelaySchemaError

__all__ = ["refuse_recursion"]


def refuse_recursion(described: Any, where: str) -> None:
    """Refuse what refers to itself.

    Args:
        described: A schema, or a tool, in any of the forms that LangChain takes.
        where: Its place, for the message.

    Raises:
        RelaySchemaError: Names the reference.
    """
    schema = _schema_of(described)
    if schema is None:
        return
    found = next(_circles(schema, schema, ()), None)
    if found is not None:
        raise RelaySchemaError(
            where,
            f"the reference {found!r} is recursive: it leads back into itself",
            "write the levels out to a fixed depth, or take that part as a string",
        )


def _schema_of(described: Any) -> Mapping[str, Any] | None:
    shape = described.tool_call_schema if isinstance(described, BaseTool) else described
    if callable(shape) and not isinstance(shape, type):
        shape = create_schema_from_function("tool", shape)
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        return shape.model_json_schema()
    return shape if isinstance(shape, Mapping) else None


def _circles(part: Any, root: Mapping[str, Any], seen: tuple[str, ...]) -> Iterator[str]:
    if isinstance(part, Mapping):
        reference = part.get("$ref")
        if isinstance(reference, str):
            if reference in seen:
                yield reference
                return
            yield from _circles(_target(reference, root), root, (*seen, reference))
        for name, inner in part.items():
            if name not in ("$defs", "definitions"):
                yield from _circles(inner, root, seen)
    elif isinstance(part, list):
        for inner in part:
            yield from _circles(inner, root, seen)


def _target(reference: str, root: Mapping[str, Any]) -> Any:
    if reference == "#":
        return root
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found
