"""Agents and graphs: a calculator agent on real models, every token once, objects as answers, both strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from relaygen_integrations.langchain import ChatRelayGen
from relaygen_runtime import Relay, Role
from tests.integrations.langchain.chats import chat

QUESTION: Any = {"messages": [HumanMessage("What is 37 * 24?")]}
THOUGHT = "Let me see.\n</think>\n\n"


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


class Result(BaseModel):
    """The result."""

    value: int


def call(name: str = "multiply", arguments: str = '{"a": 37, "b": 24}') -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


class Turns:
    """A chat model that writes another script at every call, as an agent's model does turn by turn."""

    def __init__(self, *answers: str) -> None:
        self.llm, self._engine = chat(["unused"], ["unused"])
        self._answers = list(answers)
        opens = self._engine.open

        def open_next(*args: Any, **kwargs: Any) -> Any:
            answer = self._answers.pop(0)
            self._engine.turns = {Role.LARGE: (THOUGHT, answer), Role.SMALL: (answer,)}
            return opens(*args, **kwargs)

        self._engine.open = open_next  # type: ignore[method-assign]  # a script a turn


def test_an_agent_of_real_models_calls_its_calculator_and_answers_with_the_result(demo_relay: Relay) -> None:
    agent = create_agent(ChatRelayGen.demo(temperature=0), tools=[multiply])
    asked, called, told, answered = agent.invoke(QUESTION)["messages"]

    assert isinstance(asked, HumanMessage)
    assert [(one["name"], one["args"]) for one in called.tool_calls] == [("multiply", {"a": 37, "b": 24})]
    assert isinstance(told, ToolMessage)
    assert told.content == "888"
    assert "888" in answered.text


async def test_an_async_agent_of_real_models_does_too(demo_relay: Relay) -> None:
    agent = create_agent(ChatRelayGen.demo(temperature=0), tools=[multiply])
    messages = (await agent.ainvoke(QUESTION))["messages"]

    assert "888" in messages[-1].text


def streamed_texts(messages: Sequence[BaseMessage]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for message in messages:
        assert message.id is not None
        texts[message.id] = texts.get(message.id, "") + message.text
    return texts


@pytest.mark.parametrize("output_version", [None, "v1"])
async def test_in_messages_mode_every_token_comes_once(output_version: str | None) -> None:
    for asynchronous in (False, True):
        turns = Turns(call(), "It is 888, I am sure.")
        agent = create_agent(turns.llm.model_copy(update={"output_version": output_version}), tools=[multiply])
        if asynchronous:
            parts = [part async for part in agent.astream(QUESTION, stream_mode="messages")]
        else:
            parts = list(agent.stream(QUESTION, stream_mode="messages"))
        chunks = [message for message, _ in parts if isinstance(message, AIMessageChunk)]

        assert sorted(text for text in streamed_texts(chunks).values() if text) == ["It is 888, I am sure."]
        assert len([chunk for chunk in chunks if chunk.text]) > 3
        pieces = "".join(piece["args"] or "" for chunk in chunks for piece in chunk.tool_call_chunks)
        assert pieces == '{"a": 37, "b": 24}'


def test_an_agent_may_call_two_tools_at_once_and_gets_both_results() -> None:
    turns = Turns(call() + "\n" + call(arguments='{"a": 2, "b": 3}'), "888 and 6.")
    messages = create_agent(turns.llm, tools=[multiply]).invoke(QUESTION)["messages"]

    assert [message.content for message in messages if isinstance(message, ToolMessage)] == ["888", "6"]


def test_an_invalid_call_is_not_run_and_the_agent_ends() -> None:
    turns = Turns('<tool_call>\n{"name": "multiply", "arguments": {"a": 37')
    *_, last = create_agent(turns.llm, tools=[multiply]).invoke(QUESTION)["messages"]

    assert isinstance(last, AIMessage)
    assert (last.tool_calls, len(last.invalid_tool_calls)) == ([], 1)


def test_an_object_as_answer_is_asked_of_the_model_itself() -> None:
    turns = Turns(call(), '{"value": 888}')
    agent = create_agent(turns.llm, tools=[multiply], response_format=Result)

    assert agent.invoke(QUESTION)["structured_response"] == Result(value=888)


def test_an_object_as_answer_may_be_a_tool_too() -> None:
    turns = Turns(call("Result", '{"value": 888}'))
    agent = create_agent(turns.llm, tools=[multiply], response_format=ToolStrategy(Result))

    assert agent.invoke(QUESTION)["structured_response"] == Result(value=888)


def test_on_real_models_an_object_as_answer_keeps_to_its_schema(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0, max_tokens=400)
    agent = create_agent(llm, tools=[], response_format=ProviderStrategy(Result))

    assert isinstance(agent.invoke(QUESTION)["structured_response"], Result)


def test_a_graph_keeps_its_messages_over_a_checkpoint() -> None:
    turns = Turns("First.", "Second.")

    def model(state: MessagesState) -> MessagesState:
        return {"messages": [turns.llm.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_edge(START, "model")
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke(QUESTION, config)
    messages = graph.invoke({"messages": [HumanMessage("And?")]}, config)["messages"]

    assert [message.text for message in messages[1::2]] == ["First.", "Second."]
    assert messages[1].additional_kwargs["relay_segments"][0]["role"] == "large"


def test_a_graph_of_real_models_goes_round_until_the_model_answers(demo_relay: Relay) -> None:
    llm = ChatRelayGen.demo(temperature=0).bind_tools([multiply])

    def model(state: MessagesState) -> MessagesState:
        return {"messages": [llm.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", ToolNode([multiply]))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    messages = builder.compile().invoke(QUESTION)["messages"]

    assert "888" in messages[-1].text
