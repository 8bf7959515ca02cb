"""A pair for the command's tests: scripted models behind the same door as real ones."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from relaygen_runtime import Relay, Role, ScriptedEngine
from relaygen_runtime.cli.pair import OpenRelay
from relaygen_runtime.cli.terminal import Terminal
from tests.relay.scripts import OPEN, cue_profile

LARGE = ["First multiply both of the numbers. So,", " All is known now.\n</think>\n\n"]
SMALL = [" it is 12. And", "The answer is 12."]


class Asked:
    """What the command asked of the pair."""

    def __init__(self) -> None:
        self.arguments: list[argparse.Namespace] = []
        self.engines: list[ScriptedEngine] = []
        self.messages: list[list[dict[str, Any]]] = []
        self.options: list[dict[str, Any]] = []


def scripted_opener(
    large: Sequence[str] = LARGE,
    small: Sequence[str] = SMALL,
    *,
    fail: Callable[[Role, int], None] | None = None,
    **options: Any,
) -> tuple[OpenRelay, Asked]:
    """An opener that ignores which pair was named, and what it was asked for."""
    asked = Asked()

    class Noted(Relay):
        def stream(self, messages: Any, **given: Any) -> Any:
            asked.messages.append(list(messages) if not isinstance(messages, str) else [{"content": messages}])
            asked.options.append(given)
            return super().stream(messages, **given)

    def opener(arguments: argparse.Namespace, terminal: Terminal, **defaults: Any) -> Relay:
        asked.arguments.append(arguments)
        engine = ScriptedEngine(large, small, prompt=OPEN, fail=fail)
        asked.engines.append(engine)
        return Noted(engine, cue_profile(), **{**options, **defaults})

    return opener, asked
