"""What LlamaIndex may plan with: prompt and answer fit the contexts, with the thinking between them."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.base.llms.types import LLMMetadata
from llama_index.core.indices.prompt_helper import PromptHelper

from relaygen_integrations.llama_index import RelayGenLLM
from relaygen_runtime import ConfigurationError
from tests.integrations.llama_index.scripts import saying


def planned(options: dict[str, Any] | None = None, **engine: Any) -> LLMMetadata:
    return saying("Hello.", options=options, **{"large_context": 8_192, "small_context": 4_096, **engine})[0].metadata


def prompt_room(metadata: LLMMetadata) -> int:
    return PromptHelper.from_llm_metadata(metadata)._get_available_context_size(0)


def test_it_chats_and_is_named_after_the_pair() -> None:
    assert planned().is_chat_model
    assert planned().model_name == "scripted-large+scripted-small"


@pytest.mark.parametrize(
    ("options", "context"),
    [
        ({"max_tokens": 1_000}, 4_096),
        ({"max_tokens": 1_000, "answer_reserve": 100}, 4_096),
        ({"max_tokens": 1_000, "max_thinking_tokens": 300}, 4_096),
        ({"max_tokens": 1_000, "enable_thinking": False}, 4_096),
        ({"max_tokens": 1_000, "mode": "large"}, 8_192),
        ({"max_tokens": 1_000, "mode": "small"}, 4_096),
    ],
)
def test_a_prompt_may_be_as_long_as_thinking_and_answer_leave(options: dict[str, Any], context: int) -> None:
    assert prompt_room(planned(options)) == context - 1_000


def test_the_window_is_smaller_by_the_thinking() -> None:
    assert planned({"max_tokens": 1_000, "answer_reserve": 200}).context_window == 4_096 - 800
    assert planned({"max_tokens": 1_000, "answer_reserve": 200}).num_output == 200


def test_without_a_budget_half_of_the_context_is_the_prompts() -> None:
    assert prompt_room(planned()) == 2_048


def test_a_budget_beyond_the_context_leaves_the_prompt_its_half() -> None:
    assert prompt_room(planned({"max_tokens": 100_000})) == 2_048


def test_an_unknown_context_is_taken_as_a_common_one() -> None:
    assert planned({"max_tokens": 768}, large_context=None, small_context=None).context_window == 32_768 - 576


def test_a_window_that_is_given_is_taken() -> None:
    assert planned({"context_window": 2_000}).context_window == 2_000


def test_a_relays_own_defaults_count() -> None:
    llm, _ = saying("Hello.", large_context=4_096)
    relay = llm._relay()
    bounded = type(llm)(relay=type(relay)(relay.engine, relay.profile, max_tokens=400))

    assert bounded.metadata.context_window == 4_096 - 300


def test_texts_are_counted_by_the_large_models_tokenizer(demo_llm: RelayGenLLM) -> None:
    counted = len(demo_llm.tokenizer("12345"))
    longer = len(demo_llm.tokenizer("12345 12345"))

    assert counted == 5  # every digit is a token of the embedded pair
    assert longer > 10


def test_an_engine_without_a_tokenizer_says_so() -> None:
    with pytest.raises(ConfigurationError, match="the scripted engine has none"):
        _ = saying("Hello.")[0].tokenizer
