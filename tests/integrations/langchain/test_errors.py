"""What is raised is LangChain's kind of error and ours at once, keeps what was written, and is retried as it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from langchain_core import exceptions as lc
from langchain_core.exceptions import LangChainException

from relaygen_integrations.langchain import ChatRelayGen, RelayEngineError, errors
from relaygen_runtime import EngineError, ModelLoadError, RelayGenError, Role
from relaygen_runtime import errors as rg
from tests.integrations.langchain.chats import ANSWER, chat


def failing(times: int, after: int = 0) -> Callable[[Role, int], None]:
    left = [times]

    def fail(author: Role, tokens: int) -> None:
        if author is Role.LARGE and tokens >= after and left[0]:
            left[0] -= 1
            raise EngineError("the GPU is on fire")

    return fail


@pytest.mark.parametrize(("ours", "raised"), errors.RAISED_AS.items())
def test_every_error_is_both_kinds(ours: type[RelayGenError], raised: type[RelayGenError]) -> None:
    assert issubclass(raised, ours)
    assert issubclass(raised, LangChainException)


def test_every_error_about_a_request_a_pair_or_an_engine_has_its_class() -> None:
    left_as_they_are = {rg.MissingDependencyError, rg.CancelledWaitError, rg.PolicyError, rg.RelayGenError}
    kinds = [kind for name in rg.__all__ if (kind := getattr(rg, name)) not in left_as_they_are]

    for kind in kinds:
        assert any(issubclass(kind, known) for known in errors.RAISED_AS), kind


def test_translating_keeps_message_fields_and_the_precise_kind() -> None:
    with pytest.raises(errors.RelaySchemaError, match="tools: no; do") as caught, errors.as_langchain_errors():
        raise rg.SchemaError("tools", "no", "do")

    assert caught.value.place == "tools"
    assert isinstance(caught.value, lc.ModelInvalidRequestError)


def test_what_is_no_model_error_stays_what_it_is() -> None:
    with pytest.raises(rg.MissingDependencyError) as caught, errors.as_langchain_errors():
        raise rg.MissingDependencyError("pip install it")

    assert type(caught.value) is rg.MissingDependencyError


async def test_an_engine_that_fails_is_a_retryable_api_error_with_the_text_so_far() -> None:
    llm, _ = chat(script={"fail": failing(9, after=3)})

    for error in (lc.ModelAPIError, EngineError):
        with pytest.raises(error, match="the GPU is on fire"):
            llm.invoke("?")
    with pytest.raises(RelayEngineError) as caught:
        await llm.ainvoke("?")
    assert caught.value.partial == "First multiply both"
    assert caught.value.is_retryable


def test_a_prompt_beyond_the_context_is_the_overflow_that_middleware_knows() -> None:
    llm, _ = chat(script={"large_context": 4})

    with pytest.raises(lc.ContextOverflowError):
        llm.invoke("?")


def test_a_model_that_is_not_there_is_not_found() -> None:
    llm = ChatRelayGen(large="./no-such-folder", small="./no-other", profile="qwen3")

    for error in (lc.ModelNotFoundError, ModelLoadError):
        with pytest.raises(error, match="no-such-folder"):
            llm.invoke("?")


async def test_a_call_that_failed_before_anything_was_written_begins_anew_as_often_as_it_may() -> None:
    assert chat(script={"fail": failing(2)}, max_retries=2)[0].invoke("?").content == ANSWER
    assert (await chat(script={"fail": failing(2)}, max_retries=2)[0].ainvoke("?")).content == ANSWER
    with pytest.raises(RelayEngineError):
        chat(script={"fail": failing(3)}, max_retries=2)[0].invoke("?")
    with pytest.raises(RelayEngineError):
        chat(script={"fail": failing(1)})[0].invoke("?")


def test_a_stream_never_begins_anew_once_a_piece_was_handed_on() -> None:
    llm, engine = chat(script={"fail": failing(1, after=3)}, max_retries=5)

    with pytest.raises(RelayEngineError):
        list(llm.stream("?"))
    assert engine.closed_sessions == 1


def test_retries_and_fallbacks_of_langchain_work() -> None:
    broken, _ = chat(script={"fail": failing(99)})
    flaky, _ = chat(script={"fail": failing(1)})
    sound, _ = chat()

    assert broken.with_fallbacks([sound]).invoke("?").content == ANSWER
    retried = flaky.with_retry(retry_if_exception_type=(lc.ModelAPIError,), wait_exponential_jitter=False)
    assert retried.invoke("?").content == ANSWER
