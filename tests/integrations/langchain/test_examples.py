"""The examples run as they stand, are short enough to be read, and do what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from relaygen_runtime import Relay

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMES = sorted(path.name for pattern in ("langchain_*.py", "langgraph_*.py") for path in EXAMPLES.glob(pattern))


def run(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_at_most_forty_lines(name: str) -> None:
    assert len((EXAMPLES / name).read_text("utf-8").splitlines()) <= 40


def test_every_example_is_run_here() -> None:
    source = Path(__file__).read_text("utf-8")

    assert [name for name in NAMES if f'run("{name}"' not in source] == []


def test_the_chain_answers_a_stream_and_a_batch(demo_relay: Relay, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run("langchain_chain.py", capsys).splitlines()

    assert len(lines) == 3
    assert "1006" in lines[0]


def test_the_segments_come_in_their_colours(demo_relay: Relay, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("langchain_stream_segments.py", capsys)

    assert "\033[36m" in shown
    assert "\033[33m" in shown
    assert "small  answer" in shown


def test_the_agent_calls_its_calculator_and_answers(demo_relay: Relay, capsys: pytest.CaptureFixture[str]) -> None:
    *_, answer = run("langchain_agent_tools.py", capsys).strip().splitlines()

    assert "888" in answer


def test_objects_come_out_of_texts(demo_relay: Relay, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("langchain_structured_output.py", capsys)

    assert "Person(name='Anna', age=31)" in shown
    assert "Person(name='Tom', age=8)" in shown


def test_the_graph_goes_round_until_the_model_answers(demo_relay: Relay, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("langgraph_graph.py", capsys)

    assert "Tool Message" in shown
    assert "888" in shown.splitlines()[-1]
