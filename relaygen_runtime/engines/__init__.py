"""Who writes the tokens: the protocol, and the engines that meet it.

Imports no engine: each brings its own libraries.
"""
