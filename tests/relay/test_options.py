"""Options: names, ranges, contradictions, and the rules that they come to."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from relaygen_runtime import (
    Capabilities,
    ConfigurationError,
    ContextOverflowError,
    Relay,
    RelayOptions,
    Role,
    Sampling,
    ScriptedEngine,
    Session,
)
from relaygen_runtime import UnknownOptionError as Unknown
from relaygen_runtime.engines.base import GenerationRequest
from relaygen_runtime.policy.rules import Rules
from tests.relay.scripts import TOOL, cue_profile


def rules(
    prompt_tokens: int | None = 100, contexts: tuple[int | None, int | None] = (None, None), **options: Any
) -> Rules:
    capabilities = Capabilities("test", "big", "little", large_context=contexts[0], small_context=contexts[1])
    return RelayOptions.of(options, where="test").rules(cue_profile(), capabilities, prompt_tokens)


def test_an_unknown_name_is_refused_with_the_nearest_valid_one() -> None:
    with pytest.raises(Unknown, match=r"Relay\.generate: unknown option 'max_token'; did you mean 'max_tokens'\?"):
        RelayOptions.of({"max_token": 5}, where="Relay.generate")


def test_a_name_that_resembles_none_is_refused_with_the_list() -> None:
    with pytest.raises(Unknown, match=r"unknown option 'zzz'; valid options: answer_reserve, answerer"):
        RelayOptions.of({"zzz": 5}, where="Relay")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_tokens", 0),
        ("max_tokens", -3),
        ("max_thinking_tokens", -1),
        ("answer_reserve", -1),
        ("min_large_tokens", -1),
        ("max_small_tokens", 0),
        ("temperature", -0.1),
        ("top_p", 1.1),
        ("top_p", -0.1),
        ("top_p", 0),
        ("top_k", -1),
        ("min_p", 1),
        ("min_p", -0.1),
        ("presence_penalty", 2.5),
        ("presence_penalty", -2.5),
        ("repetition_penalty", 0),
        ("repetition_penalty", -1),
        ("temperature", float("nan")),
        ("temperature", float("inf")),
        ("temperature", "hot"),
        ("temperature", 1e-45),
        ("max_tokens", True),
        ("max_tokens", 10.5),
        ("top_k", 2.5),
        ("seed", 1.5),
        ("seed", "x"),
        ("answerer", "medium"),
        ("mode", "fast"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(option: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=option):
        RelayOptions.of({option: value}, where="test")


@pytest.mark.parametrize(
    "options",
    [
        {"max_thinking_tokens": 10, "answer_reserve": 10},
        {"max_tokens": 10, "max_thinking_tokens": 11},
        {"max_tokens": 10, "answer_reserve": 11},
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError):
        RelayOptions.of(options, where="test")


@pytest.mark.parametrize("stop", [["a", ""], [3], 7])
def test_stop_holds_texts_that_can_stand_somewhere(stop: object) -> None:
    with pytest.raises(ConfigurationError, match="stop"):
        RelayOptions.of({"stop": stop}, where="test")


@pytest.mark.parametrize("option", ["tools", "template_options", "speculation", "enable_thinking", "loop_guard"])
def test_a_value_of_the_wrong_kind_is_refused_by_name(option: str) -> None:
    with pytest.raises(ConfigurationError, match=option):
        RelayOptions.of({option: "a word"}, where="test")


@pytest.mark.parametrize("tool", [7, {"type": "function"}, {"type": "function", "function": "f"}, {"name": 7}])
def test_a_tool_has_a_name(tool: object) -> None:
    with pytest.raises(ConfigurationError, match="tools: expected a list of schemas"):
        RelayOptions.of({"tools": [tool]}, where="test")


@pytest.mark.parametrize("tool", [TOOL, TOOL["function"]])
def test_a_tool_may_come_in_its_envelope_or_bare(tool: object) -> None:
    assert RelayOptions.of({"tools": [tool]}, where="test").tools == [tool]


@pytest.mark.parametrize("option", ["tools", "stop", "template_options"])
def test_none_is_the_same_as_nothing(option: str) -> None:
    assert RelayOptions.of({option: None}, where="test") == RelayOptions()


def test_more_tokens_than_a_float_can_count_are_cut_to_the_context_too() -> None:
    assert rules(100, (1000, None), max_tokens=10**400).max_tokens == 900


def test_one_stop_text_is_a_list_of_one() -> None:
    assert tuple(RelayOptions.of({"stop": "END"}, where="test").stop) == ("END",)


def test_sampling_options_travel_as_they_are() -> None:
    options = RelayOptions.of({"temperature": 0.5, "top_k": 7, "seed": 3}, where="test")

    assert options.sampling == Sampling(temperature=0.5, top_k=7, seed=3)


def test_the_longest_default_is_what_the_smaller_context_leaves() -> None:
    assert rules(100, (4000, 1000)).max_tokens == 900
    assert rules(100, (4000, None)).max_tokens == 3900
    assert rules(100, (100_000, 100_000)).max_tokens == 32_768
    assert rules(100).max_tokens == 32_768


def test_a_prompt_past_the_small_models_context_leaves_it_to_the_large() -> None:
    assert rules(1500, (4000, 1000)).max_tokens == 2500


def test_more_tokens_than_the_context_holds_are_cut_to_it() -> None:
    assert rules(100, (1000, None), max_tokens=5000).max_tokens == 900


def test_a_given_max_tokens_may_pass_the_small_models_context() -> None:
    given = rules(100, (32_000, 8_000), max_tokens=20_000)

    assert (given.max_tokens, given.small_room, given.large_room) == (20_000, 7_900, 31_900)


@pytest.mark.parametrize("prompt_tokens", [1000, 1200])
def test_a_prompt_that_fills_the_context_is_refused(prompt_tokens: int) -> None:
    with pytest.raises(ContextOverflowError, match=f"{prompt_tokens} tokens"):
        rules(prompt_tokens, (1000, None))


def test_an_unknown_prompt_length_bounds_nothing() -> None:
    assert rules(None, (1000, 1000)).large_room is None


@pytest.mark.parametrize(("max_tokens", "thinking"), [(64, 48), (8000, 6976), (2, 2), (1, 1)])
def test_the_answer_reserve_is_a_quarter_and_at_most_1024(max_tokens: int, thinking: int) -> None:
    assert rules(max_tokens=max_tokens).max_thinking_tokens == thinking


def test_a_reserve_or_a_thinking_budget_may_be_given_instead() -> None:
    assert rules(max_tokens=100, answer_reserve=40).max_thinking_tokens == 60
    assert rules(max_tokens=100, max_thinking_tokens=10).max_thinking_tokens == 10


def test_a_reserve_larger_than_what_the_context_leaves_takes_it_all() -> None:
    assert rules(100, (150, None), answer_reserve=80).max_thinking_tokens == 0


@pytest.mark.parametrize(
    ("options", "answerer"),
    [
        ({}, Role.SMALL),
        ({"answerer": "auto"}, Role.SMALL),
        ({"answerer": "auto", "tools": [TOOL]}, Role.LARGE),
        ({"answerer": "small", "tools": [TOOL]}, Role.SMALL),
        ({"answerer": "large"}, Role.LARGE),
    ],
)
def test_who_answers(options: dict[str, Any], answerer: Role) -> None:
    assert rules(**options).answerer is answerer


@pytest.mark.parametrize("mode", ["large", "small"])
def test_one_model_alone_has_no_cues_and_its_own_context(mode: str) -> None:
    alone = rules(100, (1000, 500), mode=mode)

    assert (alone.cues, alone.small_room) == ((), None)
    assert alone.large_room == {"large": 900, "small": 400}[mode]


@pytest.mark.parametrize("value", ["1", "true", "YES", " on "])
def test_the_kill_switch_turns_every_relay_into_the_large_alone(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELAYGEN_DISABLE", value)

    assert RelayOptions().effective_mode == "large"
    assert RelayOptions(mode="small").effective_mode == "large"
    assert RelayOptions(speculation=True).effective_speculation is False
    assert rules().cues == ()


@pytest.mark.parametrize("value", ["", "0", "false", "no"])
def test_the_kill_switch_is_off_unless_it_is_on(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELAYGEN_DISABLE", value)

    assert RelayOptions().effective_mode == "relay"
    assert RelayOptions(speculation=True).effective_speculation is True


def test_the_tags_and_the_match_are_the_profiles() -> None:
    profile = cue_profile(open_tag="<reason>", close_tag="</reason>", match="substring")
    made = RelayOptions().rules(profile, Capabilities("test", "big", "little"), 1)

    assert (made.open_tag, made.close_tag, made.match) == ("<reason>", "</reason>", "substring")
    assert made.close_text == "\n</reason>\n\n"


def test_under_the_kill_switch_an_engine_is_told_not_to_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool | None] = []

    class Noting(ScriptedEngine):
        def open(self, request: GenerationRequest, *, cancelled: Event | None = None) -> Session:
            asked.append(request.speculation)
            return super().open(request, cancelled=cancelled)

    relay = Relay(Noting(["a"]), cue_profile(), speculation=True)
    relay.generate("?")
    monkeypatch.setenv("RELAYGEN_DISABLE", "1")
    relay.generate("?")

    assert asked == [True, False]
