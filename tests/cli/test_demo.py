"""`relaygen demo`: the answer, the ledger, the stopwatch."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from relaygen_runtime import ConfigurationError
from relaygen_runtime.cli.entry import main
from relaygen_runtime.cli.measure import Comparison, compare
from tests.cli.scripted_pair import scripted_opener
from tests.relay.scripts import scripted

Captured = pytest.CaptureFixture[str]


def test_it_shows_question_trace_ledger_and_speedup_without_colours(capsys: Captured) -> None:
    opener, _ = scripted_opener()

    assert main(["demo", "What is 3 * 4?", "--repeats", "2"], opener=opener) == 0

    out = capsys.readouterr().out
    assert "[L] large (scripted-large)" in out
    assert "Q: What is 3 * 4?" in out
    assert "<<So,>> [S] it is 12." in out
    assert re.search(r"^ *small +scripted-small +2 +\d+ ", out, re.MULTILINE)
    assert "Measured now (median of 2, interleaved)" in out
    assert re.search(r"Speed-up per token: \d+\.\d\dx\. Saving: ", out)
    assert "\x1b" not in out


def test_the_large_model_alone_is_measured_without_speculation_turn_by_turn() -> None:
    opener, asked = scripted_opener()

    main(["demo", "--repeats", "2", "--temperature", "0"], opener=opener)

    solo = [run for engine in asked.engines for run in engine.runs]
    assert solo, "nothing was asked"
    relay, engine = scripted(["It is 12.\n</think>\n\n", "Twelve."], ["Twelve."])
    comparison = compare(relay, "?", {"temperature": 0.0}, repeats=2)
    authors = [str(run.author) for run in engine.runs]
    assert authors == ["large", "small", "large", "large"] * 2
    assert comparison.repeats == 2


def test_segments_prints_a_line_for_each(capsys: Captured) -> None:
    opener, _ = scripted_opener()

    main(["demo", "--segments", "--repeats", "1"], opener=opener)

    out = capsys.readouterr().out
    assert re.search(r"^ *0 +large +thinking +cue +So, ", out, re.MULTILINE)
    assert re.search(r"^ *1 +small +thinking +sentence_end ", out, re.MULTILINE)


def test_colours_tell_the_author_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("relaygen_runtime.cli.terminal._console", lambda *_: colour_console(stream))
    opener, _ = scripted_opener()

    main(["demo", "--repeats", "1"], opener=opener)

    out = stream.getvalue()
    assert "\x1b[2;36m" in out, "dim cyan: thinking of the large model"
    assert "\x1b[2;33m" in out, "dim yellow: thinking of the small model"
    assert "\x1b[1;33m" in out, "bold yellow: the answer by the small model"
    assert "[L]" not in out
    assert "<<" not in out


def colour_console(stream: io.StringIO) -> Console:
    return Console(file=stream, color_system="standard", force_terminal=True, markup=False, highlight=False, width=100)


def test_a_comparison_is_per_token_because_answers_differ_in_length() -> None:
    figures = Comparison(repeats=3, relay_tokens=100, relay_s=1.0, large_tokens=200, large_s=4.0)

    assert figures.speedup == pytest.approx(2.0)
    assert figures.saved_share == pytest.approx(0.5)
    assert figures.saved_s == pytest.approx(1.0)


def test_a_comparison_needs_a_repeat() -> None:
    relay, _ = scripted(["a"], ["b"])

    with pytest.raises(ConfigurationError, match="repeats"):
        compare(relay, "?", {}, repeats=0)


@pytest.mark.parametrize(("arguments", "words"), [(["--repeats", "0"], "--repeats"), ([" "], "QUESTION: it is empty")])
def test_misuse_is_refused_before_models_are_loaded(arguments: list[str], words: str, capsys: Captured) -> None:
    opener, asked = scripted_opener()

    assert main(["demo", *arguments], opener=opener) == 2

    assert words in capsys.readouterr().err
    assert asked.arguments == []
