"""Cue profiles: the built-in ones, and files that can or cannot be used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from relaygen_runtime.cues.profile import CueProfile, Provenance, list_profiles, load_profile
from relaygen_runtime.errors import ConfigurationError, ProfileError

QWEN = (
    "Oh,|another,|Thus|Now|Alternatively|alternatively,|Thus,|Therefore|similarly|similarly,|now|Again|specifically,|"
    "Again,|Similarly,|Now,|Specifically,|Hence|Similarly|Other|now,|hence|Specifically|So |Therefore,|Wait,|Also|So,"
)
R1 = (
    "Wait|Thus|thus|similarly|Again,|Now|Therefore|hence|Hence,|Now,|Thus,|Oh,|Similarly,|Any|Therefore,|Alternatively,|"
    "now,|So,|now|verify|Specifically,|Alternatively|Ah,|wait|So "
)


def written(folder: Path, data: Any) -> Path:
    path = folder / "mine.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def fault(path: Path | str) -> str:
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    return str(caught.value)


class TestBuiltIn:
    def test_there_are_three(self) -> None:
        assert list_profiles() == ("demo", "qwen3-32b--1.7b", "r1-distill-qwen-32b--1.5b")

    @pytest.mark.parametrize(("alias", "name"), [("qwen3", "qwen3-32b--1.7b"), ("r1", "r1-distill-qwen-32b--1.5b")])
    def test_the_paper_s_are_found_by_alias(self, alias: str, name: str) -> None:
        assert load_profile(alias) is load_profile(name)

    @pytest.mark.parametrize(("alias", "cues"), [("qwen3", QWEN), ("r1", R1)])
    def test_the_paper_s_hold_its_cues_to_the_letter(self, alias: str, cues: str) -> None:
        assert load_profile(alias).cues == tuple(cues.split("|"))

    @pytest.mark.parametrize("name", list_profiles())
    def test_each_says_where_it_came_from_and_is_named_like_its_file(self, name: str) -> None:
        profile = load_profile(name)
        assert profile.provenance is not None
        assert profile.provenance.source
        assert profile.name == name

    def test_the_paper_s_match_whole_words_unless_told_otherwise(self) -> None:
        assert load_profile("qwen3").match == "word"


class TestOwn:
    def test_a_name_and_cues_are_enough(self, tmp_path: Path) -> None:
        profile = load_profile(written(tmp_path, {"name": "mine", "cues": ["So,"]}))
        assert (profile.cues, profile.match, profile.open_tag) == (("So,",), "word", "<think>")

    def test_a_path_may_be_given_as_text(self, tmp_path: Path) -> None:
        assert load_profile(str(written(tmp_path, {"name": "mine", "cues": ["So,"]}))).name == "mine"

    @pytest.mark.parametrize("name", list_profiles())
    def test_what_is_written_out_reads_back(self, name: str, tmp_path: Path) -> None:
        profile = load_profile(name)
        assert load_profile(written(tmp_path, profile.model_dump_json())) == profile

    def test_provenance_may_hold_more(self, tmp_path: Path) -> None:
        source = {"source": "us", "method": "by hand", "figures": {"kept": 3}}
        profile = load_profile(written(tmp_path, {"name": "mine", "cues": ["So,"], "provenance": source}))
        assert isinstance(profile.provenance, Provenance)
        assert profile.provenance.model_dump()["figures"] == {"kept": 3}

    def test_it_cannot_be_changed(self) -> None:
        with pytest.raises(ValueError, match="frozen"):
            load_profile("demo").name = "x"


class TestFaults:
    def test_an_unknown_name_is_answered_with_the_nearest(self) -> None:
        assert "did you mean 'qwen3'?" in fault("qwen33")

    def test_or_with_all_of_them(self) -> None:
        assert "built-in profiles: demo, qwen3-32b--1.7b" in fault("zzzzzz")

    def test_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        assert "No such file" in fault(tmp_path / "none.json")

    def test_a_folder(self, tmp_path: Path) -> None:
        assert "not readable" in fault(str(tmp_path))

    def test_bytes_that_are_not_utf8(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.json"
        path.write_bytes(b'{"name": "\xff"}')
        assert fault(path) == f"{path}: not UTF-8 (byte 10); save it as UTF-8"

    def test_malformed_json_is_located(self, tmp_path: Path) -> None:
        assert "not JSON (line 1, column 2" in fault(written(tmp_path, "{name"))

    def test_json_without_end(self, tmp_path: Path) -> None:
        assert "nested too deep" in fault(written(tmp_path, "[" * 100_000))

    def test_json_that_is_no_object(self, tmp_path: Path) -> None:
        assert "expected a JSON object" in fault(written(tmp_path, ["So,"]))

    def test_a_newer_version(self, tmp_path: Path) -> None:
        text = fault(written(tmp_path, {"schema_version": 2, "name": "mine", "queues": []}))
        assert "schema_version 2 is newer than 1" in text
        assert "upgrade" in text

    @pytest.mark.parametrize("version", [0, "1", None])
    def test_a_version_that_never_was(self, version: object, tmp_path: Path) -> None:
        assert "schema_version" in fault(written(tmp_path, {"schema_version": version, "name": "a", "cues": ["So,"]}))

    def test_an_unknown_field_is_answered_with_the_nearest(self, tmp_path: Path) -> None:
        assert "unknown field 'cue'; did you mean 'cues'?" in fault(written(tmp_path, {"name": "mine", "cue": []}))

    def test_or_with_all_fields(self, tmp_path: Path) -> None:
        assert "fields: schema_version, name" in fault(written(tmp_path, {"zzzzzz": 1}))

    def test_no_cues(self, tmp_path: Path) -> None:
        assert "field 'cues' is empty" in fault(written(tmp_path, {"name": "mine", "cues": []}))

    def test_a_missing_field(self, tmp_path: Path) -> None:
        assert "field 'cues' is missing" in fault(written(tmp_path, {"name": "mine"}))

    @pytest.mark.parametrize(
        ("field", "value", "says"),
        [
            ("cues", [" "], "no visible character"),
            ("cues", ["So,", "So,"], "stands there twice"),
            ("cues", "So,", "field 'cues'"),
            ("cues", [5], "field 'cues.0'"),
            ("match", "regex", "field 'match'"),
            ("name", "", "field 'name'"),
            ("open_tag", "", "field 'open_tag'"),
            ("open_tag", "</think>", "must differ"),
            ("provenance", {"method": "by hand"}, "field 'provenance.source' is missing"),
            ("large", ["x" * 99], "..."),
        ],
    )
    def test_a_value_that_cannot_be_is_named_with_its_field(
        self, field: str, value: object, says: str, tmp_path: Path
    ) -> None:
        path = written(tmp_path, {"name": "mine", "cues": ["So,"], field: value})
        text = fault(path)
        assert str(path) in text
        assert says in text
        assert "\n" not in text

    def test_it_is_a_configuration_error(self) -> None:
        assert issubclass(ProfileError, ConfigurationError)


def test_the_matcher_brings_nothing_but_the_standard_library() -> None:
    code = "import sys, relaygen_runtime.cues.matcher; sys.exit('pydantic' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603  (our own words)


def test_a_profile_can_be_built_in_code() -> None:
    assert CueProfile(name="mine", cues=("So,",)).provenance is None
