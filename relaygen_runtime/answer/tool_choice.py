"""Tools on offer, and which of them may, must or must not be called.

Owns the reading of both: names, doubles, and the forms in which a choice is written. Looks into no schema.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from relaygen_runtime.answer.schema_source import refuse
from relaygen_runtime.errors import ConfigurationError, ToolChoiceError

__all__ = ["Choice", "Tool", "read_choice", "read_tools"]

_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_NO_ARGUMENTS: Final = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool on offer.

    Attributes:
        name: Its name.
        parameters: The JSON schema of its arguments.
        place: Where it stands, for messages.
    """

    name: str
    parameters: Any
    place: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be called.

    Attributes:
        none: Nothing.
        required: At least one tool.
        name: This tool, once.
    """

    none: bool = False
    required: bool = False
    name: str | None = None


def read_tools(tools: Sequence[Mapping[str, Any]]) -> list[Tool]:
    """The tools, with or without OpenAI's envelope around each.

    Raises:
        SchemaError: One is no tool; a name is unfit, or given twice.
    """
    read: list[Tool] = []
    for number, entry in enumerate(tools):
        place = f"tools[{number}]"
        function = entry.get("function", entry) if isinstance(entry, Mapping) else entry
        if not isinstance(function, Mapping):
            refuse(place, f"{entry!r} is no tool", 'give one like {"type": "function", "function": {"name": ...}}')
        name = function.get("name")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            refuse(f"{place}.name", f"{name!r} is no name of a tool", "use 1 to 64 of the characters a-z A-Z 0-9 _ . -")
        if any(other.name == name for other in read):
            refuse(
                f"{place}.name", f"{name!r} is the name of an earlier tool, too", "give every tool a name of its own"
            )
        parameters = function.get("parameters")
        read.append(Tool(name, _NO_ARGUMENTS if parameters is None else parameters, f"{place} {name!r}: parameters"))
    return read


def read_choice(choice: str | Mapping[str, Any] | None, names: Sequence[str]) -> Choice:
    """The choice among tools with these names.

    Raises:
        ToolChoiceError: It names a tool that is not on offer, or asks for a call where there are no tools.
        ConfigurationError: It is written in no known way.
    """
    if choice is None or choice == "auto":
        return Choice()
    if choice == "none":
        return Choice(none=True)
    if choice in ("required", "any"):
        if not names:
            raise ToolChoiceError(f"tool_choice: {choice!r} asks for a call, and there are no tools; give tools")
        return Choice(required=True)
    name = choice if isinstance(choice, str) else _named(choice)
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        mend = f"did you mean {near[0]!r}?" if near else f"on offer: {', '.join(names) or 'none'}"
        raise ToolChoiceError(f"tool_choice: there is no tool {name!r}; {mend}")
    return Choice(required=True, name=name)


def _named(choice: object) -> str:
    function = choice.get("function") if isinstance(choice, Mapping) and choice.get("type") == "function" else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(name, str):
        raise ConfigurationError(
            f"tool_choice: {choice!r} is not understood; expected 'auto', 'none', 'required', a tool's name, or "
            '{"type": "function", "function": {"name": ...}}'
        )
    return name
