"""`relaygen run`: any local pair answers a prompt, a file, or a chat on standard input."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from rich.text import Text

from relaygen_runtime.cli.arguments import generation_options
from relaygen_runtime.cli.input_text import read_file, read_messages, read_stdin, read_stdin_line
from relaygen_runtime.cli.painter import CONTROL, Painter
from relaygen_runtime.cli.pair import OpenRelay
from relaygen_runtime.cli.terminal import Terminal
from relaygen_runtime.engines.base import Message
from relaygen_runtime.errors import ConfigurationError, MessagesError, RelayGenError, RequestError
from relaygen_runtime.event_json import SCHEMA, event_as_json
from relaygen_runtime.events import RelayEvent, TextDelta
from relaygen_runtime.messages import checked_messages
from relaygen_runtime.options import RelayOptions
from relaygen_runtime.relay import Relay
from relaygen_runtime.result import RelayResult, ResultBuilder
from relaygen_runtime.vocabulary import Phase

__all__ = ["run"]


def run(arguments: argparse.Namespace, terminal: Terminal, opener: OpenRelay) -> int:
    """Answer once, or chat while a person types."""
    if arguments.json and arguments.show is not None:
        raise ConfigurationError("--json and --show: JSON lines always hold everything; give one of the two")
    try:
        _run(arguments, terminal, opener)
    except RelayGenError as error:
        if arguments.json:
            failure = {"schema": SCHEMA, "event": "error", "kind": type(error).__name__, "message": str(error)}
            terminal.write_line(json.dumps(failure, ensure_ascii=_ascii_only()))
        raise
    return 0


def _run(arguments: argparse.Namespace, terminal: Terminal, opener: OpenRelay) -> None:
    options = generation_options(arguments)
    # Cheap checks come before models are loaded.
    RelayOptions.of(options, where="relaygen run")
    chatting = terminal.interactive and all(getattr(arguments, name) is None for name in ("prompt", "file", "messages"))
    messages: Sequence[Message] = [] if chatting else _messages(arguments)
    system: list[Message] = [] if arguments.system is None else [{"role": "system", "content": arguments.system}]
    if not chatting:
        messages = checked_messages([*system, *messages])
    with opener(arguments, terminal) as relay:
        if chatting:
            _chat(relay, system, options, arguments, terminal)
        else:
            _answer(relay, messages, options, arguments, terminal)


def _messages(arguments: argparse.Namespace) -> Sequence[Message]:
    if arguments.messages is not None:
        return read_messages(arguments.messages)
    if arguments.file is not None:
        text = read_file(arguments.file)
    elif arguments.prompt is not None:
        text = arguments.prompt
        if not text.strip():
            raise MessagesError("PROMPT: it is empty; say something")
    else:
        text = read_stdin()
    return [{"role": "user", "content": text}]


def _chat(
    relay: Relay, system: Sequence[Message], options: dict[str, Any], arguments: argparse.Namespace, terminal: Terminal
) -> None:
    """A turn a line; the history grows by the question and the answer (not by the thinking)."""
    terminal.say("a line is a turn; /new forgets what was said, /quit or Ctrl-D ends")
    history = list(system)
    while True:
        terminal.err.print("> ", end="")
        line = read_stdin_line()
        if line is None or line.strip() in ("/quit", "/exit"):
            return
        if line.strip() == "/new":
            history = list(system)
            continue
        if not line.strip():
            continue
        turn: Message = {"role": "user", "content": line}
        try:
            result = _answer(relay, [*history, turn], options, arguments, terminal)
        except RequestError as error:
            # One turn that cannot be served (too long, say) is no reason to lose the conversation.
            terminal.error(str(error))
            continue
        history += [turn, {"role": "assistant", "content": result.answer}]


def _answer(
    relay: Relay,
    messages: Sequence[Message],
    options: dict[str, Any],
    arguments: argparse.Namespace,
    terminal: Terminal,
) -> RelayResult:
    show, end = _shower(relay, arguments, terminal)
    builder = ResultBuilder()
    try:
        with closing(relay.stream(messages, **options)) as events:
            for event in events:
                builder.add(event)
                show(event)
    finally:
        end()
    result = builder.result()
    _tell_notes(result, arguments, terminal)
    return result


def _shower(
    relay: Relay, arguments: argparse.Namespace, terminal: Terminal
) -> tuple[Callable[[RelayEvent], None], Callable[[], None]]:
    """What is done with each event, and what at the end."""
    if arguments.json:
        ascii_only = _ascii_only()
        return lambda event: terminal.write_line(
            json.dumps(event_as_json(event), ensure_ascii=ascii_only)
        ), lambda: None
    if arguments.show == "all" or (arguments.show is None and terminal.out.is_terminal):
        painter = Painter(terminal.out, relay.profile.cues, plain=terminal.plain)
        return painter.show, painter.end
    return partial(_write_answer, visible=terminal.out.is_terminal), lambda: terminal.write_line("")


def _write_answer(event: RelayEvent, *, visible: bool) -> None:
    """Byte for byte into a file or a pipe; a terminal would obey the control characters in it."""
    if isinstance(event, TextDelta) and event.phase is Phase.ANSWER and not event.markup:
        sys.stdout.write(CONTROL.sub("\N{REPLACEMENT CHARACTER}", event.text) if visible else event.text)
        sys.stdout.flush()


def _tell_notes(result: RelayResult, arguments: argparse.Namespace, terminal: Terminal) -> None:
    notes = [*result.notes]
    if result.degraded:
        notes.append("the small model failed; the large carried on alone")
    for note in notes:
        terminal.note(note)
    if terminal.err.is_terminal and not arguments.json:
        ledger = result.ledger
        share = f"{ledger.small_share:.0%} by the small model"
        line = f"{ledger.tokens} tokens, {share}, {ledger.switches} switches, {ledger.seconds:.2f} s"
        terminal.err.print(Text(line, style="dim"))


def _ascii_only() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
