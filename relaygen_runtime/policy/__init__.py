"""When to switch: a step machine without input, output, clock or randomness, on the standard library alone."""
