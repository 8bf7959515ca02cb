"""The benchmark of the policy runs and reports; its figures are not judged here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.policy import main


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    text = "<think>\n" + "Hm, it is so. So, x is 5. Now, y is 7 and there we are. " * 9 + "</think>\n\nTwo."
    line = json.dumps({"text": text})
    (tmp_path / "qwen3-32b-aime25-traces.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    return tmp_path


def test_it_prints_a_table_and_writes_json(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = traces / "out.json"
    assert main(["--traces", str(traces), "--repeats", "2", "--long", "40", "--short", "20", "--json", str(out)]) == 0
    assert "| all 2 traces" in capsys.readouterr().out
    assert json.loads(out.read_text(encoding="utf-8"))["figures"]["all"]["mean"] > 0


@pytest.mark.parametrize("arguments", [["--traces", "/nowhere"], ["--long", "1"], ["--repeats", "0"]])
def test_it_refuses_what_cannot_be_measured(arguments: list[str], traces: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--traces", str(traces), *arguments])
    assert stopped.value.code == 2
