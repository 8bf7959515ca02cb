"""The embedded pair, loaded once, for the tests that want real models behind the relay."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from relaygen_runtime import Relay
from relaygen_runtime.demo import pair_paths


@pytest.fixture(scope="session")
def demo_relay() -> Iterator[Relay]:
    """A relay on the embedded pair; skips where the pair or torch is missing."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    try:
        pair_paths()
    except FileNotFoundError as error:
        pytest.skip(f"the embedded pair is not here: {error}")
    with Relay.demo(temperature=0.0) as relay:
        yield relay
