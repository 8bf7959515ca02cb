"""The ledger as tables for a person. Owns the layout; all sums are the ledger's own."""

from __future__ import annotations

from rich import box
from rich.table import Table

from relaygen_runtime.cli.painter import ROLE_STYLES
from relaygen_runtime.ledger import Ledger
from relaygen_runtime.vocabulary import Role

__all__ = ["author_table", "segment_table"]


def author_table(ledger: Ledger) -> Table:
    """A line for each author: segments, tokens, share, seconds, tokens a second; then the sum."""
    table = _table("author", "model", "segments", "tokens", "share", "seconds", "tokens/s", left=2)
    for role in (Role.LARGE, Role.SMALL, None):
        own = [entry for entry in ledger.entries if entry.role is role]
        if not own:
            continue
        tokens = ledger.tokens_by(role)
        seconds = sum(entry.seconds for entry in own)
        table.add_row(
            role or "injected",
            own[0].model or "",
            str(len(own)),
            str(tokens),
            f"{tokens / ledger.tokens:.0%}" if ledger.tokens else "",
            f"{seconds:.2f}",
            _speed(tokens, seconds),
            style=ROLE_STYLES[role],
        )
    table.add_section()
    together = (
        str(len(ledger.entries)),
        str(ledger.tokens),
        "",
        f"{ledger.seconds:.2f}",
        _speed(ledger.tokens, ledger.seconds),
    )
    table.add_row("together", "", *together)
    return table


def segment_table(ledger: Ledger) -> Table:
    """A line for each segment: who, phase, tokens, seconds, why it ended, with which cue."""
    table = _table("segment", "author", "phase", "ended by", "cue", "tokens", "seconds", left=5)
    for entry in ledger.entries:
        table.add_row(
            str(entry.index),
            entry.role or "injected",
            entry.phase,
            entry.reason,
            entry.cue or "",
            str(entry.tokens),
            f"{entry.seconds:.3f}",
            style=ROLE_STYLES[entry.role],
        )
    return table


def _table(*columns: str, left: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < left else "right", no_wrap=True)
    return table


def _speed(tokens: int, seconds: float) -> str:
    return f"{tokens / seconds:.0f}" if tokens and seconds > 0 else ""
