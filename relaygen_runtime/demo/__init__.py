"""The embedded pair: two small models trained by this package, for demonstrations and tests.

Owns: the pair's files, and the scripts that made them. Refuses: general knowledge; the two models
do sums, call tools and little else. Importing this loads neither torch nor transformers.
"""

from __future__ import annotations

from relaygen_runtime.demo.pair import PairPaths, pair_paths

__all__ = ["PairPaths", "pair_paths"]
