"""The constructor: names and aliases, what is refused and how, and that it costs nothing."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import ValidationError

from relaygen_integrations.langchain import ChatRelayGen, RelayConfigurationError, RelayUnknownOptionError
from relaygen_integrations.langchain.call import CALL_NAMES, prepared
from relaygen_integrations.langchain.fields import OPTION_FIELDS, PER_CALL
from relaygen_runtime import Prices, RelayOptions, TokenPrice, load_profile
from relaygen_runtime.cli.option_help import attribute_descriptions
from tests.integrations.langchain.chats import added, chat
from tests.relay.scripts import scripted

PAIR = {"large": "large", "small": "small", "profile": "qwen3"}


def test_every_option_of_a_relay_is_a_field_or_belongs_to_a_call() -> None:
    names = [field.name for field in dataclasses.fields(RelayOptions)]

    assert sorted([*OPTION_FIELDS, *PER_CALL]) == sorted(names)
    assert set(OPTION_FIELDS) <= set(ChatRelayGen.model_fields)


def test_every_field_of_ours_says_what_it_means() -> None:
    ours = [name for name in ChatRelayGen.model_fields if name not in ChatRelayGen.__mro__[3].model_fields]  # type: ignore[attr-defined]

    assert "large" in ours
    assert [name for name in ours if not ChatRelayGen.model_fields[name].description] == []


def test_an_option_means_here_what_it_means_to_a_relay() -> None:
    told = attribute_descriptions(RelayOptions)

    for name in OPTION_FIELDS:
        first = told[name].replace("``", "`").split(". ")[0].removesuffix(".")
        ours = (ChatRelayGen.model_fields[name].description or "").replace("each request", "the request")
        assert ours.replace(" (the default)", "").replace("the default: ", "").startswith(first), name


def test_making_one_loads_no_model_and_no_torch() -> None:
    code = (
        "import sys; from relaygen_integrations.langchain import ChatRelayGen;"
        "ChatRelayGen(large='no/such', small='no/other', profile='qwen3'); ChatRelayGen.demo();"
        "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


def test_aliases_of_other_chat_models_are_taken() -> None:
    llm = ChatRelayGen(**PAIR, max_completion_tokens=10, stop_sequences=["x"], request_timeout=5, model="large")

    assert (llm.max_tokens, llm.stop, llm.timeout, llm.model_name) == (10, ["x"], 5, "large")


def test_profile_means_the_cues_unless_it_is_langchains_dictionary() -> None:
    by_name, by_value = ChatRelayGen(**PAIR), ChatRelayGen(**{**PAIR, "profile": load_profile("qwen3")})
    both = ChatRelayGen(large="a", small="b", cue_profile="qwen3", profile={"max_input_tokens": 7})

    assert by_name.cue_profile == "qwen3"
    assert by_value.cue_profile == load_profile("qwen3")
    assert (by_name.profile or {})["structured_output"] is True
    assert both.profile == {"max_input_tokens": 7}


def test_a_single_stop_string_is_a_list_of_one() -> None:
    assert ChatRelayGen(**PAIR, stop="x").stop == ["x"]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({**PAIR, "temprature": 0}, "did you mean 'temperature'"),
        ({**PAIR, "max_token": 5}, "did you mean 'max_tokens'"),
        ({**PAIR, "model_kwargs": {}}, "unknown option 'model_kwargs'"),
        ({**PAIR, "max_tokens": 5, "max_completion_tokens": 5}, "are the same option"),
        ({**PAIR, "temperature": -1}, "temperature: -1.0 is out of range"),
        ({**PAIR, "answerer": "medium"}, "answerer: 'medium' is not one of"),
        ({**PAIR, "timeout": 0}, "greater than 0"),
        ({**PAIR, "max_retries": -1}, "greater than or equal to 0"),
        ({**PAIR, "n": 2}, "a pair writes one answer"),
        ({"large": "a", "profile": "qwen3"}, "small not given; name a pair"),
        ({}, "large, small, profile not given"),
    ],
)
def test_what_cannot_work_is_refused_where_it_is_written(fields: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        ChatRelayGen(**fields)


def test_a_relay_and_a_named_pair_together_are_refused() -> None:
    relay, _ = scripted(["x"], ["y"])

    with pytest.raises(ValidationError, match="large, prices and relay= say the same thing twice"):
        ChatRelayGen(relay=relay, large="x", prices=Prices(large=TokenPrice(1, 1)))


async def test_an_unknown_name_at_a_call_is_refused_with_the_nearest_valid_one() -> None:
    llm, engine = chat()

    for call in (llm.invoke, llm.bind(top_pp=1).invoke):
        with pytest.raises(RelayUnknownOptionError, match="unknown option"):
            call("?", temprature=0)
    with pytest.raises(RelayUnknownOptionError, match="did you mean 'temperature'"):
        list(llm.stream("?", temprature=0))
    with pytest.raises(RelayUnknownOptionError, match="did you mean 'temperature'"):
        await llm.ainvoke("?", temprature=0)
    with pytest.raises(RelayUnknownOptionError, match="unknown option 'large'"):
        llm.invoke("?", large="other")
    assert engine.runs == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout": 0},
        {"timeout": "x"},
        {"max_retries": -1},
        {"max_retries": "x"},
        {"temperature": "hot"},
        {"stop": [1]},
        {"response_format": {"type": "nope"}},
    ],
)
def test_a_value_that_cannot_work_is_refused_at_a_call_too(wrong: dict[str, Any]) -> None:
    llm, engine = chat()

    with pytest.raises(RelayConfigurationError, match=next(iter(wrong))):
        llm.invoke("?", **wrong)
    assert engine.runs == []


def test_more_than_one_answer_is_refused_at_a_call_too() -> None:
    with pytest.raises(RelayConfigurationError, match="use batch for several"):
        chat()[0].invoke("?", n=2)


def test_a_call_overrides_the_model_and_the_model_overrides_its_relay() -> None:
    llm, engine = chat(script={"options": {"max_tokens": 40, "seed": 1}}, max_tokens=30)

    llm.invoke("?")
    llm.invoke("?", max_tokens=20)
    budgets = [run.max_tokens for run in engine.runs if run.index == 0]

    assert max(budgets) <= 30
    assert budgets[1] < budgets[0]


@pytest.mark.parametrize("name", sorted(CALL_NAMES))
def test_none_at_a_call_is_the_same_as_not_given(name: str) -> None:
    own: dict[str, Any] = {
        "temperature": 0.5,
        "max_tokens": 30,
        "mode": "large",
        "answerer": "large",
        "loop_guard": False,
        "seed": 3,
    }
    llm, _ = chat(max_retries=2, stream_usage=False, model="scripted-large", **own)
    asked = [HumanMessage("?")]

    assert prepared(llm, llm.get_relay(), asked, None, {name: None}) == prepared(llm, llm.get_relay(), asked, None, {})
    assert llm.invoke("?", **{name: None}).response_metadata["model_name"] == "scripted-large"


def test_no_timeout_at_a_call_lifts_the_models_own() -> None:
    assert chat(timeout=1e-9)[0].invoke("?", timeout=None).content == "The result is 12."


@pytest.mark.parametrize(
    ("bound", "given"),
    [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens"), ("max_tokens", "max_tokens")],
)
def test_a_call_overrides_what_was_bound_under_whatever_name(bound: str, given: str) -> None:
    llm, engine = chat(["word " * 100], [], loop_guard=False)
    later: dict[str, Any] = {given: 20}
    llm.bind(**{bound: 30}).invoke("?", **later)

    assert engine.runs[0].max_tokens <= 20


def test_a_model_of_the_pair_by_name_writes_alone_and_any_other_name_is_not_found() -> None:
    large, _ = chat(["Hm.\n</think>\n\n", "4"], [], model="scripted-large")
    pair, _ = chat()

    assert large.invoke("?").response_metadata["model_name"] == "scripted-large"
    assert added(chat()[0].stream("?", model="scripted-small")).response_metadata["model_name"] == "scripted-small"
    assert pair.invoke("?", model="scripted-large+scripted-small").content == "The result is 12."
    with pytest.raises(Exception, match="'gpt-4o' is not of this pair; there is 'scripted-large' or 'scripted-small'"):
        pair.invoke("?", model="gpt-4o")
    with pytest.raises(RelayConfigurationError, match="contradict each other"):
        pair.invoke("?", model="scripted-large", mode="small")


def test_a_representation_shows_what_was_given_and_no_secret() -> None:
    shown = repr(ChatRelayGen(**PAIR, temperature=0.5, api_key="hush"))

    assert shown == "ChatRelayGen(large='large', small='small', cue_profile='qwen3', temperature=0.5)"
