"""Which operands training may see: a hash of the unordered pair decides, for good.

Owns: the held-out split and the sampling of operands on either side of it. Refuses: wording.
"""

from __future__ import annotations

import zlib
from random import Random

HELD_OUT_SHARE = 0.10
_FACTORS = tuple(n for n in range(12, 100) if n % 10)


def is_held_out(left: int, right: int) -> bool:
    """Say whether the unordered pair of operands is kept from training."""
    low, high = sorted((left, right))
    return zlib.crc32(f"{low},{high}".encode()) % 1000 < HELD_OUT_SHARE * 1000


def factor_pair(rng: Random, held_out: bool) -> tuple[int, int]:
    """Draw two 2-digit factors, neither a multiple of ten, from one side of the split."""
    while True:
        pair = rng.choice(_FACTORS), rng.choice(_FACTORS)
        if is_held_out(*pair) is held_out:
            return pair


def partner(rng: Random, factor: int, held_out: bool) -> int:
    """Draw a second factor for a given one, from one side of the split."""
    fitting = [n for n in _FACTORS if is_held_out(factor, n) is held_out]
    return rng.choice(fitting)


def long_and_short_factor(rng: Random, held_out: bool) -> tuple[int, int]:
    """Draw a 3-digit factor without round parts and a 1-digit one."""
    while True:
        pair = rng.randrange(1, 10) * 100 + rng.choice(_FACTORS), rng.randrange(3, 10)
        if is_held_out(*pair) is held_out:
            return pair


def three_addends(rng: Random, held_out: bool) -> tuple[int, int, int]:
    """Draw three 3-digit addends; the first two are on one side of the split."""
    while True:
        first, second, third = (rng.randrange(101, 1000) for _ in range(3))
        if is_held_out(first, second) is held_out:
            return first, second, third


def two_terms(rng: Random, sign: str, held_out: bool) -> tuple[int, int]:
    """Draw two numbers of two to four digits, from one side of the split; a difference is positive."""
    while True:
        x, y = (rng.randrange(11, rng.choice((100, 1000, 1000, 5000))) for _ in range(2))
        if sign == "-" and x <= y:
            continue
        if is_held_out(x, y) is held_out:
            return x, y


def three_digits_below(rng: Random, limit: int) -> int:
    """Draw a 3-digit number that is smaller than the limit (2-digit where none is)."""
    return rng.randrange(100, min(1000, limit)) if limit > 101 else rng.randrange(10, limit)
