"""What an answer has to look like, and how tool calls are read out of it.

Owns the constraint that options state and engines enforce, what it cannot express, and the parsing of calls. Refuses:
models and tokens. Nothing here is ever applied to thinking.
"""
