"""Renders conversations with the pair's own chat template, without loading transformers.

Owns: a Jinja environment that behaves as transformers' does for this template. Refuses: tokens.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any, NoReturn

from jinja2.sandbox import ImmutableSandboxedEnvironment

from relaygen_runtime.demo.data.conversation import Message


def template_text() -> str:
    """Return the chat template's source."""
    return (resources.files("relaygen_runtime.demo") / "chat_template.jinja").read_text("utf-8")


@cache
def _render() -> Callable[..., str]:
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = _refuse
    render: Callable[..., str] = environment.from_string(template_text()).render
    return render


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


def render(messages: Sequence[Message], tools: Sequence[Message] = (), **options: Any) -> str:
    """Render messages to the text that a model reads.

    Args:
        messages: The conversation.
        tools: Tools in the OpenAI function format.
        **options: ``add_generation_prompt`` and ``enable_thinking``.

    Raises:
        ValueError: If the template refuses the conversation.
    """
    return _render()(messages=list(messages), tools=list(tools) or None, **options)
