"""Short ways to a relay on scripted models, for the tests of this folder and of the command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relaygen_runtime import CueProfile, Phase, Relay, RelayEvent, RelayResult, Role, ScriptedEngine, SegmentFinished

CUES = ("So,", "Now", "Therefore,", "Thus,")
OPEN = "<|user|>?<|assistant|><think>\n"
"""The end of a prompt whose template opens the thinking."""
TOOL: dict[str, Any] = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}


def cue_profile(cues: Sequence[str] = CUES, match: str = "word", **fields: Any) -> CueProfile:
    return CueProfile.model_validate({"name": "scripted", "cues": list(cues), "match": match, **fields})


def scripted(
    large: Sequence[str] = (),
    small: Sequence[str] = (),
    *,
    cues: Sequence[str] = CUES,
    match: str = "word",
    prompt: str = OPEN,
    options: dict[str, Any] | None = None,
    **engine: Any,
) -> tuple[Relay, ScriptedEngine]:
    """A relay on a script, and its engine to look into."""
    scripted_engine = ScriptedEngine(large, small, prompt=prompt, **engine)
    return Relay(scripted_engine, cue_profile(cues, match), **(options or {})), scripted_engine


def told(result: RelayResult) -> list[tuple[str | None, str, str, str]]:
    """Author, phase, reason and text of every segment."""
    return [(e.role and str(e.role), str(e.phase), str(e.reason), e.text) for e in result.ledger.entries]


def reasons(result: RelayResult) -> list[str]:
    return [str(entry.reason) for entry in result.ledger.entries]


def entries(events: Iterable[RelayEvent]) -> list[SegmentFinished]:
    return [event for event in events if isinstance(event, SegmentFinished)]


LARGE, SMALL, THINKING, ANSWER = str(Role.LARGE), str(Role.SMALL), str(Phase.THINKING), str(Phase.ANSWER)
