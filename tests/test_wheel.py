"""What is shipped: a wheel holds the profiles, the embedded pair's files, the types marker and the licence."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import relaygen_runtime

PACKAGE = Path(relaygen_runtime.__file__).parent


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    pytest.importorskip("hatchling", reason="needs the build backend: pip install hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, check=True, capture_output=True, cwd=PACKAGE.parent)  # noqa: S603  (our own package)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def files(pattern: str, package: Path = PACKAGE) -> set[str]:
    return {str(path.relative_to(PACKAGE.parent)) for path in package.glob(pattern)}


@pytest.mark.parametrize("pattern", ["cues/profiles/*.json", "demo/pair/*/*", "demo/*.jinja", "py.typed", "**/*.py"])
def test_what_lies_in_the_package_is_in_the_wheel(shipped: set[str], pattern: str) -> None:
    assert files(pattern)
    assert files(pattern) <= shipped


@pytest.mark.parametrize("pattern", ["py.typed", "**/*.py"])
def test_the_integrations_are_in_the_wheel(shipped: set[str], pattern: str) -> None:
    integrations = PACKAGE.parent / "relaygen_integrations"

    assert files(pattern, integrations)
    assert files(pattern, integrations) <= shipped


def test_the_licence_and_the_command_are_in_the_wheel(shipped: set[str]) -> None:
    assert any(name.endswith("licenses/LICENSE") for name in shipped)
    assert any(name.endswith("entry_points.txt") for name in shipped)


def test_nothing_else_is_in_the_wheel(shipped: set[str]) -> None:
    assert {name.split("/")[0].split("-")[0] for name in shipped} == {
        "relaygen_integrations",
        "relaygen_runtime",
        "relaygen",
    }
    assert not [name for name in shipped if "__pycache__" in name]
