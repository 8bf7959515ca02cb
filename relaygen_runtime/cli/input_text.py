"""What comes in: prompts from arguments, files and standard input, and JSON files. UTF-8 or refused.

Owns reading and its errors, which name the source and the byte. Knows no models.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from relaygen_runtime.engines.base import Message
from relaygen_runtime.errors import MessagesError, RequestError

__all__ = ["decode", "read_file", "read_messages", "read_object", "read_stdin", "read_stdin_line", "read_tools"]

_STDIN = "standard input"


def decode(data: bytes, source: str) -> str:
    """Bytes as text.

    Raises:
        RequestError: They are not UTF-8; names the source and the offending byte.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(
            f"{source}: byte {error.start} (0x{data[error.start]:02x}) is not UTF-8; "
            "convert the text, e.g. with iconv -t UTF-8"
        ) from error


def read_file(path: Path) -> str:
    """A prompt file; ``-`` is standard input.

    Raises:
        RequestError: It is not UTF-8, or holds nothing but white space.
        OSError: It cannot be read.
    """
    if str(path) == "-":
        return read_stdin()
    return _not_blank(decode(path.read_bytes(), str(path)), str(path))


def read_stdin() -> str:
    """All of standard input as one prompt.

    Raises:
        RequestError: It is not UTF-8, or holds nothing but white space.
    """
    return _not_blank(decode(b"" if sys.stdin is None else sys.stdin.buffer.read(), _STDIN), _STDIN)


def read_stdin_line() -> str | None:
    """The next line of standard input without its end, or None at the end.

    Raises:
        RequestError: It is not UTF-8.
    """
    line = sys.stdin.buffer.readline()
    return decode(line, _STDIN).rstrip("\r\n") if line else None


def read_messages(path: Path) -> list[Message]:
    """A chat history: a JSON list of messages with ``role`` and ``content``; ``-`` is standard input.

    Raises:
        MessagesError: It is no such list.
    """
    data = _json(path)
    if not isinstance(data, Sequence) or isinstance(data, str) or not all(isinstance(item, Mapping) for item in data):
        raise MessagesError(f"{_name(path)}: expected a JSON list of messages, each with 'role' and 'content'")
    return list(data)


def read_tools(path: Path) -> list[Mapping[str, Any]]:
    """Tool schemas: a JSON list of objects.

    Raises:
        RequestError: It is no such list.
    """
    data = _json(path)
    if not isinstance(data, Sequence) or isinstance(data, str) or not all(isinstance(item, Mapping) for item in data):
        raise RequestError(
            f'{_name(path)}: expected a JSON list of tool schemas, each like {{"type": "function", "function": ...}}'
        )
    return list(data)


def read_object(path: Path) -> Mapping[str, Any]:
    """A JSON object; ``-`` is standard input.

    Raises:
        RequestError: It is no object.
    """
    data = _json(path)
    if not isinstance(data, Mapping):
        raise RequestError(f"{_name(path)}: expected a JSON object, such as a JSON schema")
    return data


def _json(path: Path) -> Any:
    text = read_file(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise RequestError(f"{_name(path)}: not JSON, {where}: {error.msg}") from error
    except RecursionError as error:
        raise RequestError(f"{_name(path)}: lists or objects in it are nested too deep to be read") from error


def _name(path: Path) -> str:
    return _STDIN if str(path) == "-" else str(path)


def _not_blank(text: str, source: str) -> str:
    if not text.strip():
        raise MessagesError(f"{source}: no text in it; give a prompt")
    return text
