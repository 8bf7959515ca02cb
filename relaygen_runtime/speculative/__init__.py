"""Draft and verify: speculative decoding as short pure functions on tensors.

Owns the mathematics of Leviathan et al. (arXiv 2211.17192) and Chen et al. (arXiv 2302.01318): which drafted tokens
stand, and what is drawn after them. Holds no model, no cache, no random state: noise comes in as an argument. Needs
torch, so nothing outside the engines imports it.
"""

from relaygen_runtime.speculative.accept import Verdict, accept_greedy, accept_sampled
from relaygen_runtime.speculative.draw import draw

__all__ = ["Verdict", "accept_greedy", "accept_sampled", "draw"]
