"""The real traces, where they are at hand: the environment variable RELAYGEN_TRACES names their folder."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from pathlib import Path

import pytest

from relaygen_runtime.cues.profile import load_profile
from relaygen_runtime.policy.rules import Rules

FOLDER = os.environ.get("RELAYGEN_TRACES")
needs_traces = pytest.mark.skipif(not FOLDER, reason="RELAYGEN_TRACES does not name the folder of the real traces")

# Roughly the pre-tokenizer of Qwen's BPE: tags, words with their space, single digits, runs of signs and white space.
_TOKENS = re.compile(r"</?\w+>|'[a-z]+| ?[^\W\d_]+|\d| ?[^\s\w]+[\n]*|\s*\n+|\s+(?!\S)|\s+|.", re.DOTALL)


def tokens(text: str) -> list[str]:
    return _TOKENS.findall(text)


@lru_cache(maxsize=1)
def traces() -> tuple[str, ...]:
    """The texts after the open tag, which the prompt writes."""
    file = Path(FOLDER or "") / "qwen3-32b-aime25-traces.jsonl"
    texts = (json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines())
    return tuple(text.removeprefix("<think>\n") for text in texts)


def qwen_rules(match: str = "word") -> Rules:
    cues = load_profile("qwen3").cues
    return Rules(cues=cues, match=match, max_tokens=32_768, max_thinking_tokens=31_744)
