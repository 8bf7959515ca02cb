"""`ChatRelayGen`: a LangChain chat model whose answers two models write."""
