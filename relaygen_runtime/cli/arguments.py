"""The arguments that several commands share: which pair, and how to generate.

Owns their spelling, and the way back from parsed arguments to the options of a `Relay`. What an option means is
said by `RelayOptions` and only repeated here; values are checked there, too.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from relaygen_runtime.cli.input_text import read_object, read_tools
from relaygen_runtime.cli.option_help import option_descriptions

__all__ = ["add_generation_arguments", "add_pair_arguments", "generation_options"]

_NUMBERS: dict[str, type] = {
    "max_tokens": int,
    "max_thinking_tokens": int,
    "answer_reserve": int,
    "min_large_tokens": int,
    "max_small_tokens": int,
    "temperature": float,
    "top_p": float,
    "top_k": int,
    "min_p": float,
    "seed": int,
    "presence_penalty": float,
    "repetition_penalty": float,
}
_CHOICES = {"answerer": ("small", "large", "auto"), "mode": ("relay", "large", "small")}
_SWITCHES = {
    "speculation": "--speculation",
    "enable_thinking": "--thinking",
    "loop_guard": "--loop-guard",
    "parallel_tool_calls": "--parallel-tool-calls",
}


def add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    """Which two models, and where they run."""
    group = parser.add_argument_group("the pair (the embedded one, or two of your own)")
    group.add_argument("--demo", action="store_true", help="the embedded pair: it does sums, and little else")
    group.add_argument("--large", metavar="MODEL", help="folder or hub name of the large model")
    group.add_argument("--small", metavar="MODEL", help="folder or hub name of the small model")
    group.add_argument(
        "--profile",
        metavar="NAME|FILE",
        help="the pair's cue profile: a name (see 'relaygen profiles list'), or a JSON file",
    )
    group.add_argument(
        "--device", metavar="DEVICE", help="where both run, e.g. cpu or cuda; default: the engine decides"
    )
    group.add_argument("--dtype", metavar="TYPE", help="e.g. float32 or bfloat16; default: the engine decides")


def add_generation_arguments(parser: argparse.ArgumentParser) -> None:
    """How one answer is written."""
    described = {name: text.replace("``", "").replace("%", "%%") for name, text in option_descriptions().items()}
    group = parser.add_argument_group("generation")
    for name, choices in _CHOICES.items():
        group.add_argument(_flag(name), choices=choices, default=None, help=described.get(name))
    for name, number in _NUMBERS.items():
        metavar = "N" if number is int else "X"
        group.add_argument(_flag(name), type=number, default=None, metavar=metavar, help=described.get(name))
    group.add_argument(
        "--stop",
        action="append",
        default=None,
        metavar="TEXT",
        help=f"{described.get('stop', '')} May be given several times.",
    )
    for name, flag in _SWITCHES.items():
        group.add_argument(
            flag, dest=name, action=argparse.BooleanOptionalAction, default=None, help=described.get(name)
        )
    group.add_argument("--tools", type=Path, default=None, metavar="FILE", help="JSON file with a list of tool schemas")
    group.add_argument("--tool-choice", default=None, metavar="CHOICE", help=described.get("tool_choice"))
    group.add_argument(
        "--response-format",
        type=Path,
        default=None,
        metavar="FILE",
        help=f"JSON file. {described.get('response_format', '')}",
    )


def generation_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, under the names of `RelayOptions`; those not given keep their defaults there.

    Raises:
        RequestError: A file of tools or of a response format is not what it should be.
        OSError: It cannot be read.
    """
    names = (*_CHOICES, *_NUMBERS, "stop", "tool_choice", *_SWITCHES)
    options = {name: value for name in names if (value := getattr(arguments, name, None)) is not None}
    if arguments.tools is not None:
        options["tools"] = read_tools(arguments.tools)
    if arguments.response_format is not None:
        options["response_format"] = read_object(arguments.response_format)
    return options


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
