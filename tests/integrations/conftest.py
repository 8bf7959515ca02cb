"""What the tests of both integrations share: the embedded pair, loaded once by the registry and freed at the end."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from relaygen_integrations.pairs import DEMO_LARGE, DEMO_PROFILE, DEMO_SMALL, Pair, close_pairs
from relaygen_runtime import Relay


@pytest.fixture(scope="session")
def demo_relay() -> Iterator[Relay]:
    """A relay on the embedded pair, the one that chat models named ``demo()`` use too."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    yield Pair(DEMO_LARGE, DEMO_SMALL).relay(DEMO_PROFILE)
    close_pairs()
