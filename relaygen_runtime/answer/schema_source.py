"""One JSON schema as it was given: its references, and the places in it that messages name.

Owns the way from ``$ref`` to what it means, within one schema. Refuses references to elsewhere and the plain mistakes
in a keyword's value. Builds no grammar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import unquote

from relaygen_runtime.errors import SchemaError

__all__ = ["SchemaSource", "refuse"]


def refuse(place: str, problem: str, mend: str) -> NoReturn:
    """Raise `SchemaError`."""
    raise SchemaError(place, problem, mend)


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
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < 0:
        refuse(f"{place}.{keyword}", f"{value!r} is no whole number from 0", "give one")
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
