"""The grammar of the command, and the help that teaches it.

Owns commands, flags and examples; a mistake in them is answered in one line that names the nearest valid
spelling. Runs nothing.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from relaygen_runtime import __version__
from relaygen_runtime.cli.arguments import add_generation_arguments, add_pair_arguments
from relaygen_runtime.cli.bench_command import bench
from relaygen_runtime.cli.demo_command import DEFAULT_QUESTION, demo
from relaygen_runtime.cli.profiles_command import list_all, show, validate
from relaygen_runtime.cli.run_command import run

__all__ = ["build_parser", "parse"]

_ROOT_EXAMPLES = """\
examples:
  relaygen demo                                  the embedded pair answers, then what it took
  relaygen run --demo "What is 37 * 24 + 118?"   the answer alone, when piped; the whole trace on a terminal
  relaygen run --large Qwen/Qwen3-32B --small Qwen/Qwen3-1.7B --profile qwen3 --file question.txt
  relaygen bench --demo -n 10                    does relaying pay on this machine?
  relaygen profiles show qwen3                   the cues of a built-in profile

exit codes: 0 done, 1 failed, 2 misused, 130 interrupted, 141 nobody reads the output
"""
_DEMO_EXAMPLES = f"""\
examples:
  relaygen demo
  relaygen demo "What is 83 * 47 - 512?"
  relaygen demo --answerer large --no-color | less

Without a question it asks: {DEFAULT_QUESTION}
Colours tell who wrote what; without colours, [L] and [S] do. A <<cue>> is what handed over.
"""
_RUN_EXAMPLES = """\
examples:
  relaygen run --demo "Compute 37 * 24 + 118."
  relaygen run --demo --file question.txt --json | jq -r 'select(.event == "text_delta").text'
  echo "What is 64 * 82?" | relaygen run --demo
  relaygen run --demo                            a chat: a line is a turn; /new forgets, /quit or Ctrl-D ends
  relaygen run --large DIR --small DIR --profile mine.json --temperature 0 --mode large "..."

On a terminal everything is shown; piped, only the answer (see --show).
--json prints one JSON object a line (docs/events.md).
"""
_BENCH_EXAMPLES = """\
examples:
  relaygen bench --demo
  relaygen bench --demo -n 20 --repeats 5 --json bench.json --markdown bench.md
  relaygen bench --large DIR --small DIR --profile qwen3 --prompts questions.txt

All arms run interleaved, in this process, on the same prompts. The last sentence says which of them pays.
"""
_PROFILES_EXAMPLES = """\
examples:
  relaygen profiles list
  relaygen profiles show qwen3 > mine.json
  relaygen profiles validate mine.json
"""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"relaygen: error: {message}; see '{self.prog} --help'\n")
        raise SystemExit(2)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse, or exit with 2 and one line; help and version exit with 0."""
    parser = build_parser()
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        word = unknown[0]
        named = list(_commands(parser, argv))
        flags = [flag for command in named for flag in command._option_string_actions]
        near = difflib.get_close_matches(word.partition("=")[0], flags, n=1, cutoff=0.6)
        named[-1].error(f"unknown option {word}" + (f"; did you mean {near[0]}?" if near else ""))
    return arguments


def _commands(parser: argparse.ArgumentParser, argv: Sequence[str]) -> Iterator[argparse.ArgumentParser]:
    """The parser, and those of the subcommands that `argv` names."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word in argv:
                if word in action.choices:
                    yield from _commands(action.choices[word], argv)
                    return


def build_parser() -> argparse.ArgumentParser:
    """The whole grammar."""
    parser = _Parser(
        prog="relaygen",
        description="One answer, relayed between a large and a small reasoning model.",
        epilog=_ROOT_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"relaygen {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_demo(commands)
    _add_run(commands)
    _add_bench(commands)
    _add_profiles(commands)
    return parser


if TYPE_CHECKING:
    _Commands: TypeAlias = argparse._SubParsersAction[Any]


def _command(
    commands: _Commands, name: str, summary: str, epilog: str, *, leaf: bool = True
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if leaf:
        command.add_argument("--no-color", action="store_true", help="no colours (as NO_COLOR=1 in the environment)")
        command.add_argument("--debug", action="store_true", help="show where an error came from")
    return command


def _add_demo(commands: _Commands) -> None:
    command = _command(commands, "demo", "the embedded pair answers a question, then what it took", _DEMO_EXAMPLES)
    command.add_argument(
        "question", nargs="?", default=DEFAULT_QUESTION, metavar="QUESTION", help="a sum or a word problem"
    )
    command.add_argument(
        "--repeats",
        type=int,
        default=3,
        metavar="N",
        help="how often the relay and the large model alone are timed (default: 3)",
    )
    command.add_argument("--segments", action="store_true", help="a line of the ledger for every segment")
    add_generation_arguments(command)
    command.set_defaults(command=demo, demo=True)


def _add_run(commands: _Commands) -> None:
    command = _command(commands, "run", "a pair of models answers a prompt, or holds a chat", _RUN_EXAMPLES)
    source = command.add_mutually_exclusive_group()
    source.add_argument("prompt", nargs="?", default=None, metavar="PROMPT", help="the prompt; default: standard input")
    source.add_argument(
        "--file", type=Path, default=None, metavar="FILE", help="read the prompt from a file (- is standard input)"
    )
    source.add_argument(
        "--messages",
        type=Path,
        default=None,
        metavar="FILE",
        help="read a whole history from a JSON file (- is standard input)",
    )
    command.add_argument("--system", default=None, metavar="TEXT", help="a system message before the prompt")
    command.add_argument("--json", action="store_true", help="print the events, one JSON object a line")
    command.add_argument(
        "--show",
        choices=("all", "answer"),
        default=None,
        help="the whole trace or the answer alone; default: all on a terminal",
    )
    add_pair_arguments(command)
    add_generation_arguments(command)
    command.set_defaults(command=run)


def _add_bench(commands: _Commands) -> None:
    command = _command(
        commands, "bench", "measure every arm of a pair on the same prompts, interleaved", _BENCH_EXAMPLES
    )
    command.add_argument("-n", type=int, default=5, metavar="N", help="how many prompts (default: 5)")
    command.add_argument("--repeats", type=int, default=3, metavar="R", help="how often each is measured (default: 3)")
    command.add_argument("--prompts", type=Path, default=None, metavar="FILE", help="prompts of your own, one a line")
    command.add_argument("--json", type=Path, default=None, metavar="FILE", help="write the figures as JSON, too")
    command.add_argument("--markdown", type=Path, default=None, metavar="FILE", help="write the table to a file, too")
    add_pair_arguments(command)
    add_generation_arguments(command)
    command.set_defaults(command=bench)


def _add_profiles(commands: _Commands) -> None:
    command = _command(
        commands, "profiles", "the cue profiles: list, show or validate them", _PROFILES_EXAMPLES, leaf=False
    )
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = _command(actions, "list", "list the built-in profiles", "")
    listing.set_defaults(command=list_all)
    showing = _command(actions, "show", "print a profile as JSON, as 'validate' and --profile read it", "")
    showing.add_argument("profile", metavar="NAME|FILE", help="a built-in profile or a JSON file")
    showing.set_defaults(command=show)
    validating = _command(actions, "validate", "check a profile of your own", "")
    validating.add_argument("file", metavar="FILE", help="a JSON file")
    validating.set_defaults(command=validate)
