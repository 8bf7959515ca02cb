"""What LlamaIndex may plan with: how long a prompt may be, what it may expect, whether the model calls tools.

Owns the sums behind `LLM.metadata`. LlamaIndex fills a prompt up to ``context_window - num_output``; since thinking is
written into the same context but is no output to it, the window told is smaller by what is kept for thinking.
"""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import LLMMetadata

from relaygen_runtime import Capabilities, Relay, RelayOptions
from relaygen_runtime.vocabulary import Role

__all__ = ["UNKNOWN_CONTEXT", "metadata_of", "pair_name"]

UNKNOWN_CONTEXT = 32_768
"""Taken where an engine does not know its models' contexts."""


def metadata_of(relay: Relay, options: RelayOptions, *, context_window: int | None = None) -> LLMMetadata:
    """The metadata of a relay.

    At least half of the context is the prompt's: a relay writes less than `max_tokens` where a long prompt leaves less.

    Args:
        relay: The pair.
        options: The options that every call starts from.
        context_window: Overrides what is worked out.
    """
    capabilities = relay.engine.capabilities
    context = _context(capabilities, options.effective_mode)
    written = min(context // 2, context if options.max_tokens is None else options.max_tokens)
    reserve = min(1024, written // 4) if options.answer_reserve is None else options.answer_reserve
    thinking = written - reserve if options.max_thinking_tokens is None else options.max_thinking_tokens
    if options.enable_thinking is False:
        thinking = 0
    thinking = max(0, min(thinking, written))
    return LLMMetadata(
        context_window=context - thinking if context_window is None else context_window,
        num_output=written - thinking,
        is_chat_model=True,
        is_function_calling_model=capabilities.tool_format is not None,
        model_name=pair_name(capabilities.large_model, capabilities.small_model),
    )


def pair_name(large: Any, small: Any) -> str:
    """The name of a pair, as ledgers and traces show it."""
    return f"{large}+{small}"


def _context(capabilities: Capabilities, mode: str) -> int:
    contexts = {Role.LARGE: capabilities.large_context, Role.SMALL: capabilities.small_context}
    writers = tuple(Role) if mode == "relay" else (Role(mode),)
    return min((known for role in writers if (known := contexts[role]) is not None), default=UNKNOWN_CONTEXT)
