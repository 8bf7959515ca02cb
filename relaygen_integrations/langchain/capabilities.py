"""What a pair can do, in LangChain's words: the model profile that agents and middleware read.

Owns the translation. What only the loaded models tell (contexts, tool format) is left out until they are loaded, except
for what the large model's own configuration file says: what is not there is not claimed.
"""

from __future__ import annotations

import json
from pathlib import Path

from langchain_core.language_models import ModelProfile

from relaygen_integrations.langchain.call import pair_name
from relaygen_integrations.pairs import DEMO_LARGE
from relaygen_runtime import Capabilities

__all__ = ["profile_of", "profile_of_unloaded"]

_TEXT_ONLY = ModelProfile(
    text_inputs=True,
    image_inputs=False,
    image_url_inputs=False,
    pdf_inputs=False,
    audio_inputs=False,
    video_inputs=False,
    image_tool_message=False,
    pdf_tool_message=False,
    reasoning_output=True,
    text_outputs=True,
    image_outputs=False,
    audio_outputs=False,
    video_outputs=False,
    temperature=True,
)


def profile_of(capabilities: Capabilities) -> ModelProfile:
    """The profile of a pair that is loaded."""
    calls = capabilities.tool_format is not None
    profile = ModelProfile(
        **_TEXT_ONLY,
        name=pair_name(capabilities.large_model, capabilities.small_model),
        tool_calling=calls,
        tool_choice=calls and capabilities.constraints,
        tool_call_streaming=calls,
        structured_output=capabilities.constraints,
    )
    if capabilities.large_context is not None:
        profile["max_input_tokens"] = capabilities.large_context
    return profile


def profile_of_unloaded(large: str, small: str) -> ModelProfile:
    """The profile of a pair by name: what holds for every pair in this process, and the context if it can be read."""
    profile = ModelProfile(
        **_TEXT_ONLY,
        name=pair_name(large, small),
        tool_calling=True,
        tool_choice=True,
        tool_call_streaming=True,
        structured_output=True,
    )
    context = _context(large)
    if context is not None:
        profile["max_input_tokens"] = context
    return profile


def _context(large: str) -> int | None:
    from relaygen_runtime.demo import pair_paths  # noqa: PLC0415  (reads package data)

    folder = pair_paths().large if large == DEMO_LARGE else Path(large)
    config = folder / "config.json"
    if not config.is_file():
        return None
    told = json.loads(config.read_text("utf-8"))
    context = told.get("text_config", told).get("max_position_embeddings")
    return context if isinstance(context, int) else None
