"""Who hears of segments: relay handlers, custom events and observers, on every path, with the chat model's run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import Runnable, RunnableConfig

from relaygen_integrations.langchain import AsyncRelayCallbackHandler, RelayCallbackHandler
from relaygen_integrations.langchain.chat_run import ChatRun
from relaygen_integrations.langchain.observers import OBSERVERS
from relaygen_runtime import RelayFinished, SegmentFinished, SegmentStarted
from tests.integrations.langchain.chats import chat

NEWS = ["start", "end"] * 4 + ["finish"]


class Listener(RelayCallbackHandler):
    def __init__(self) -> None:
        self.news: list[str] = []
        self.told: list[dict[str, Any]] = []
        self.runs: set[UUID] = set()
        self.started: set[UUID] = set()
        self.tokens = 0

    def on_chat_model_start(self, *_: Any, run_id: UUID, **kwargs: Any) -> None:
        self.started.add(run_id)

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        self.tokens += bool(token)

    def on_relay_segment_start(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        self._note("start", segment, run_id)

    def on_relay_segment_end(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        self._note("end", segment, run_id)

    def on_relay_finish(self, summary: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        self._note("finish", summary, run_id)

    def _note(self, kind: str, data: dict[str, Any], run_id: UUID) -> None:
        self.news.append(kind)
        self.told.append(data)
        self.runs.add(run_id)


class AsyncListener(AsyncRelayCallbackHandler):
    def __init__(self) -> None:
        self.news: list[str] = []

    async def on_relay_segment_start(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        self.news.append("start")

    async def on_relay_segment_end(self, segment: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        self.news.append("end")

    async def on_relay_finish(self, summary: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        self.news.append("finish")


def heard(listener: BaseCallbackHandler) -> RunnableConfig:
    return {"callbacks": [listener]}


async def drained(llm: Runnable[Any, Any], config: RunnableConfig) -> None:
    async for _ in llm.astream("?", config):
        pass


@pytest.mark.parametrize("way", ["invoke", "stream", "batch", "chain", "streamed chain", "own callbacks"])
def test_a_listener_hears_every_segment_once_with_the_run_of_the_chat_model(way: str) -> None:
    listener = Listener()
    llm, _ = chat(callbacks=[listener]) if way == "own callbacks" else chat()
    chain = llm | StrOutputParser()
    if way == "invoke":
        llm.invoke("?", heard(listener))
    elif way == "stream":
        list(llm.stream("?", heard(listener)))
    elif way == "batch":
        llm.batch(["?"], heard(listener))
    elif way == "chain":
        chain.invoke("?", heard(listener))
    elif way == "streamed chain":
        list(chain.stream("?", heard(listener)))
    else:
        list(llm.stream("?"))

    assert listener.news == NEWS
    assert listener.runs == listener.started
    assert len(listener.runs) == 1


@pytest.mark.parametrize("way", ["ainvoke", "astream", "chain"])
async def test_a_listener_hears_the_same_from_async_code(way: str) -> None:
    listener, alistener = Listener(), AsyncListener()
    llm, _ = chat()
    for one in (listener, alistener):
        if way == "ainvoke":
            await llm.ainvoke("?", heard(one))
        elif way == "astream":
            await drained(llm, heard(one))
        else:
            await drained(llm | StrOutputParser(), heard(one))

    assert listener.news == alistener.news == NEWS
    assert listener.runs == listener.started


def test_an_async_listener_hears_of_a_synchronous_call_too() -> None:
    listener = AsyncListener()
    chat()[0].invoke("?", heard(listener))

    assert listener.news == NEWS


def test_news_are_plain_records() -> None:
    listener = Listener()
    chat()[0].invoke("?", heard(listener))
    started, ended, *_, finished = listener.told

    assert (started["index"], started["role"], started["phase"]) == (0, "large", "thinking")
    assert (ended["reason"], ended["cue"]) == ("cue", "So,")
    assert finished["ledger"]["segments"] == 4


def test_a_segment_is_announced_before_its_first_chunk() -> None:
    listener = Listener()
    stream = chat()[0].stream("?", heard(listener))

    next(iter(stream))

    assert listener.news == ["start"]


def test_a_listener_may_have_custom_events_of_its_own() -> None:
    class Own(Listener):
        def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> Any:
            self.told.append({"name": name})
            return super().on_custom_event(name, data, run_id=run_id, **kwargs)

    listener = Own()
    listener.on_custom_event("mine", {}, run_id=UUID(int=1))
    chat()[0].invoke("?", heard(listener))

    assert listener.told[0] == {"name": "mine"}
    assert listener.news == NEWS


async def test_segments_are_custom_events_among_the_streamed_ones() -> None:
    llm, _ = chat()
    events = [event async for event in (llm | StrOutputParser()).astream_events("?", version="v2")]
    ours = [event for event in events if event["event"] == "on_custom_event"]
    (start,) = [event for event in events if event["event"] == "on_chat_model_start"]

    assert [event["name"] for event in ours] == [
        *["relay_segment_start", "relay_segment_end"] * 4,
        "relay_finish",
    ]
    assert {event["run_id"] for event in ours} == {start["run_id"]}
    tokens = [event["data"]["chunk"].text for event in events if event["event"] == "on_chat_model_stream"]
    assert "".join(tokens) == "The result is 12."


async def test_an_invoke_inside_a_streamed_graph_is_heard_of_too() -> None:
    llm, _ = chat()

    async def node(question: str) -> Any:
        return await llm.ainvoke(question)

    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415

    events = [event async for event in RunnableLambda(node).astream_events("?", version="v2")]

    assert [event["name"] for event in events if event["event"] == "on_custom_event"].count("relay_finish") == 1
    assert any(event["event"] == "on_chat_model_stream" for event in events)


def test_an_implicit_stream_inside_invoke_is_heard_of_and_yields_tokens() -> None:
    listener = Listener()
    llm, _ = chat(streaming=True)
    message = llm.invoke("?", heard(listener))

    assert message.content == "The result is 12."
    assert listener.news == NEWS
    assert listener.tokens > 1


def test_without_listeners_nothing_is_left_for_the_next_call_to_find() -> None:
    listener = Listener()
    llm, _ = chat()
    list(llm.stream("?"))
    llm.invoke("?", heard(listener))
    list(llm.stream("?"))

    assert listener.news == NEWS


class Follower:
    def __init__(self) -> None:
        self.runs: list[ChatRun] = []
        self.seen: list[str] = []

    def __call__(self, run: ChatRun) -> Follower:
        self.runs.append(run)
        return self

    def segment_started(self, event: SegmentStarted) -> None:
        self.seen.append("start")

    def segment_finished(self, event: SegmentFinished) -> None:
        self.seen.append("end")
        assert event.entry.text

    def finished(self, event: RelayFinished) -> None:
        self.seen.append("finish")

    def failed(self, error: BaseException) -> None:
        self.seen.append(type(error).__name__)


@pytest.fixture
def follower() -> Iterator[Follower]:
    follower = Follower()
    OBSERVERS.append(follower)
    yield follower
    OBSERVERS.remove(follower)


async def test_an_observer_follows_whatever_somebody_listens_to(follower: Follower) -> None:
    listener = Listener()
    llm, _ = chat()
    llm.invoke("?", heard(listener))
    await drained(llm, heard(listener))

    assert follower.seen == NEWS * 2
    assert {run.run_id for run in follower.runs} == listener.started
    assert listener in follower.runs[0].handlers


def test_an_observer_hears_of_a_consumer_that_leaves(follower: Follower) -> None:
    for _ in chat()[0].stream("?", heard(Listener())):
        break

    assert follower.seen == ["start", "GeneratorExit"]
