"""RelayGen where agents are built: `relaygen_integrations.langchain` and `relaygen_integrations.llama_index`.

Owns the translation between a framework's messages and a `relaygen_runtime.Relay`. Refuses: generating anything itself.
Importing this package imports neither framework.
"""
