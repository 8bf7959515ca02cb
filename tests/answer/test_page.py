"""The page on structured output names everything that the code holds or refuses."""

from __future__ import annotations

import re

import pytest

from relaygen_runtime.answer.formats import FORMATS, WITHOUT_MEANING
from relaygen_runtime.answer.keywords import HELD, REFUSED
from tests.docs.generated import DOCS

_PAGE = (DOCS / "structured-output.md").read_text(encoding="utf-8")
_HELD, _REFUSED = re.search(r"## What holds(.*)## What is refused(.*)", _PAGE, re.DOTALL).groups()  # type: ignore[union-attr]


@pytest.mark.parametrize("word", sorted({*HELD, *FORMATS, *WITHOUT_MEANING} - {"uniqueItems", "multipleOf"}))
def test_what_holds_is_named(word: str) -> None:
    assert f"`{word}`" in _HELD


@pytest.mark.parametrize("word", sorted({*REFUSED, "uniqueItems", "multipleOf"}))
def test_what_is_refused_is_named(word: str) -> None:
    assert f"`{word}`" in _REFUSED
