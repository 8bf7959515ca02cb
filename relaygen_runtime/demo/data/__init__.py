"""Seeded training conversations for the embedded pair.

Owns: what the pair is taught, as text. Refuses: tokens, tensors and models.
"""
