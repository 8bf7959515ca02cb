"""What each JSON Schema keyword is to the grammar: a note, a rule that holds, or a refusal with its mend.

Owns the lists. A keyword of any draft that asserts something is either held or refused; a keyword that no draft knows
is a note, unless it looks like a misspelling of one.
"""

from __future__ import annotations

from typing import Final

__all__ = ["HELD", "KEYWORDS_OF", "NOTES", "REFUSED", "TYPES"]

TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")

KEYWORDS_OF: Final = {
    "object": (
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
    ),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""The keywords that say something about one type, and nothing about the others."""

HELD: Final = frozenset(
    {
        "type",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        *(name for names in KEYWORDS_OF.values() for name in names),
    }
)
"""What the grammar holds, within the limits that reading it may find."""

NOTES: Final = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$id",
        "$schema",
        "$vocabulary",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "discriminator",
        "example",
        "examples",
        "externalDocs",
        "id",
        "nullable",
        "readOnly",
        "strict",
        "title",
        "writeOnly",
        "xml",
    }
)
"""What restricts nothing."""

_CASES: Final = "use anyOf with one object for each case"

REFUSED: Final = {
    "not": "say what is allowed instead, with enum or anyOf",
    "if": _CASES,
    "then": _CASES,
    "else": _CASES,
    "dependentRequired": _CASES,
    "dependentSchemas": _CASES,
    "dependencies": _CASES,
    "contains": "describe the items that matter with prefixItems, or check them afterwards",
    "minContains": "check it afterwards",
    "maxContains": "check it afterwards",
    "unevaluatedProperties": "use additionalProperties",
    "unevaluatedItems": "use items",
    "additionalItems": "use prefixItems for the first items and items for the rest",
    "extends": "use $ref, or write the properties out",
    "disallow": "say what is allowed instead, with type or anyOf",
    "divisibleBy": "leave it out and check it afterwards",
    "$dynamicRef": "use $ref",
    "$recursiveRef": "use $ref",
}
"""What cannot be held, and what to do instead."""
