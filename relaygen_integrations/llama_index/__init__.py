"""`RelayGenLLM`: a LlamaIndex language model whose answers two models write."""
