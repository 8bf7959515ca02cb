"""How chat templates have tools called, as far as it can be constrained and read back.

Owns the names of the formats and how a template tells which one it writes. Refuses to guess: a template whose calls
look different has no format here, and its answers are plain text.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["CALL_CLOSE", "CALL_OPEN", "QWEN3", "tool_format_of"]

QWEN3: Final = "qwen3"
"""A call is ``<tool_call>``, a JSON object with name and arguments, ``</tool_call>`` (Hermes 2 Pro, Qwen2.5, Qwen3)."""
CALL_OPEN: Final = "<tool_call>"
CALL_CLOSE: Final = "</tool_call>"

# Formats that use the same tags around something that is not JSON (Qwen3-Coder, Qwen3.5, GLM-4.5).
_OTHERS = re.compile(r"<function\b|<parameter\b|<arg_key>")
_ENVELOPE = (re.compile(r"""\\?["']name\\?["']"""), re.compile(r"""\\?["']arguments\\?["']"""))


def tool_format_of(template: str) -> str | None:
    """The format in which a chat template writes tool calls.

    Args:
        template: The template's source.

    Returns:
        ``"qwen3"``, or None where the template knows no tools or writes calls in another way.
    """
    if CALL_OPEN not in template or CALL_CLOSE not in template or _OTHERS.search(template):
        return None
    return QWEN3 if all(part.search(template) for part in _ENVELOPE) else None
