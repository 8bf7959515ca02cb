"""Rules that cannot work are refused before anything is written."""

from __future__ import annotations

import pytest

from relaygen_runtime.errors import ConfigurationError
from tests.policy.player import rules


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"match": "regex"}, "match"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_small_tokens": 0}, "max_small_tokens"),
        ({"min_large_tokens": -1}, "min_large_tokens"),
        ({"max_thinking_tokens": -1}, "max_thinking_tokens"),
        ({"max_thinking_tokens": 9000}, "max_thinking_tokens"),
        ({"stop": ("",)}, "stop"),
        ({"open_tag": ""}, "tags"),
        ({"tool_tags": ("<call>", "")}, "tool_tags"),
    ],
)
def test_rules_that_cannot_work_are_refused_by_name(options: dict[str, object], names: str) -> None:
    with pytest.raises(ConfigurationError, match=names):
        rules(**options)


def test_an_empty_cue_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="cues"):
        rules("")
