"""What every test shares: property tests without a stopwatch, so that a busy machine fails none of them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("steady", deadline=None)
settings.load_profile("steady")
