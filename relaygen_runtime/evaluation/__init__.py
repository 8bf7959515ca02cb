"""Accuracy and latency of a relay against its two models alone. Measures; decides nothing."""
