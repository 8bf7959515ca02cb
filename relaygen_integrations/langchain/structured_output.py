"""`with_structured_output`: a chain of the chat model and what reads its answer.

Owns the three methods. ``json_schema`` and ``json_mode`` hold the answer itself to the schema, ``function_calling``
forces a call of a tool that is the schema. In each the thinking stays free, and one model start is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from langchain_core.output_parsers import BaseOutputParser, JsonOutputParser, PydanticOutputParser
from langchain_core.output_parsers.openai_tools import JsonOutputKeyToolsParser, PydanticToolsParser
from langchain_core.runnables import Runnable, RunnableMap, RunnablePassthrough
from langchain_core.utils.pydantic import is_basemodel_subclass

from relaygen_integrations.langchain.errors import RelayConfigurationError
from relaygen_integrations.langchain.response_format import format_for
from relaygen_integrations.langchain.tools import relay_tools

if TYPE_CHECKING:
    from relaygen_integrations.langchain.chat_model import ChatRelayGen

__all__ = ["METHODS", "structured"]

METHODS = ("json_schema", "function_calling", "json_mode")


def structured(
    model: ChatRelayGen, schema: Any, *, method: str, include_raw: bool, strict: bool | None
) -> Runnable[Any, Any]:
    """The chain; arguments as for `ChatRelayGen.with_structured_output`.

    Raises:
        RelayConfigurationError: The method does not exist, or has no schema to work with.
    """
    if method not in METHODS:
        raise RelayConfigurationError(f"method: {method!r} is not one of {', '.join(METHODS)}")
    if schema is None and method != "json_mode":
        raise RelayConfigurationError(f"schema: not given; only json_mode does without one, {method} does not")
    bound: Runnable[Any, Any]
    told = {"kwargs": {"method": method, "strict": strict}, "schema": schema}
    if method == "function_calling":
        (tool,) = relay_tools([schema], strict=strict)
        bound = model.bind_tools(
            [tool],
            tool_choice=tool["function"]["name"],
            parallel_tool_calls=False,
            ls_structured_output_format=told,
        )
        parser = _call_parser(schema, tool["function"]["name"])
    elif schema is None:
        bound = model.bind(response_format={"type": "json_object"})
        parser = JsonOutputParser()
    else:
        bound = model.bind(response_format=format_for(schema, strict=strict), ls_structured_output_format=told)
        parser = _answer_parser(schema)
    if not include_raw:
        return bound | parser
    parsed = RunnablePassthrough.assign(parsed=itemgetter("raw") | parser, parsing_error=lambda _: None)
    unparsed = RunnablePassthrough.assign(parsed=lambda _: None)
    return RunnableMap(raw=bound) | parsed.with_fallbacks([unparsed], exception_key="parsing_error")


def _call_parser(schema: Any, name: str) -> BaseOutputParser[Any]:
    if isinstance(schema, type) and is_basemodel_subclass(schema):
        return PydanticToolsParser(tools=[schema], first_tool_only=True)
    return JsonOutputKeyToolsParser(key_name=name, first_tool_only=True)


def _answer_parser(schema: Any) -> BaseOutputParser[Any]:
    if isinstance(schema, type) and not isinstance(schema, Mapping) and is_basemodel_subclass(schema):
        return PydanticOutputParser(pydantic_object=schema)
    return JsonOutputParser()
