"""What each option means, read from the one place that says it: the docstring of its class.

The command's help and docs/options.md both come from here, so they cannot disagree with the API. Owns the
reading; writes no text of its own.
"""

from __future__ import annotations

import inspect

from relaygen_runtime.options import RelayOptions

__all__ = ["attribute_descriptions", "option_descriptions"]


def option_descriptions() -> dict[str, str]:
    """Name and description of every option, in the docstring's order; empty where docstrings were stripped."""
    return attribute_descriptions(RelayOptions)


def attribute_descriptions(described: type) -> dict[str, str]:
    """The same for the attributes of any class whose docstring has an ``Attributes`` section."""
    document = inspect.cleandoc(described.__doc__ or "")
    _, _, section = document.partition("Attributes:\n")
    descriptions: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        if indent == 4:
            name, _, first = line.strip().partition(": ")
            descriptions[name] = first
        else:
            descriptions[name] += " " + line.strip()
    return descriptions
