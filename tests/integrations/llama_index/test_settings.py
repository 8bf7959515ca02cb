"""The fields: which there are, what they refuse, what pickles, and that nothing is loaded before it is needed."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.base import BaseLLM

from relaygen_integrations.llama_index import RelayGenLLM
from relaygen_integrations.llama_index.settings import OPTIONS, PER_CALL
from relaygen_runtime import (
    ConfigurationError,
    CueProfile,
    GpuHourPrice,
    ModelLoadError,
    Prices,
    RelayOptions,
    TokenPrice,
    UnknownOptionError,
    load_profile,
)
from relaygen_runtime.cli.option_help import option_descriptions
from tests.integrations.llama_index.scripts import QUESTION, raw, saying, thought


def named(**fields: Any) -> RelayGenLLM:
    return RelayGenLLM(**{"large": "no/such-large", "small": "no/such-small", "profile": "qwen3", **fields})


def test_it_is_an_llm_under_its_own_name() -> None:
    assert "BaseLLM" in [base.__name__ for base in RelayGenLLM.__mro__]
    assert isinstance(named(), BaseLLM)
    assert named().class_name() == type(named()).__name__


def test_every_field_of_ours_is_described() -> None:
    inherited = {"system_prompt", "pydantic_program_mode", "callback_manager"}
    ours = {name: field for name, field in RelayGenLLM.model_fields.items() if name not in inherited}

    assert [name for name, field in ours.items() if not field.description] == []


def test_every_option_of_a_relay_is_a_field_or_belongs_to_a_call() -> None:
    assert {*OPTIONS, *PER_CALL} == set(option_descriptions())
    assert set(OPTIONS) <= set(RelayGenLLM.model_fields)


@pytest.mark.parametrize("name", OPTIONS)
def test_a_field_means_and_defaults_to_what_the_option_does(name: str) -> None:
    field = RelayGenLLM.model_fields[name]
    default = getattr(RelayOptions(), name)

    assert field.description == option_descriptions()[name].replace('``"', "`").replace('"``', "`")
    assert field.get_default(call_default_factory=True) == (list(default) if name == "stop" else default)


def test_importing_and_naming_a_pair_loads_no_model_library() -> None:
    code = (
        "import sys; from relaygen_integrations.llama_index import RelayGenLLM; RelayGenLLM.demo(temperature=0);"
        "print([name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603

    assert out.stdout.strip() == "[]"


def test_a_pair_that_is_not_there_fails_at_the_first_call(tmp_path: Path) -> None:
    with pytest.raises(ModelLoadError, match="nowhere"):
        named(large=str(tmp_path / "nowhere"), small=str(tmp_path / "nowhere")).complete("?")


def test_an_unknown_field_names_the_nearest() -> None:
    with pytest.raises(
        UnknownOptionError, match=r"RelayGenLLM: unknown option 'temprature'; did you mean 'temperature'"
    ):
        named(temprature=0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"temperature": -1}, "temperature: -1"),
        ({"max_tokens": 0}, "max_tokens: 0"),
        ({"mode": "both"}, "mode: 'both'"),
        ({"max_tokens": 10, "answer_reserve": 20}, "answer_reserve: 20"),
        ({"timeout": 0}, "timeout: 0"),
        ({"additional_kwargs": {"top_q": 1}}, "did you mean 'top_p'"),
    ],
)
def test_values_that_cannot_work_are_refused_at_once(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        named(**fields)


def test_an_unknown_option_of_a_call_names_the_nearest_before_anything_is_written() -> None:
    llm, engine = saying("Hello.")

    for call in (llm.chat, llm.stream_chat):
        with pytest.raises(UnknownOptionError, match="did you mean 'max_tokens'"):
            call(QUESTION, max_token=5)
    assert engine.requests == []


def test_no_pair_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"profile not given.*RelayGenLLM\.demo\(\)"):
        RelayGenLLM(large="a", small="b")


def test_a_pair_named_twice_is_refused() -> None:
    relay = saying("Hello.")[0]._relay()

    with pytest.raises(ConfigurationError, match="large and relay= say the same thing twice"):
        RelayGenLLM(relay=relay, large="a")


def test_options_of_fields_and_calls_reach_the_models() -> None:
    llm, engine = saying("Hello.", options={"temperature": 0.5, "additional_kwargs": {"top_p": 0.9}})
    llm.chat(QUESTION)
    llm.chat(QUESTION, temperature=0.25)
    llm.chat(QUESTION, temperature=None, stop=None, tools=None)
    llm.temperature = 0.75
    llm.chat(QUESTION)

    assert [request.sampling.temperature for request in engine.requests] == [0.5, 0.25, 0.5, 0.75]
    assert {request.sampling.top_p for request in engine.requests} == {0.9}


def test_what_was_not_set_is_the_relays_to_say() -> None:
    relay = saying("Hello there and more.")[0]._relay()
    relay = type(relay)(relay.engine, relay.profile, max_tokens=2)

    assert raw(RelayGenLLM(relay=relay).chat(QUESTION))["usage"]["completion_tokens"] == 2
    assert raw(RelayGenLLM(relay=relay, max_tokens=3).chat(QUESTION))["usage"]["completion_tokens"] == 3


def test_it_pickles_with_all_that_was_set() -> None:
    prices = Prices(large=TokenPrice(input=1, output=2), small=GpuHourPrice(0.5))
    llm = named(
        temperature=0.5, stop=["\n"], prices=prices, engine_options={"device": "cpu"}, system_prompt="Be brief."
    )
    back = pickle.loads(pickle.dumps(llm))  # noqa: S301  (our own)

    assert back.to_dict() == llm.to_dict()
    assert back.given_options() == {**back.given_options(), "temperature": 0.5, "stop": ["\n"]}
    assert back.system_prompt == "Be brief."


def test_it_goes_through_json_and_back() -> None:
    prices = Prices(large=TokenPrice(input=1, output=2), small=GpuHourPrice(0.5))
    llm = named(temperature=0.5, stop=["\n"], prices=prices, relay_events=True)
    told = json.loads(llm.to_json())
    back = RelayGenLLM.from_dict(told)

    assert told["class_name"] == "RelayGenLLM"
    assert back.prices == prices
    assert back.to_dict() == llm.to_dict()


def test_a_profile_may_be_an_object_and_travels() -> None:
    profile = load_profile("qwen3")
    back = RelayGenLLM.from_dict(json.loads(named(profile=profile).to_json()))

    assert isinstance(back.profile, CueProfile)
    assert back.profile == profile


def test_on_a_relay_it_says_that_it_cannot_be_pickled() -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be pickled.*large=") as refused:
        pickle.dumps(saying("Hello.")[0])
    assert isinstance(refused.value, TypeError)  # what Python raises of what cannot be pickled


def test_a_copy_writes_with_the_same_models() -> None:
    llm, engine = saying(thought("", "Hello."))

    assert deepcopy(llm).chat(QUESTION).message.content == "Hello."
    assert llm.model_copy().chat(QUESTION).message.content == "Hello."
    assert len(engine.requests) == 2


def test_one_stop_string_may_stand_alone_and_nothing_means_none() -> None:
    assert named(stop="END").stop == ["END"]
    assert named(stop=None).stop == []


def test_events_do_not_wait_for_models_to_be_loaded() -> None:
    assert named().to_payload() == {"class_name": "RelayGenLLM", "model_name": "no/such-large+no/such-small"}
