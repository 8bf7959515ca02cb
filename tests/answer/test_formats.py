"""Formats: everyday texts of each may be written, and what is written is valid by others' reading."""

from __future__ import annotations

import datetime
import ipaddress
import json
from typing import Any

import pytest
from pydantic import AnyUrl, TypeAdapter

pytest.importorskip("xgrammar")
pytest.importorskip("transformers")

from relaygen_runtime.answer.formats import FORMATS
from relaygen_runtime.answer.patterns import read_pattern
from relaygen_runtime.answer.schema_check import check_schema
from relaygen_runtime.answer.schema_grammar import schema_grammar
from tests.answer.walks import accepts, of_grammar, walk

VALID = {
    "hostname": ["localhost", "example.com", "WWW.Example.ORG", "a-b-c-d.example", f"{'a' * 63}.museum", "1.2.3.com"],
    "email": [
        "anna@example.com",
        "first.last+tag@mail.example.co.uk",
        "A_B-c@Example.COM",
        f"{'a' * 22}@{'b' * 57}.org",
    ],
    "uri": [
        "https://example.com",
        "http://localhost:8000/docs",
        "https://127.0.0.1:65535/",
        "https://example.com:10443/a%20b?q=%E6%BC%A2%E5%AD%97&x=1#top",
        f"https://{'a' * 63}.example.com/",
        "mailto:anna@example.com?subject=a%20b",
        "urn:isbn:0451450523",
    ],
    "duration": ["P1Y", "P3M", "P1Y2M3D", "P1Y6M", "P2W", "P10D", "PT0.5S", "PT1H30M", "P1DT12H", "P1Y2M3DT4H5M6.25S"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
    "ipv6": ["2001:DB8::1", "::1", "fe80::1"],
}
INVALID = {
    "hostname": ["-a.com", "a-.com", "a..com", "example.", f"{'a' * 64}.com", "a_b.com", "1.2.3.4", "xn--a.com"],
    "email": ["anna", "anna@", "@example.com", "a..b@example.com", ".a@example.com", "a@localhost", "a b@example.com"],
    "uri": [
        "example.com",
        "https://",
        "https://example.com:65536/",
        "https://example.com:99999/",
        "https://example.com:0/",
        "https://example.com/a%2",
        "https://example.com/%zz",
        "https://example.com/a b",
    ],
    "duration": ["P", "PT", "P1Y3D", "P1H", "P1YT", "P1W2D", "PT1H5S", "PT.5S", "PT0.5M", "P0.5D", "1Y"],
    "uuid": ["123e4567e89b12d3a456426614174000"],
    "ipv6": ["2001::db8::1", "12345::"],
}


def _read(name: str, text: str) -> Any:
    """The text as others read it; raises where it is not valid."""
    if name == "ipv6":
        return ipaddress.IPv6Address(text)
    return TypeAdapter[Any]({"uri": AnyUrl, "duration": datetime.timedelta}[name]).validate_python(text)


def allowed(name: str, texts: list[str]) -> list[str]:
    grammar = of_grammar(schema_grammar({"type": "string", "format": name}, "schema")[0])
    return [text for text in texts if accepts(grammar, json.dumps(text))]


@pytest.mark.parametrize("name", VALID)
def test_everyday_texts_of_a_format_may_be_written(name: str) -> None:
    assert allowed(name, VALID[name]) == VALID[name]


@pytest.mark.parametrize("name", INVALID)
def test_what_is_not_of_the_format_may_not(name: str) -> None:
    assert allowed(name, INVALID[name]) == []


@pytest.mark.parametrize("name", ["uri", "duration", "ipv6"])
def test_whatever_is_written_is_read_by_others(name: str) -> None:
    grammar = of_grammar(schema_grammar({"type": "string", "format": name}, "schema")[0])

    texts = [text for seed in range(20) if (text := walk(grammar, seed, most=2000)) is not None]

    assert texts
    for text in texts:
        assert _read(name, json.loads(text)) is not None


@pytest.mark.parametrize(("name", "most"), [("email", 254), ("email", 255), ("hostname", 253), ("uri", 2083)])
def test_the_length_that_a_format_has_anyway_may_stand_beside_it(name: str, most: int) -> None:
    check_schema({"type": "string", "format": name, "maxLength": most}, "schema")

    high = read_pattern(f"^({FORMATS[name]})$").high
    assert high is not None
    assert high <= most
