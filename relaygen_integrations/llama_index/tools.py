"""From LlamaIndex's tools to the relay's options, and from a message's call blocks to LlamaIndex's selections.

Owns the translation alone. What a tool's schema may hold, and that a call keeps to it, is the relay's
(`relaygen_runtime.answer`); running tools is LlamaIndex's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatResponse, ToolCallBlock
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools.types import BaseTool

from relaygen_integrations.llama_index.messages import arguments_of

__all__ = ["selections", "tool_options", "tool_schema"]


def tool_options(
    tools: Sequence[BaseTool],
    tool_choice: str | Mapping[str, Any] | None,
    *,
    required: bool,
    parallel: bool,
) -> dict[str, Any]:
    """The options of a call that offers tools.

    Args:
        tools: The tools on offer.
        tool_choice: `auto`, `none`, `required`, `any`, a tool's name, or OpenAI's mapping.
        required: Whether a call is asked for where `tool_choice` says nothing.
        parallel: Whether there may be several calls.
    """
    options: dict[str, Any] = {"tools": [tool_schema(tool) for tool in tools]}
    if tool_choice is None and required:
        tool_choice = "required"
    if tool_choice is not None:
        options["tool_choice"] = tool_choice
    if tools:
        options["parallel_tool_calls"] = parallel
    return options


def tool_schema(tool: BaseTool) -> dict[str, Any]:
    """A tool in OpenAI's form, under its very name, by which LlamaIndex finds it again."""
    metadata = tool.metadata
    function = {
        "name": metadata.get_name(),
        "description": metadata.description,
        "parameters": metadata.get_parameters_dict(),
    }
    return {"type": "function", "function": function}


def selections(response: ChatResponse, *, error_on_none: bool) -> list[ToolSelection]:
    """The whole calls of a message; one that is still being written is none yet.

    Raises:
        ValueError: There is none, and that is an error.
    """
    found = [
        ToolSelection(tool_id=block.tool_call_id or "", tool_name=block.tool_name, tool_kwargs=arguments)
        for block in response.message.blocks
        if isinstance(block, ToolCallBlock) and (arguments := arguments_of(block)) is not None
    ]
    if error_on_none and not found:
        raise ValueError(f"a tool call was expected; the model answered {response.message.content!r}")
    return found
