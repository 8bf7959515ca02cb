"""Where an LLM's relay comes from: a pair that is named and shared, or a relay that the caller holds.

Owns that difference and what follows from it: loading, freeing, pickling. Refuses: a mixture of both.
"""

from __future__ import annotations

from typing import Any

from relaygen_integrations.llama_index.settings import RelaySettings
from relaygen_integrations.pairs import Pair
from relaygen_runtime import ConfigurationError, Relay, RelayOptions

__all__ = ["PicklingError", "Source"]

_NAMES = ("large", "small", "profile", "engine_options", "prices")


class PicklingError(ConfigurationError, TypeError):
    """An object that cannot be pickled because its models are the caller's."""


class Source:
    """Gives the relay of one LLM.

    Args:
        relay: The caller's own; None: the LLM's fields name a pair.
    """

    def __init__(self, relay: Relay | None) -> None:
        self._given = relay

    def check(self, settings: RelaySettings) -> None:
        """Refuse a pair that is not named, or named twice.

        Raises:
            ConfigurationError: Says what is missing or too much.
        """
        kind = type(settings).__name__
        if self._given is not None:
            doubled = [name for name in _NAMES if getattr(settings, name)]
            if doubled:
                raise ConfigurationError(
                    f"{kind}: {', '.join(doubled)} and relay= say the same thing twice; the relay has its own"
                )
            return
        missing = [name for name in ("large", "small", "profile") if not getattr(settings, name)]
        if missing:
            raise ConfigurationError(
                f"{kind}: {', '.join(missing)} not given; name a pair with large=, small= and profile=, hand over a "
                f"relay=, or use {kind}.demo()"
            )

    def is_ready(self, settings: RelaySettings) -> bool:
        """Whether `relay` would not wait for models to be loaded."""
        return self._given is not None or self._pair(settings).is_loaded

    def relay(self, settings: RelaySettings) -> Relay:
        """The relay; loads the models if nobody did yet."""
        if self._given is not None:
            return self._given
        return self._pair(settings).relay(settings.profile or "", prices=settings.prices)

    def options(self, settings: RelaySettings) -> RelayOptions:
        """The options that every call starts from: the relay's own, overlaid by the LLM's."""
        own: dict[str, Any] = {} if self._given is None else self._given._defaults
        return RelayOptions.of({**own, **settings.given_options()}, where=type(settings).__name__)

    def close(self, settings: RelaySettings) -> None:
        """Free the models."""
        if self._given is not None:
            self._given.close()
        else:
            self._pair(settings).close()

    def refuse_pickling(self, kind: str) -> None:
        """Raise if the models are the caller's.

        Raises:
            PicklingError: The relay cannot travel.
        """
        if self._given is not None:
            raise PicklingError(
                f"{kind}: made from a relay= it cannot be pickled, since models do not travel; name the pair with "
                "large=, small= and profile= instead"
            )

    def __copy__(self) -> Source:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Source:
        """A copied LLM writes with the same models."""
        return self

    def _pair(self, settings: RelaySettings) -> Pair:
        return Pair(settings.large or "", settings.small or "", settings.engine_options)
