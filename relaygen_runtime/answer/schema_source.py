"""One JSON schema as it was given: its references, and the places in it that messages name.

Owns the way from ``$ref`` to what it means, within one schema. Refuses references to elsewhere and the plain mistakes
in a keyword's value. Builds no grammar.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import unquote

from relaygen_runtime.answer.keywords import HELD, NOTES, REFUSED
from relaygen_runtime.errors import SchemaError

__all__ = ["SchemaSource", "counts", "refuse", "refuse_beside", "refuse_half", "refuse_keywords", "shown"]

_LARGEST_COUNT = 10**15


def refuse(place: str, problem: str, mend: str) -> NoReturn:
    """Raise `SchemaError`."""
    raise SchemaError(place, problem, mend)


def refuse_half(text: str, place: str) -> None:
    """Refuse a text with half a character (a lone surrogate), which no answer can hold."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        refuse(place, f"{text!a} holds half a character (a lone surrogate)", "write the whole character")


def shown(value: Any) -> str:
    """A value for a message; Python writes no integer of thousands of digits out."""
    try:
        return repr(value)
    except ValueError:
        return "a value with a number of thousands of digits"


class SchemaSource:
    """A schema to look into.

    Args:
        root: The schema.
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    def target(self, reference: Any, place: str) -> tuple[str, Any]:
        """What a reference means.

        Returns:
            The reference's one spelling, and the schema that stands there.

        Raises:
            SchemaError: It leads elsewhere, or nowhere.
        """
        if not isinstance(reference, str):
            refuse(f"{place}.$ref", f"{reference!r} is no reference", 'write one like "#/$defs/Name"')
        if reference != "#" and not reference.startswith("#/"):
            refuse(
                f"{place}.$ref",
                f"{reference!r} leads out of the schema or to an anchor",
                'put the schema under $defs and refer to it as "#/$defs/Name"',
            )
        found: Any = self._root
        steps = [unquote(step).replace("~1", "/").replace("~0", "~") for step in reference.split("/")[1:]]
        for step in steps:
            if isinstance(found, Mapping) and step in found:
                found = found[step]
            elif (
                isinstance(found, Sequence) and not isinstance(found, str) and step.isdigit() and int(step) < len(found)
            ):
                found = found[int(step)]
            else:
                refuse(f"{place}.$ref", f"{reference!r} leads nowhere", "define it under $defs, or correct the name")
        return "/".join(["#", *steps]), found

    def behind(self, schema: Any, place: str) -> Any:
        """The schema itself, behind any references that it consists of."""
        seen: set[str] = set()
        while isinstance(schema, Mapping) and "$ref" in schema:
            name, schema = self.target(schema["$ref"], place)
            if name in seen:
                break
            seen.add(name)
        return schema


def whole(schema: Mapping[str, Any], keyword: str, place: str) -> int | None:
    """The value of a keyword that counts something; None where it is absent."""
    value = schema.get(keyword)
    if value is None:
        return None
    finite = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if isinstance(value, bool) or not finite or value != int(value) or not 0 <= value <= _LARGEST_COUNT:
        refuse(f"{place}.{keyword}", f"{shown(value)} is no whole number from 0 to 10^15", "give one")
    return int(value)


def counts(schema: Mapping[str, Any], least: str, most: str, place: str) -> tuple[int, int | None]:
    """A pair of keywords that count something."""
    low, high = whole(schema, least, place) or 0, whole(schema, most, place)
    if high is not None and low > high:
        refuse(
            f"{place}.{least}",
            f"{low} is more than {most} ({high}), so that nothing fits",
            "lower it or raise the other",
        )
    return low, high


def refuse_keywords(schema: Mapping[str, Any], place: str) -> None:
    """Refuse keywords that are not supported, or misspelt."""
    for name in schema:
        if name in REFUSED:
            refuse(f"{place}.{name}", "it is not supported", REFUSED[name])
        if name not in HELD and name not in NOTES:
            near = difflib.get_close_matches(name, sorted(HELD | REFUSED.keys()), n=1, cutoff=0.85)
            if near:
                refuse(f"{place}.{name}", "no such keyword exists", f"did you mean {near[0]!r}?")


def refuse_beside(schema: Mapping[str, Any], keyword: str, allowed: Sequence[str], place: str) -> None:
    """Refuse what restricts beside a keyword that stands for the whole schema."""
    for name in schema:
        if name in HELD and name not in allowed and name != keyword:
            refuse(f"{place}.{name}", f"it cannot be held beside {keyword}", f"move it into what {keyword} names")
