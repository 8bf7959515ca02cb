"""The examples run as they stand, on the embedded pair."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("llama_index_*.py")), ids=lambda path: path.stem)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 40


@pytest.mark.usefixtures("demo_llm")
class TestRuns:
    def test_the_rag_example_streams_what_follows_from_the_facts(self, capsys: pytest.CaptureFixture[str]) -> None:
        runpy.run_path(str(EXAMPLES / "llama_index_rag.py"), run_name="__main__")

        assert "918" in capsys.readouterr().out

    # LlamaIndex's workflows read every attribute of an agent when they look for its steps, pydantic's deprecated too.
    @pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning:inspect")
    def test_the_agent_example_calls_its_tool_and_answers(self, capsys: pytest.CaptureFixture[str]) -> None:
        runpy.run_path(str(EXAMPLES / "llama_index_agent.py"), run_name="__main__")
        out = capsys.readouterr().out

        assert "[multiply({'a': 27, 'b': 34}) -> 918]" in out
        assert "918" in out.partition("Answer: ")[2]
