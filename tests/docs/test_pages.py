"""The documentation agrees with the code: generated parts are fresh, links lead somewhere, examples run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from relaygen_runtime import CueProfile
from relaygen_runtime.event_json import event_as_json
from tests.docs.generated import DOCS, PAGES, fill
from tests.relay.scripts import scripted

ROOT = DOCS.parent
ALL = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md")])


def squeezed(text: str) -> str:
    # Versions of argparse break and indent lines differently; the words are what counts.
    return " ".join(text.split())


@pytest.mark.parametrize("page", PAGES)
def test_generated_parts_are_fresh(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")

    assert squeezed(fill(page, text)) == squeezed(text), "run `make docs` and commit what it writes"


def test_a_page_that_lost_a_block_is_noticed() -> None:
    with pytest.raises(KeyError, match="no block for options"):
        fill("options.md", "# Options\n")


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    broken = [
        target
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
        if "://" not in target and not (page.parent / target).exists()
    ]

    assert broken == []


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_examples_compile(page: Path) -> None:
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)):
        compile(code, f"{page.name} example {number}", "exec", flags=0x2000)  # top-level await is fine in examples


def test_the_scripted_example_runs_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = [
        code
        for code in re.findall(r"```python\n(.*?)```", (DOCS / "engines.md").read_text(encoding="utf-8"), re.DOTALL)
        if "ScriptedEngine(" in code
    ]

    exec(example, {})  # noqa: S102  (our own documentation)

    assert capsys.readouterr().out == "The answer is 12.\n"


def test_the_example_of_a_profile_is_a_sound_one() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", (DOCS / "profiles.md").read_text(encoding="utf-8"), re.DOTALL)

    assert CueProfile.model_validate_json(example).cues


def test_the_json_lines_page_names_every_key_that_is_printed() -> None:
    page = (DOCS / "events.md").read_text(encoding="utf-8")
    relay, _ = scripted(["First multiply both of the numbers. So,", " Done.\n</think>\n\n"], [" it is 12. And", "12."])

    for event in relay.stream("?"):
        data = json.loads(json.dumps(event_as_json(event)))
        assert f"`{data['event']}`" in page
        for key in [*data, *data.get("ledger", {})]:
            assert f"`{key}`" in page, key
