"""Both models in this process, on PyTorch and transformers: a CPU or one GPU.

Owns the engine whose handoffs cost one forward pass over only what the other model wrote. Importing this package
brings torch; importing `relaygen_runtime` does not.
"""

try:
    import torch  # noqa: F401
    import transformers  # noqa: F401
except ModuleNotFoundError as error:
    from relaygen_runtime.errors import MissingDependencyError

    raise MissingDependencyError(
        f'{error.name} is not installed, and the in-process engine needs it: pip install "relaygen[torch]"'
    ) from error

from relaygen_runtime.engines.transformers.engine import TransformersEngine
from relaygen_runtime.engines.transformers.memory import MemoryEstimate, estimate_memory

__all__ = ["MemoryEstimate", "TransformersEngine", "estimate_memory"]
