"""Tools as a relay takes them: from functions, classes and schemas to JSON, and from every way to say which to call.

Owns what `bind_tools` makes of its arguments. Refuses, before any model is asked: a tool that a hosted provider would
run, a choice that names no tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from relaygen_integrations.langchain.conversion import converting
from relaygen_integrations.langchain.errors import RelayConfigurationError, RelaySchemaError, RelayToolChoiceError
from relaygen_integrations.langchain.recursion import refuse_recursion

__all__ = ["Tool", "relay_choice", "relay_tools"]

Tool = Mapping[str, Any] | type | Callable[..., Any] | BaseTool
"""What a tool may be given as."""

_MEND = (
    "give a function whose parameters JSON can hold (texts, numbers, lists, dictionaries, pydantic classes), a "
    "pydantic class, a TypedDict, a LangChain tool or a JSON schema"
)
_WORDS = {"auto": "auto", "none": "none", "any": "required", "required": "required"}


def relay_tools(tools: Sequence[Tool], *, strict: bool | None = None) -> list[dict[str, Any]]:
    """Tools in OpenAI's form.

    Args:
        tools: Functions, pydantic classes, typed dictionaries, LangChain tools, or JSON schemas.
        strict: Passed into the schemas. Arguments always keep to their schema here.

    Raises:
        RelaySchemaError: A tool that is no function with a schema.
        RelayConfigurationError: It is no list of tools at all.
    """
    _refuse_what_is_no_list(tools)
    made = []
    for number, tool in enumerate(tools):
        with converting(tool, f"tools[{number}]", "a tool", _MEND):
            refuse_recursion(tool, f"tools[{number}]")
            converted = convert_to_openai_tool(dict(tool) if isinstance(tool, Mapping) else tool, strict=strict)
        if not isinstance(converted.get("function"), Mapping):
            raise RelaySchemaError(
                f"tools[{number}]",
                f"a tool of type {converted.get('type')!r} is run by a hosted provider",
                _MEND,
            )
        made.append(converted)
    return made


def _refuse_what_is_no_list(tools: Any) -> None:
    one = isinstance(tools, str | bytes | Mapping | BaseModel) or callable(tools)
    if one or not isinstance(tools, Iterable):
        raise RelayConfigurationError(
            f"tools: {tools!r} is no list of tools; give a list, of one tool too, or [] for none"
        )


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
