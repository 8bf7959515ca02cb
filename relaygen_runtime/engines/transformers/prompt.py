"""From messages to a prompt: the chat template, once per generation.

Owns the rendering and its errors. Nothing after the prompt is ever rendered again.
"""

from __future__ import annotations

from typing import Any

import jinja2

from relaygen_runtime.engines.base import GenerationRequest
from relaygen_runtime.errors import MessagesError

__all__ = ["encode", "render"]


def render(tokenizer: Any, request: GenerationRequest) -> str:
    """Render the messages through a tokenizer's chat template.

    Raises:
        MessagesError: There are no messages, or the template refuses them.
    """
    if not request.messages:
        raise MessagesError("messages: the list is empty; give at least one message")
    options = dict(request.template_options)
    if request.enable_thinking is not None:
        options["enable_thinking"] = request.enable_thinking
    try:
        return str(
            tokenizer.apply_chat_template(
                [dict(message) for message in request.messages],
                tools=[dict(tool) for tool in request.tools] or None,
                add_generation_prompt=True,
                tokenize=False,
                **options,
            )
        )
    except (jinja2.TemplateError, TypeError, KeyError, ValueError, AttributeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise MessagesError(f"messages: the chat template refuses them: {reason}") from error


def encode(tokenizer: Any, text: str) -> list[int]:
    """Tokenise a text as it stands: the template wrote every special token that belongs there."""
    return list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
