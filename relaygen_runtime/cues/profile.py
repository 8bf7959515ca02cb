"""`CueProfile`: a versioned data file that names the cues of one model pair and where they came from.

Owns the format (JSON, `SCHEMA_VERSION`), its checks, and the built-in profiles in ``cues/profiles/``. A file that
cannot be used raises `ProfileError` with the file, the field and the mend. It refuses to guess: unknown fields and
newer versions are errors. Importing this module imports pydantic; the package around it does not import it.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from relaygen_runtime.errors import ProfileError

__all__ = ["SCHEMA_VERSION", "CueProfile", "Provenance", "list_profiles", "load_profile"]

SCHEMA_VERSION: Final = 1
"""The newest version of the format that is understood."""


class Provenance(BaseModel):
    """Where the cues came from; further fields (figures of a calibration, say) may be added freely.

    Attributes:
        source: A paper, a trace collection, a person.
        method: How they were found.
        date: When, as precisely as is known, e.g. ``"2026-02"``.
        note: What a reader should know besides.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    source: str = Field(min_length=1)
    method: str = Field(min_length=1)
    date: str | None = None
    note: str | None = None


class CueProfile(BaseModel):
    """The cues of one pair of models.

    Attributes:
        schema_version: Version of the format.
        name: The profile's name.
        aliases: Shorter names that it is also found under.
        large: Name of the large model; empty where none is named.
        small: Name of the small model; empty where none is named.
        cues: The switch cues; white space counts ("So " is not "So").
        match: ``"word"``: no switch inside a word; ``"substring"``: wherever the letters stand.
        open_tag: The tag that opens the thinking.
        close_tag: The tag that closes it.
        provenance: Where the cues came from; None: nobody said.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = SCHEMA_VERSION
    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    large: str = ""
    small: str = ""
    cues: tuple[str, ...] = Field(min_length=1)
    match: Literal["word", "substring"] = "word"
    open_tag: str = Field(default="<think>", min_length=1)
    close_tag: str = Field(default="</think>", min_length=1)
    provenance: Provenance | None = None

    @field_validator("cues")
    @classmethod
    def _check_cues(cls, cues: tuple[str, ...]) -> tuple[str, ...]:
        for cue in cues:
            if not cue.strip():
                raise ValueError(f"{cue!r} holds no visible character and would fire everywhere; remove it")
            if cues.count(cue) > 1:
                raise ValueError(f"{cue!r} stands there twice; remove one")
        return cues

    @model_validator(mode="after")
    def _check_tags(self) -> CueProfile:
        if self.open_tag == self.close_tag:
            raise ValueError(f"open_tag and close_tag are both {self.open_tag!r}; they must differ")
        return self


def load_profile(name_or_path: str | Path) -> CueProfile:
    """A built-in profile, by name or alias, or one of your own, by the path of its JSON file.

    Args:
        name_or_path: For example ``"qwen3"`` or ``"mine.json"``. A built-in name wins over a file of that name.

    Raises:
        ProfileError: There is no such profile, or the file is not a sound one.
    """
    if isinstance(name_or_path, str):
        known = _built_in_names()
        if name_or_path in known:
            return _built_in(known[name_or_path])
        if not Path(name_or_path).exists():
            near = _nearest(name_or_path, known)
            mend = f"did you mean {near!r}?" if near else f"built-in profiles: {', '.join(list_profiles())}"
            raise ProfileError(f"profile {name_or_path!r}: neither a built-in profile nor a file; {mend}")
    path = Path(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProfileError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise ProfileError(f"{path}: not readable ({reason}); give the path of a JSON file") from error
    return _parse(text, str(path))


def list_profiles() -> tuple[str, ...]:
    """Names of the built-in profiles, sorted."""
    names = (entry.name for entry in (resources.files(__package__) / "profiles").iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


@lru_cache(maxsize=1)
def _built_in_names() -> dict[str, str]:
    """Names and aliases of the built-in profiles, each with the name that it stands for."""
    return {alias: name for name in list_profiles() for alias in (name, *_built_in(name).aliases)}


@lru_cache(maxsize=16)
def _built_in(name: str) -> CueProfile:
    file = resources.files(__package__) / "profiles" / f"{name}.json"
    return _parse(file.read_text(encoding="utf-8"), f"built-in profile {name}")


def _parse(text: str, where: str) -> CueProfile:
    """Read a profile.

    Raises:
        ProfileError: Names what is wrong, in which field, and what to do.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ProfileError(f"{where}: not JSON (line {error.lineno}, column {error.colno}: {error.msg})") from error
    except RecursionError as error:
        raise ProfileError(f"{where}: lists or objects in it are nested too deep; a profile has two levels") from error
    if not isinstance(data, dict):
        raise ProfileError(f"{where}: expected a JSON object with 'name', 'cues' and so on, got {type(data).__name__}")
    version = data.get("schema_version", SCHEMA_VERSION)
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise ProfileError(
            f"{where}: schema_version {version} is newer than {SCHEMA_VERSION}, the newest this release reads; "
            "upgrade relaygen"
        )
    for field in data:
        if field not in CueProfile.model_fields:
            near = _nearest(field, CueProfile.model_fields)
            mend = f"did you mean {near!r}?" if near else f"fields: {', '.join(CueProfile.model_fields)}"
            raise ProfileError(f"{where}: unknown field {field!r}; {mend}")
    try:
        return CueProfile.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise ProfileError(f"{where}: {_describe(error)}") from error


def _describe(error: ValidationError) -> str:
    """The first thing that pydantic found, in one line."""
    found = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in found["loc"])
    message = found["msg"].removeprefix("Value error, ")
    if found["type"] == "missing":
        return f"field {field!r} is missing; add it"
    if field == "cues" and found["input"] == []:
        return "field 'cues' is empty; name at least one switch cue"
    return f"field {field!r}: {message} (got {_short(found['input'])})" if field else message


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _nearest(name: str, valid: Iterable[str]) -> str | None:
    near = difflib.get_close_matches(name, list(valid), n=1, cutoff=0.5)
    return near[0] if near else None
