"""What pydantic writes for everyday models holds; the two of its rules that no grammar holds are refused."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, HttpUrl, TypeAdapter, create_model

from relaygen_runtime import SchemaError
from relaygen_runtime.answer.schema_check import check_schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    x: int
    y: float | None = None


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


@pytest.mark.parametrize(
    "kind",
    [
        int | None,
        Literal["a", 1],
        Colour,
        Inner,
        list[Inner],
        dict[str, Inner],
        dict[Literal["a", "b"], int],
        tuple[int, str],
        tuple[int, ...],
        datetime.datetime,
        datetime.date,
        datetime.time,
        datetime.timedelta,
        decimal.Decimal,
        HttpUrl,
        uuid.UUID,
        bytes,
        Any,
        Cat | Dog,
        Annotated[Cat | Dog, Field(discriminator="kind")],
        Annotated[str, Field(min_length=1, max_length=5)],
        Annotated[str, Field(pattern="^[a-z]+$")],
        Annotated[int, Field(ge=1, lt=5, description="few", examples=[3])],
    ],
    ids=str,
)
def test_the_schema_of_an_everyday_field_holds(kind: Any) -> None:
    check_schema(create_model("Model", field=(kind, ...)).model_json_schema(), "schema")


@pytest.mark.parametrize(
    ("kind", "keyword"), [(set[int], "uniqueItems"), (Annotated[int, Field(multiple_of=5)], "multipleOf")], ids=str
)
def test_what_no_grammar_holds_is_refused(kind: Any, keyword: str) -> None:
    with pytest.raises(SchemaError, match=keyword):
        check_schema(TypeAdapter(kind).json_schema(), "schema")
