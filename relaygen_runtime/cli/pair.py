"""Opens the pair that the arguments name, with a word on stderr while the models load.

Owns the choice between the embedded pair and two models of the user's, and keeps model libraries from writing
their own progress. Refuses half a pair.
"""

from __future__ import annotations

import argparse
import os
from typing import Any, Protocol

from relaygen_runtime.cli.terminal import Terminal
from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.relay import Relay

__all__ = ["OpenRelay", "open_relay"]


class OpenRelay(Protocol):
    """Opens a pair of models."""

    def __call__(self, arguments: argparse.Namespace, terminal: Terminal, **defaults: Any) -> Relay:
        """The pair that `arguments` name, with options that every call starts from."""
        ...


def open_relay(arguments: argparse.Namespace, terminal: Terminal, **defaults: Any) -> Relay:
    """Load the embedded pair, or the two models that were named.

    Raises:
        ConfigurationError: Half a pair, both kinds of pair, or models without a profile.
        RelayGenError: The pair cannot be loaded.
    """
    _refuse_half_a_pair(arguments)
    # Both libraries draw bars of their own on stderr, and tell of every retry; one line of ours is enough.
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_VERBOSITY", "error")
    os.environ.setdefault("TQDM_DISABLE", "1")
    engine_options = {
        name: value for name in ("device", "dtype") if (value := getattr(arguments, name, None)) is not None
    }
    what = "the embedded pair" if arguments.demo else f"{arguments.large} and {arguments.small}"
    with terminal.err.status(f"Loading {what} ..."):
        if arguments.demo:
            return Relay.demo(engine_options=engine_options, **defaults)
        return Relay.from_pretrained(
            arguments.large, arguments.small, profile=arguments.profile, engine_options=engine_options, **defaults
        )


def _refuse_half_a_pair(arguments: argparse.Namespace) -> None:
    given = [f"--{name}" for name in ("large", "small", "profile") if getattr(arguments, name, None)]
    if arguments.demo:
        if given:
            raise ConfigurationError(
                f"--demo and {given[0]}: the embedded pair brings its own models and profile; give one or the other"
            )
        return
    missing = [flag for flag in ("--large", "--small", "--profile") if flag not in given]
    if missing:
        raise ConfigurationError(
            f"{missing[0]} is missing: name --large, --small and --profile, or take the embedded one (--demo)"
        )
