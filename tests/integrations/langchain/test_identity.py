"""What a chat model says of itself: cache keys, LangSmith, capabilities, token counts; its copies and pickles."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, ToolMessage, trim_messages
from langchain_core.runnables import ConfigurableField

from relaygen_integrations.langchain import ChatRelayGen
from relaygen_integrations.langchain.tools import relay_tools
from relaygen_runtime import Relay, load_profile
from tests.integrations.langchain.chats import ANSWER, chat, look_up
from tests.relay.scripts import scripted

PAIR = {"large": "a/large", "small": "a/small", "profile": "qwen3"}


def key(**fields: object) -> str:
    return ChatRelayGen(**{**PAIR, **fields})._get_llm_string()


@pytest.mark.parametrize(
    "other",
    [
        {"large": "b/large"},
        {"small": "b/small"},
        {"profile": "r1"},
        {"profile": load_profile("qwen3")},
        {"temperature": 0.5},
        {"max_tokens": 7},
        {"stop": ["x"]},
        {"seed": 1},
        {"mode": "large"},
        {"model": "a/large"},
        {"enable_thinking": False},
        {"engine_options": {"dtype": "float32"}},
        {"output_version": "v1"},
    ],
)
def test_whatever_bears_on_the_answer_is_part_of_the_cache_key(other: dict[str, object]) -> None:
    assert key() == key()
    assert key(**other) != key()


def test_secrets_and_what_bears_on_no_answer_are_not() -> None:
    assert "hush" not in key(api_key="hush")
    assert key(api_key="hush", timeout=5, max_retries=2) == key()


def test_the_options_of_a_relay_of_ones_own_are_part_of_the_key() -> None:
    warm, cold = (ChatRelayGen(relay=scripted(["x"], ["y"], options={"temperature": heat})[0]) for heat in (0.0, 1.0))

    assert warm._get_llm_string() != cold._get_llm_string()


def test_a_cached_answer_is_given_without_asking_the_models_and_is_a_whole_message() -> None:
    llm, engine = chat(cache=InMemoryCache())
    first, runs = llm.invoke("?"), len(engine.runs)
    again = llm.invoke("?")
    llm.invoke("Another question?")

    assert (again.content, again.additional_kwargs) == (first.content, first.additional_kwargs)
    assert len(engine.runs) == 2 * runs
    assert isinstance(again, AIMessage)
    assert chat()[0].invoke([HumanMessage("?"), again, HumanMessage("And?")]).content == ANSWER


async def test_a_cached_answer_serves_async_callers_too() -> None:
    llm, engine = chat(cache=InMemoryCache())
    await llm.ainvoke("?")
    runs = len(engine.runs)
    await llm.ainvoke("?")

    assert len(engine.runs) == runs


def test_langsmith_is_told_provider_model_and_the_standard_parameters() -> None:
    llm = ChatRelayGen(**PAIR, temperature=0.5, max_tokens=9, stop=["x"])

    assert llm._get_ls_params() == {
        "ls_provider": "relaygen",
        "ls_model_type": "chat",
        "ls_model_name": "a/large+a/small",
        "ls_temperature": 0.5,
        "ls_max_tokens": 9,
        "ls_stop": ["x"],
    }
    assert llm._get_ls_params(stop=["y"], model="a/small")["ls_model_name"] == "a/small"
    assert chat()[0]._get_ls_params()["ls_model_name"] == "scripted-large+scripted-small"


def test_identifying_parameters_are_json() -> None:
    params = ChatRelayGen(**PAIR, engine_options={"dtype": object()}, stop=["x"])._identifying_params

    assert json.loads(json.dumps(params)) == params


def test_capabilities_are_the_engines_own_where_they_are_known() -> None:
    able, _ = chat(script={"large_context": 512})
    unable, _ = chat(script={"tool_format": None})

    assert able.profile is not None
    assert (able.profile["max_input_tokens"], able.profile["tool_calling"]) == (512, True)
    assert able.profile["reasoning_output"] is able.profile["structured_output"] is True
    assert able.profile["image_inputs"] is False
    assert unable.profile is not None
    assert unable.profile["tool_calling"] is unable.profile["tool_choice"] is False


def test_what_is_only_guessed_before_the_models_are_loaded_is_known_afterwards(demo_relay: Relay) -> None:
    llm, told = ChatRelayGen.demo(), ChatRelayGen.demo(profile=None, cue_profile="demo")
    before = llm.profile
    llm.get_relay()

    capabilities = demo_relay.engine.capabilities
    assert before is not None
    assert before["max_input_tokens"] == capabilities.large_context
    assert llm.profile is not None
    assert llm.profile["max_input_tokens"] == capabilities.large_context
    assert llm.profile["structured_output"] is capabilities.constraints
    assert llm.profile["tool_calling"] is (capabilities.tool_format is not None)
    assert told.profile == before


def test_a_profile_that_was_given_stays() -> None:
    llm = ChatRelayGen.demo(profile={"max_input_tokens": 5}, cue_profile="demo")
    llm.get_relay()

    assert llm.profile == {"max_input_tokens": 5}


def test_tokens_are_counted_by_the_large_models_tokenizer(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo()
    message = llm.invoke("What is 3 + 4?", max_tokens=60)

    assert llm.get_num_tokens("What is 3 + 4?") == len(llm.get_token_ids("What is 3 + 4?")) > 5
    assert message.usage_metadata is not None
    assert llm.get_num_tokens_from_messages([HumanMessage("What is 3 + 4?")]) == message.usage_metadata["input_tokens"]


QUESTION = HumanMessage("What is 3 + 4?")
CALLING = AIMessage("", tool_calls=[{"name": "add", "args": {"a": 3, "b": 4}, "id": "c1", "type": "tool_call"}])
TOLD = ToolMessage("7", tool_call_id="c1")
PICTURE = HumanMessage([{"type": "text", "text": "a cat"}, {"type": "image", "base64": "x", "mime_type": "image/png"}])


@pytest.mark.parametrize(
    "part",
    [
        [CALLING],
        [TOLD],
        [AIMessage("7")],
        [QUESTION, CALLING],
        [TOLD, AIMessage("7"), QUESTION],
        [PICTURE],
        [FunctionMessage(content="7", name="add")],
    ],
)
def test_any_part_of_a_history_has_a_count(demo_relay: Relay, part: list[BaseMessage]) -> None:
    assert ChatRelayGen.demo().get_num_tokens_from_messages(part) > 0


def test_no_messages_are_no_tokens(demo_relay: Relay) -> None:
    assert ChatRelayGen.demo().get_num_tokens_from_messages([]) == 0


def test_what_the_template_refuses_is_counted_by_its_texts_its_calls_and_the_tools(demo_relay: Relay) -> None:
    llm, call = ChatRelayGen.demo(), '{"name": "add", "arguments": {"a": 3, "b": 4}}'
    texts = ["a cat", "hm", "so", call]
    thought = AIMessage("so", additional_kwargs={"reasoning_content": "hm"}, tool_calls=CALLING.tool_calls)
    (tool,) = relay_tools([look_up])

    assert llm.get_num_tokens_from_messages([PICTURE, thought]) == sum(map(llm.get_num_tokens, texts))
    assert llm.get_num_tokens_from_messages([], [look_up]) == llm.get_num_tokens(json.dumps(tool))


def test_a_history_with_tool_calls_can_be_trimmed_to_any_size(demo_relay: Relay) -> None:
    llm, history = ChatRelayGen.demo(), [QUESTION, CALLING, TOLD, AIMessage("7"), QUESTION]
    whole = llm.get_num_tokens_from_messages(history)
    last = llm.get_num_tokens_from_messages(history[-1:])

    assert trim_messages(history, max_tokens=whole, token_counter=llm) == history
    assert trim_messages(history, max_tokens=last, token_counter=llm) == [QUESTION]
    assert history[:3] in [
        trim_messages(history, max_tokens=most, token_counter=llm, strategy="first") for most in range(whole)
    ]


def test_a_tokenizer_of_ones_own_counts_texts_and_messages_without_the_models() -> None:
    llm, engine = chat(custom_get_token_ids=lambda text: [len(word) for word in text.split()])

    assert llm.get_token_ids("What is it?") == [4, 2, 3]
    assert llm.get_num_tokens_from_messages([QUESTION, AIMessage("It is 7.")]) == 5 + 3
    assert engine.runs == []


def test_an_engine_without_a_tokenizer_says_so() -> None:
    with pytest.raises(NotImplementedError, match="scripted engine has no tokenizer"):
        chat()[0].get_num_tokens("?")


def test_copies_write_with_the_same_models() -> None:
    llm, engine = chat()
    copies = [llm.model_copy(), llm.model_copy(deep=True), copy.copy(llm), copy.deepcopy(llm)]

    for copied in copies:
        assert copied.get_relay().engine is engine
        assert copied.invoke("?").content == ANSWER
    assert llm.with_config(tags=["x"]).invoke("?").content == ANSWER


def test_fields_can_be_configured_at_a_call() -> None:
    llm, engine = chat()
    configurable = llm.configurable_fields(max_tokens=ConfigurableField(id="most"))
    configurable.invoke("?", {"configurable": {"most": 20}})

    assert engine.runs[0].max_tokens <= 20


def test_named_pairs_are_shared_by_copies_and_pickles(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=60)
    llm.invoke("What is 3 + 4?")
    travelled = pickle.loads(pickle.dumps(llm))  # noqa: S301  (our own)

    for other in (travelled, copy.deepcopy(llm), llm.model_copy(update={"seed": 1})):
        assert other.get_relay().engine is demo_relay.engine
    assert travelled == llm


def test_a_pickle_holds_no_secret() -> None:
    llm = ChatRelayGen(**PAIR, api_key="hush")
    pickled = pickle.dumps(llm)

    assert b"hush" not in pickled
    assert pickle.loads(pickled).api_key is None  # noqa: S301  (our own)
    assert llm.api_key is not None
    assert "hush" not in str(llm._serialized)


def test_a_relay_of_ones_own_does_not_travel() -> None:
    with pytest.raises(TypeError, match="models do not travel"):
        pickle.dumps(chat()[0])


def test_a_copy_with_other_cues_uses_them(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo()

    assert llm.get_relay().profile.name != llm.model_copy(update={"cue_profile": "qwen3"}).get_relay().profile.name
