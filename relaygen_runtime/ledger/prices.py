"""Prices: what a model's tokens, or its GPU's hours, cost. Plain data, no currency conversion.

Two modes per model: dollars per million tokens (read, read from a cache, written), or dollars per GPU-hour times
measured seconds. No price given means that the cost is unknown (None), never 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from relaygen_runtime.errors import ConfigurationError
from relaygen_runtime.vocabulary import Role

__all__ = ["GpuHourPrice", "Price", "Prices", "TokenPrice"]


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Dollars per million tokens.

    Attributes:
        input: Tokens read.
        output: Tokens written.
        cached_input: Tokens read from a cache; None: the same as `input`.
    """

    input: float
    output: float
    cached_input: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached_input"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise ConfigurationError(f"price.{name}: {value} given; a price cannot be negative")

    def cost(self, *, read: int, cached: int, written: int, seconds: float) -> float:  # noqa: ARG002  (one signature for both modes)
        """Dollars for so many tokens; `seconds` plays no part."""
        cached_price = self.input if self.cached_input is None else self.cached_input
        return (read * self.input + cached * cached_price + written * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class GpuHourPrice:
    """Dollars per hour of the hardware that serves the model."""

    dollars_per_hour: float

    def __post_init__(self) -> None:
        if self.dollars_per_hour < 0:
            raise ConfigurationError(
                f"price.dollars_per_hour: {self.dollars_per_hour} given; a price cannot be negative"
            )

    def cost(self, *, read: int, cached: int, written: int, seconds: float) -> float:  # noqa: ARG002  (one signature for both modes)
        """Dollars for so many seconds; token counts play no part."""
        return self.dollars_per_hour * seconds / 3600


Price = TokenPrice | GpuHourPrice


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a pair; a model without one has no cost."""

    large: Price | None = None
    small: Price | None = None

    def of(self, role: Role) -> Price | None:
        """The price of the model in `role`."""
        return self.large if role is Role.LARGE else self.small
