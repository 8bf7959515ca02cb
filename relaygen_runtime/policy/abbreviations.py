"""Abbreviations whose full stop does not end a sentence, as data.

Three kinds, because some are also ordinary words or may stand at a sentence's end. English, as mathematical and
technical prose uses it; spelled in lower case, without the last full stop.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ALWAYS", "BEFORE_DIGIT", "BEFORE_LOWER"]

# fmt: off
ALWAYS: Final = frozenset((
    "e.g", "eg", "i.e", "ie", "cf", "vs", "viz", "fig", "figs", "eq", "eqs", "eqn", "eqns", "approx", "resp",
    "mr", "mrs", "ms", "dr", "prof", "st", "thm", "lem", "prop", "defn", "def", "cor", "ex", "exs", "ref", "refs",
    "ca", "w.r.t", "wrt", "w.l.o.g", "s.t", "a.k.a",
))
"""What follows always belongs to the sentence."""

BEFORE_DIGIT: Final = frozenset(("no", "nos", "p", "pp", "ch", "sec", "sect", "vol", "art", "app", "nr"))
"""Only a number that follows makes them one: "No. 5", but "The answer is no. Then"."""

BEFORE_LOWER: Final = frozenset((
    "etc", "al", "a.m", "p.m", "u.s", "u.k", "ph.d", "jr", "sr", "inc", "ltd", "co", "incl",
))
"""They may end a sentence too: what follows in lower case goes on."""
