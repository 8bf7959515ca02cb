"""The pairs of models of this process: each is loaded once, whoever names it.

Owns the registry behind chat models that name a pair (two models and the engine's options): loading on first use, also
when many threads ask at once, sharing, and freeing. Profiles and prices are cheap and belong to who asks. Refuses to
load anything when a pair is only named.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from relaygen_runtime import CueProfile, Engine, Prices, Relay, load_profile

__all__ = ["DEMO_LARGE", "DEMO_PROFILE", "DEMO_SMALL", "Pair", "close_pairs"]

DEMO_LARGE, DEMO_SMALL, DEMO_PROFILE = "relaygen-demo-large", "relaygen-demo-small", "demo"
"""The names under which the embedded pair goes; its folders are found when it is loaded."""


class _Shelf:
    """One pair's place in the registry: its engine, once somebody needed it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.engine: Engine | None = None
        self.cleared = False


_shelves: dict[Hashable, _Shelf] = {}
_registry = threading.Lock()


@dataclass(frozen=True)
class Pair:
    """Two models by name. Naming is free; the models are loaded by the first `relay`.

    Two pairs that name the same models with the same engine options share them, in whatever object they stand.

    Attributes:
        large: Folder or hub name of the large model, or `DEMO_LARGE`.
        small: Folder or hub name of the small model, or `DEMO_SMALL`.
        engine_options: Options of the engine, as `Relay.from_pretrained` takes them.
    """

    large: str
    small: str
    engine_options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_loaded(self) -> bool:
        """Whether the models are in memory, so that `relay` does not wait."""
        with _registry:
            shelf = _shelves.get(self._key())
        return shelf is not None and shelf.engine is not None

    def relay(self, profile: CueProfile | str | Path, *, prices: Prices | None = None) -> Relay:
        """A relay on the shared models, which are loaded now if nobody did yet; a thread that comes meanwhile waits.

        Args:
            profile: A cue profile, or the name or path of one.
            prices: What the models cost.

        Raises:
            ProfileError: The profile cannot be used.
            ModelLoadError: A model cannot be loaded; the next call tries again.
            MissingDependencyError: torch or transformers is not installed.
        """
        checked = profile if isinstance(profile, CueProfile) else load_profile(profile)
        while True:
            with _registry:
                shelf = _shelves.setdefault(self._key(), _Shelf())
            with shelf.lock:
                if shelf.cleared:
                    continue  # closed since it was found
                if shelf.engine is None:
                    shelf.engine = self._load(checked).engine
                return Relay(shelf.engine, checked, prices=prices)

    def close(self) -> None:
        """Free the models, for everybody who named them; whoever calls next loads them anew. Idempotent."""
        with _registry:
            shelf = _shelves.pop(self._key(), None)
        if shelf is not None:
            _close(shelf)

    def _load(self, profile: CueProfile) -> Relay:
        if (self.large, self.small) == (DEMO_LARGE, DEMO_SMALL):
            return Relay.demo(engine_options=self.engine_options)
        return Relay.from_pretrained(self.large, self.small, profile=profile, engine_options=dict(self.engine_options))

    def _key(self) -> Hashable:
        return self.large, self.small, _frozen(self.engine_options)


def close_pairs() -> None:
    """Free every pair that was loaded by name. Idempotent; whoever calls next loads anew."""
    with _registry:
        shelves = list(_shelves.values())
        _shelves.clear()
    for shelf in shelves:
        _close(shelf)


def _close(shelf: _Shelf) -> None:
    with shelf.lock:  # one that is being loaded is closed when it is there
        shelf.cleared = True
        engine, shelf.engine = shelf.engine, None
    if engine is not None:
        engine.close()


class _Same:
    """Stands for an option that cannot be compared: equal to itself alone, and keeps it alive."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._value is self._value

    def __hash__(self) -> int:
        return id(self._value)


def _frozen(value: Any) -> Hashable:
    """An option as a key; ``1`` and ``True`` are different options."""
    if isinstance(value, Mapping):
        return frozenset((name, _frozen(inner)) for name, inner in value.items())
    if isinstance(value, list | tuple):
        return tuple(_frozen(inner) for inner in value)
    if hasattr(value, "to_dict"):  # a quantisation config
        return type(value), _frozen(value.to_dict())
    return (type(value), value) if isinstance(value, Hashable) else _Same(value)
