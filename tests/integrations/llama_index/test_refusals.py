"""What a relay cannot hold an answer to is refused through LlamaIndex too, before anything is written."""

from __future__ import annotations

import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from relaygen_runtime import SchemaError, ToolChoiceError
from tests.integrations.llama_index.scripts import QUESTION, saying


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Unheld(BaseModel):
    marks: set[int]


def test_a_schema_that_cannot_be_held() -> None:
    llm, engine = saying("Hello.")

    with pytest.raises(SchemaError, match="uniqueItems"):
        llm.structured_predict(Unheld, PromptTemplate("?"))
    with pytest.raises(ValueError, match="uniqueItems"):
        llm.as_structured_llm(Unheld).chat([ChatMessage("?")])
    assert engine.requests == []


def test_a_choice_that_names_no_tool() -> None:
    llm, engine = saying("Hello.")

    with pytest.raises(ToolChoiceError, match="multiply"):
        llm.chat_with_tools([FunctionTool.from_defaults(add)], "?", tool_choice="multiply")
    assert engine.requests == []


def test_a_format_that_is_none() -> None:
    llm, engine = saying("Hello.")

    with pytest.raises(ValueError, match="response_format"):
        llm.chat(QUESTION, response_format={"type": "yaml"})
    assert engine.requests == []
