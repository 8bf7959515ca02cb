"""The messages of a call, checked before a template or a tokenizer sees them, which would say less about them.

Owns what is said about a list of messages that nothing can render, and the joining of text parts: many chat
templates of text models show nothing at all of a content that is a list. Knows no template; which roles may follow
each other is the template's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from relaygen_runtime.engines.base import Message
from relaygen_runtime.errors import MessagesError

__all__ = ["checked_messages"]


def checked_messages(messages: str | Iterable[Message]) -> Sequence[Message]:
    """Refuse what no template can render.

    Args:
        messages: The history; a text stands for one user message.

    Returns:
        The messages, each content a text (or None, where an assistant only called tools).

    Raises:
        MessagesError: Names the message and what is wrong with it.
    """
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if not isinstance(messages, Iterable) or isinstance(messages, Mapping | bytes):
        kind = type(messages).__name__
        raise MessagesError(f"messages: expected a text or a list of messages with 'role' and 'content', got {kind}")
    checked = [_checked(message, f"messages[{number}]") for number, message in enumerate(messages)]
    if not checked:
        raise MessagesError("messages: the list is empty; give at least one message")
    return checked


def _checked(message: object, where: str) -> Message:
    if not isinstance(message, Mapping) or "role" not in message:
        raise MessagesError(f"{where}: expected a mapping with 'role' and 'content', got {message!r}")
    if not isinstance(message["role"], str):
        raise MessagesError(f"{where}: the role is {message['role']!r}; expected a text such as 'user'")
    content = message.get("content")
    if content is None:
        if message["role"] != "assistant":
            raise MessagesError(f"{where}: it has no content; give a text")
        return message
    text = _text(content, where)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MessagesError(
            f"{where}: character {error.start} of its content ({text[error.start]!r}) is half a character; "
            "decode the text as what it is encoded in"
        ) from error
    return message if text is content else {**message, "content": text}


def _text(content: object, where: str) -> str:
    """The content as a text; parts are joined.

    Raises:
        MessagesError: It is no text, or has a part that is none (an image, say).
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        raise MessagesError(f"{where}: its content is of type {type(content).__name__}; expected a text")
    return "".join(_part(part, where) for part in content)


def _part(part: Any, where: str) -> str:
    text = part.get("text") if isinstance(part, Mapping) and part.get("type", "text") == "text" else part
    if not isinstance(text, str):
        kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
        raise MessagesError(f"{where}: its content has a part of type {kind!r}; only text can be relayed")
    return text
