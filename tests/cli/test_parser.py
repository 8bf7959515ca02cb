"""The grammar: what is misspelt is answered in one line; what is offered is explained."""

from __future__ import annotations

import dataclasses

import pytest

from relaygen_runtime import RelayOptions
from relaygen_runtime.cli.entry import main
from relaygen_runtime.cli.option_help import option_descriptions
from relaygen_runtime.cli.parser import parse

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--max-token", "3"], "unknown option --max-token; did you mean --max-tokens?"),
        (["run", "--max-token=3"], "did you mean --max-tokens?"),
        (["run", "--zzz"], "unknown option --zzz; see 'relaygen run --help'"),
        (["profiles", "list", "--no-colour"], "did you mean --no-color?"),
        (["rn"], "invalid choice: 'rn'"),
        ([], "the following arguments are required"),
        (["profiles"], "the following arguments are required"),
        (["run", "--max-tokens", "many"], "--max-tokens: invalid int value: 'many'"),
        (["run", "--answerer", "medium"], "--answerer: invalid choice: 'medium'"),
        (["run", "a", "--file", "b"], "not allowed with argument"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], words: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)

    err = capsys.readouterr().err
    assert left.value.code == 2
    assert words in err
    assert err.startswith("relaygen: error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "command", [[], ["demo"], ["run"], ["bench"], ["profiles"], ["profiles", "show"], ["profiles", "validate"]]
)
def test_every_command_explains_itself(command: list[str], capsys: Captured) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("usage: relaygen")


@pytest.mark.parametrize("command", [[], ["demo"], ["run"], ["bench"], ["profiles"]])
def test_help_teaches_by_example(command: list[str], capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"])

    assert "examples:\n  relaygen " in capsys.readouterr().out


def test_the_version_is_told(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("relaygen 0.")


def test_every_option_of_the_api_is_described_and_offered() -> None:
    names = [field.name for field in dataclasses.fields(RelayOptions)]

    assert list(option_descriptions()) == names
    assert all(option_descriptions().values())
    offered = vars(parse(["run"]))
    assert set(names) - set(offered) == {"template_options"}


def test_without_docstrings_there_are_no_descriptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RelayOptions, "__doc__", None)

    assert option_descriptions() == {}
    assert parse(["run", "?"]).prompt == "?"
