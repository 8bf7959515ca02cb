"""`relaygen profiles`: list the built-in cue profiles, show one as data, validate one of your own."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich import box
from rich.table import Table

from relaygen_runtime.cli.pair import OpenRelay
from relaygen_runtime.cli.terminal import Terminal

__all__ = ["list_all", "show", "validate"]


def list_all(arguments: argparse.Namespace, terminal: Terminal, opener: OpenRelay) -> int:  # noqa: ARG001  (one signature)
    """A line for each built-in profile."""
    from relaygen_runtime.cues.profile import list_profiles, load_profile  # noqa: PLC0415  (pydantic is slow to import)

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("name", "aliases", "cues", "large", "small"):
        table.add_column(column, no_wrap=True)
    for name in list_profiles():
        profile = load_profile(name)
        table.add_row(name, ", ".join(profile.aliases), str(len(profile.cues)), profile.large, profile.small)
    terminal.out.print(table)
    return 0


def show(arguments: argparse.Namespace, terminal: Terminal, opener: OpenRelay) -> int:  # noqa: ARG001  (one signature)
    """The profile as JSON."""
    from relaygen_runtime.cues.profile import load_profile  # noqa: PLC0415  (pydantic is slow to import)

    terminal.write_line(load_profile(arguments.profile).model_dump_json(indent=2))
    return 0


def validate(arguments: argparse.Namespace, terminal: Terminal, opener: OpenRelay) -> int:  # noqa: ARG001  (one signature)
    """Say that the profile is sound, or fail with what is wrong with it."""
    from relaygen_runtime.cues.profile import load_profile  # noqa: PLC0415  (pydantic is slow to import)

    # A bare name must not be taken for a built-in profile here.
    profile = load_profile(str(Path(arguments.file).absolute()))
    terminal.write_line(
        f"{arguments.file}: sound; profile {profile.name} with {len(profile.cues)} cues, match={profile.match}"
    )
    return 0
