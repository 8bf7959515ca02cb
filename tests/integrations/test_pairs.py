"""The registry: a pair that many name is loaded once, shared, freed for all, and loaded again when it is needed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from relaygen_integrations import pairs
from relaygen_integrations.pairs import Pair, close_pairs
from relaygen_runtime import ModelLoadError, Prices, ProfileError, Relay, ScriptedEngine, TokenPrice


class Loader:
    """Stands where models are read from disk: a scripted engine for every load, and a note of it."""

    def __init__(self) -> None:
        self.engines: list[ClosableEngine] = []
        self.may_go = threading.Event()
        self.may_go.set()
        self.fails = False

    def __call__(self, large: str, small: str, *, profile: Any, **_: Any) -> Relay:
        self.may_go.wait()
        if self.fails:
            raise ModelLoadError(f"{large}: no such model")
        self.engines.append(ClosableEngine(["1"], ["2"]))
        return Relay(self.engines[-1], profile)


class ClosableEngine(ScriptedEngine):
    closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    loader = Loader()
    monkeypatch.setattr(Relay, "from_pretrained", loader)
    monkeypatch.setattr(pairs, "_shelves", {})  # closing all pairs here closes none of other tests
    return loader


def test_naming_a_pair_loads_nothing(loader: Loader) -> None:
    pair = Pair("large", "small")

    assert not pair.is_loaded
    assert loader.engines == []


def test_two_who_name_the_same_pair_share_its_models(loader: Loader) -> None:
    first = Pair("large", "small").relay("demo")
    second = Pair("large", "small").relay("qwen3")

    assert first.engine is second.engine
    assert first.profile != second.profile
    assert Pair("large", "small").is_loaded


def test_prices_belong_to_who_asks_and_not_to_the_pair(loader: Loader) -> None:
    prices = Prices(large=TokenPrice(1, 2))
    dear, unpriced = Pair("large", "small").relay("demo", prices=prices), Pair("large", "small").relay("demo")

    assert (dear.prices, unpriced.prices) == (prices, Prices())


@pytest.mark.parametrize(
    "other",
    [
        Pair("larger", "small"),
        Pair("large", "smaller"),
        Pair("large", "small", {"device": "cpu"}),
        Pair("large", "small", {"device_map": {"": 0}}),
        Pair("large", "small", {"speculation": 1}),
    ],
)
def test_what_differs_in_a_name_or_an_option_is_another_pair(loader: Loader, other: Pair) -> None:
    plain = Pair("large", "small", {"speculation": True}).relay("demo")

    assert other.relay("demo").engine is not plain.engine


def test_equal_options_are_the_same_pair_in_whatever_order_they_stand(loader: Loader) -> None:
    first = Pair("large", "small", {"device_map": {"a": [0], "b": 1}, "tune": False}).relay("demo")
    second = Pair("large", "small", {"tune": False, "device_map": {"b": 1, "a": [0]}}).relay("demo")

    assert first.engine is second.engine


def test_an_option_that_cannot_be_compared_is_the_same_only_as_itself(loader: Loader) -> None:
    odd, odder = bytearray(b"?"), bytearray(b"?")
    first = Pair("large", "small", {"dtype": odd}).relay("demo")

    assert Pair("large", "small", {"dtype": odd}).relay("demo").engine is first.engine
    assert Pair("large", "small", {"dtype": odder}).relay("demo").engine is not first.engine


def test_many_threads_that_ask_at_once_load_the_models_once(loader: Loader) -> None:
    loader.may_go.clear()
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(Pair("large", "small").relay, "demo") for _ in range(8)]
        loader.may_go.set()

    assert len({id(future.result().engine) for future in asked}) == 1
    assert len(loader.engines) == 1


def test_a_pair_that_is_closed_is_closed_for_all_and_loads_anew_for_the_next(loader: Loader) -> None:
    pair = Pair("large", "small")
    before = pair.relay("demo")
    Pair("large", "small").close()

    assert loader.engines[0].closed
    assert not pair.is_loaded
    assert pair.relay("demo").engine is not before.engine


def test_closing_twice_or_before_anything_was_loaded_does_no_harm(loader: Loader) -> None:
    pair = Pair("large", "small")
    pair.close()
    pair.relay("demo")
    pair.close()
    pair.close()

    assert len(loader.engines) == 1


def test_a_pair_that_is_closed_while_it_loads_is_freed_when_it_is_there(loader: Loader) -> None:
    loader.may_go.clear()
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(Pair("large", "small").relay, "demo")
        closing = pool.submit(close_pairs)
        loader.may_go.set()
        asked.result()
        closing.result()
    close_pairs()

    assert all(engine.closed for engine in loader.engines)


def test_a_load_that_failed_is_tried_again_by_the_next_call(loader: Loader) -> None:
    loader.fails = True
    with pytest.raises(ModelLoadError, match="no such model"):
        Pair("large", "small").relay("demo")
    loader.fails = False

    assert Pair("large", "small").relay("demo").engine is loader.engines[0]


def test_a_profile_that_cannot_be_used_is_refused_before_the_models_are_read(loader: Loader) -> None:
    with pytest.raises(ProfileError):
        Pair("large", "small").relay("no-such-profile")

    assert loader.engines == []
