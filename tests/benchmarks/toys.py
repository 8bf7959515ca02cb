"""A forced toy pair, built once: it runs on a CPU in a moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.forced.pair import ForcedPair, forced_pair
from benchmarks.forced.settings import Settings
from benchmarks.forced.texts import made_up_traces

TOKENS = 200


@contextmanager
def toy_pair(traces: int = 1, **settings: Any) -> Iterator[ForcedPair]:
    with forced_pair(Settings(tokens=settings.pop("tokens", TOKENS), **settings), made_up_traces(traces, 20)) as pair:
        yield pair
