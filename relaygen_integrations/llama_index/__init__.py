"""`RelayGenLLM`: a LlamaIndex language model whose answers two models write.

Importing it brings llama-index-core, and neither torch nor any model.
"""

from importlib.util import find_spec

from relaygen_runtime.errors import MissingDependencyError

if find_spec("llama_index") is None or find_spec("llama_index.core") is None:
    raise MissingDependencyError(
        'relaygen_integrations.llama_index needs llama-index-core: pip install "relaygen[llama-index]"'
    )

from relaygen_integrations.llama_index.instrumentation import RelayFinish, RelaySegmentEnd, RelaySegmentStart
from relaygen_integrations.llama_index.llm import RelayGenLLM

__all__ = ["RelayFinish", "RelayGenLLM", "RelaySegmentEnd", "RelaySegmentStart"]
