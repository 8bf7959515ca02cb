"""Tools as a relay takes them: from functions, classes and schemas to JSON, and from every way to say which to call.

Owns what `bind_tools` makes of its arguments. Refuses, before any model is asked: a tool that a hosted provider would
run, a choice that names no tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from relaygen_integrations.langchain.errors import RelaySchemaError, RelayToolChoiceError
from relaygen_integrations.langchain.recursion import refuse_recursion

__all__ = ["Tool", "relay_choice", "relay_tools"]

Tool = Mapping[str, Any] | type | Callable[..., Any] | BaseTool
"""What a tool may be given as."""

_WORDS = {"auto": "auto", "none": "none", "any": "required", "required": "required"}


def relay_tools(tools: Sequence[Tool], *, strict: bool | None = None) -> list[dict[str, Any]]:
    """Tools in OpenAI's form.

    Args:
        tools: Functions, pydantic classes, typed dictionaries, LangChain tools, or JSON schemas.
        strict: Passed into the schemas. Arguments always keep to their schema here.

    Raises:
        RelaySchemaError: A tool that is no function with a schema.
    """
    made = []
    for number, tool in enumerate(tools):
        refuse_recursion(tool, f"tools[{number}]")
        converted = _converted(tool, f"tools[{number}]", strict=strict)
        if not isinstance(converted.get("function"), Mapping):
            raise RelaySchemaError(
                f"tools[{number}]",
                f"a tool of type {converted.get('type')!r} is run by a hosted provider",
                "give a function, a class or a JSON schema",
            )
        made.append(converted)
    return made


def _converted(tool: Tool, where: str, *, strict: bool | None) -> dict[str, Any]:
    try:
        return convert_to_openai_tool(dict(tool) if isinstance(tool, Mapping) else tool, strict=strict)
    except (ValueError, TypeError, RecursionError) as error:
        raise RelaySchemaError(
            where, f"it cannot be made a tool: {error}", "give a function, a class or a JSON schema"
        ) from error


def relay_choice(choice: Any, tools: Sequence[Mapping[str, Any]]) -> str | dict[str, Any] | None:
    """A tool choice as `RelayOptions` takes it.

    Args:
        choice: None, one of these words, ``"any"``, a name, True (some tool), False (the model's choice), or a
            dictionary in OpenAI's or Anthropic's form.
        tools: The tools on offer.

    Raises:
        RelayToolChoiceError: It names no tool on offer, or is none of these.
    """
    if choice is None or isinstance(choice, bool):
        return "required" if choice else None
    names = [str(tool["function"]["name"]) for tool in tools]
    asked = choice
    if isinstance(choice, Mapping):
        choice = _chosen(choice)
    if not isinstance(choice, str):
        raise RelayToolChoiceError(
            f"tool_choice: {asked!r} is no choice; give 'auto', 'none', 'any', a tool's name, True or False"
        )
    if choice in names:
        return {"type": "function", "function": {"name": choice}}
    if choice not in _WORDS:
        raise RelayToolChoiceError(
            f"tool_choice: {choice!r} names no tool on offer; there is {', '.join(names) or 'none'}"
        )
    return _WORDS[choice]


def _chosen(choice: Mapping[str, Any]) -> Any:
    function = choice.get("function")
    if isinstance(function, Mapping):
        return function.get("name")
    return choice.get("name", choice.get("type"))
