"""Agents of LlamaIndex: they act on the answer, never on the thinking, and find their calls and results again."""

from __future__ import annotations

import pytest
from llama_index.core.agent.workflow import (
    AgentOutput,
    AgentStream,
    AgentWorkflow,
    FunctionAgent,
    ReActAgent,
    ToolCallResult,
)
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.workflow import WorkflowRuntimeError
from pydantic import BaseModel

from relaygen_integrations.llama_index import RelayGenLLM
from tests.integrations.llama_index.scripts import call_text, saying, thought

pytestmark = [
    # LlamaIndex's workflows read every attribute of an agent when they look for its steps, pydantic's deprecated too.
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning:inspect"),
    # Its ReActAgent asks whether the workflow that it is a step of runs.
    pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning"),
]

ran: list[tuple[int, int]] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    ran.clear()


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    ran.append((a, b))
    return a * b


def react_step(a: int, b: int) -> str:
    return f'Thought: I need a tool.\nAction: multiply\nAction Input: {{"a": {a}, "b": {b}}}'


def memory() -> ChatMemoryBuffer:
    return ChatMemoryBuffer.from_defaults(token_limit=3_000)


async def run(agent: FunctionAgent | ReActAgent, question: str) -> tuple[str, list[object]]:
    handler = agent.run(question, memory=memory(), max_iterations=6)
    events: list[object] = [event async for event in handler.stream_events()]
    return ended(await handler).response.content or "", events


def ended(output: object) -> AgentOutput:
    assert isinstance(output, AgentOutput)
    return output


def results(events: list[object]) -> list[tuple[str, dict[str, object], str]]:
    return [(e.tool_name, e.tool_kwargs, e.tool_output.content) for e in events if isinstance(e, ToolCallResult)]


@pytest.mark.parametrize("streaming", [True, False])
class TestReAct:
    async def test_case_31_it_never_acts_on_thinking(self, streaming: bool) -> None:
        tempting = f"I could do this:\n{react_step(6, 6)}\nObservation: 36\nThought: Done.\nAnswer: 36"
        llm, engine = saying(thought(tempting, "Thought: I know it.\nAnswer: It is 12."))
        answer, _ = await run(ReActAgent(tools=[multiply], llm=llm, streaming=streaming), "How many?")

        assert answer == "It is 12."
        assert ran == []
        assert len(engine.requests) == 1

    async def test_it_acts_on_the_answer(self, streaming: bool) -> None:
        llm, engine = saying(
            thought(f"Not this:\n{react_step(9, 9)}", react_step(3, 4)),
            thought("It is done.", "Thought: I can answer.\nAnswer: It is 12."),
        )
        answer, events = await run(ReActAgent(tools=[multiply], llm=llm, streaming=streaming), "What is 3 * 4?")

        assert (answer, ran) == ("It is 12.", [(3, 4)])
        assert [output for _, _, output in results(events)] == ["12"]
        seen = " ".join(str(message["content"]) for message in engine.requests[1].messages)
        assert "Observation: 12" in seen
        assert "9" not in seen.partition("What is 3 * 4?")[2]

    async def test_an_empty_answer_is_asked_for_again(self, streaming: bool) -> None:
        llm, engine = saying(thought("Hm.", ""), thought("Well.", "Thought: I know it.\nAnswer: 12"))
        answer, _ = await run(ReActAgent(tools=[multiply], llm=llm, streaming=streaming), "How many?")

        assert answer == "12"
        assert len(engine.requests) == 2


@pytest.mark.parametrize("streaming", [True, False])
class TestFunctionAgent:
    async def test_it_calls_and_answers(self, streaming: bool) -> None:
        llm, engine = saying(
            thought("I multiply.", call_text("multiply", '{"a": 3, "b": 4}')), thought("Done.", "It is 12.")
        )
        answer, events = await run(FunctionAgent(tools=[multiply], llm=llm, streaming=streaming), "What is 3 * 4?")

        assert (answer, ran) == ("It is 12.", [(3, 4)])
        assert results(events) == [("multiply", {"a": 3, "b": 4}, "12")]
        question, call, result = engine.requests[1].messages
        assert question["content"] == "What is 3 * 4?"
        assert call["reasoning_content"].strip() == "I multiply."
        assert call["tool_calls"][0]["id"] == result["tool_call_id"]
        assert result["content"] == "12"

    async def test_case_13_a_call_in_the_thinking_is_not_made(self, streaming: bool) -> None:
        llm, _ = saying(thought(call_text("multiply", '{"a": 9, "b": 9}'), "It is 12."))
        answer, _ = await run(FunctionAgent(tools=[multiply], llm=llm, streaming=streaming), "?")

        assert (answer, ran) == ("It is 12.", [])

    async def test_parallel_calls_are_all_answered(self, streaming: bool) -> None:
        both = "\n".join([call_text("multiply", '{"a": 3, "b": 4}'), call_text("multiply", '{"a": 5, "b": 6}')])
        llm, engine = saying(thought("Both.", both), thought("Done.", "They are 12 and 30."))
        answer, _ = await run(FunctionAgent(tools=[multiply], llm=llm, streaming=streaming), "?")

        assert answer == "They are 12 and 30."
        assert sorted(ran) == [(3, 4), (5, 6)]
        assert {message["content"] for message in engine.requests[1].messages[2:]} == {"12", "30"}

    async def test_the_first_choice_of_a_tool_is_handed_on(self, streaming: bool) -> None:
        llm, engine = saying(
            thought("I multiply.", call_text("multiply", '{"a": 3, "b": 4}')), thought("Done.", "It is 12.")
        )
        agent = FunctionAgent(
            tools=[multiply],
            llm=llm,
            streaming=streaming,
            initial_tool_choice="multiply",
            allow_parallel_tool_calls=False,
        )

        assert (await run(agent, "?"))[0] == "It is 12."
        assert len(engine.requests) == 2


async def test_thinking_streams_apart_from_the_answer() -> None:
    llm, _ = saying(thought("I know it.", "It is 12."))
    _, events = await run(FunctionAgent(tools=[multiply], llm=llm), "?")
    streamed = [event for event in events if isinstance(event, AgentStream)]

    assert "".join(event.delta for event in streamed) == "It is 12."
    assert "".join(event.thinking_delta or "" for event in streamed).strip() == "I know it."


async def test_agents_hand_over_to_each_other() -> None:
    llm, engine = saying(
        thought("Not mine.", call_text("handoff", '{"to_agent": "counter", "reason": "it counts"}')),
        thought("I multiply.", call_text("multiply", '{"a": 3, "b": 4}')),
        thought("Done.", "It is 12."),
    )
    greeter = FunctionAgent(name="greeter", description="Greets.", llm=llm, can_handoff_to=["counter"])
    counter = FunctionAgent(name="counter", description="Counts.", llm=llm, tools=[multiply])
    workflow = AgentWorkflow(agents=[greeter, counter], root_agent="greeter")
    output = ended(await workflow.run("What is 3 * 4?", memory=memory()))

    assert output.response.content == "It is 12."
    assert ran == [(3, 4)]
    assert len(engine.requests) == 3


class Product(BaseModel):
    value: int


async def test_an_agent_ends_in_an_object() -> None:
    llm, _ = saying(thought("I know it.", "It is 12."), thought("So.", call_text("Product", '{"value": 12}')))
    output = ended(await FunctionAgent(tools=[multiply], llm=llm, output_cls=Product).run("?", memory=memory()))

    assert output.get_pydantic_model(Product) == Product(value=12)


async def test_without_a_tool_format_a_workflow_takes_the_react_agent() -> None:
    llm, _ = saying(thought("Hm.", react_step(3, 4)), thought("So.", "Thought: Done.\nAnswer: 12"), tool_format=None)
    output = ended(await AgentWorkflow.from_tools_or_functions([multiply], llm=llm).run("?", memory=memory()))

    assert output.response.content == "12"
    assert ran == [(3, 4)]
    with pytest.raises((ValueError, WorkflowRuntimeError), match="FunctionCallingLLM"):
        await FunctionAgent(tools=[multiply], llm=llm).run("?", memory=memory())


class TestOnTheEmbeddedPair:
    async def test_case_31_react_never_acts_on_thinking(self, demo_llm: RelayGenLLM) -> None:
        agent = ReActAgent(tools=[multiply], llm=demo_llm)
        _, events = await run(agent, "What is 27 * 34?")
        streamed = [event for event in events if isinstance(event, AgentStream)]
        said = "".join(event.delta for event in streamed)

        assert "".join(event.thinking_delta or "" for event in streamed)
        assert [name for name, _, _ in results(events) if f"Action: {name}" not in said] == []

    @pytest.mark.xfail(reason="the embedded pair garbles the name of an argument in an action's input")
    async def test_react_acts_on_its_answer(self, demo_llm: RelayGenLLM) -> None:
        answer, events = await run(ReActAgent(tools=[multiply], llm=demo_llm), "What is 27 * 34?")

        assert results(events) == [("multiply", {"a": 27, "b": 34}, "918")]
        assert "918" in answer

    async def test_a_function_agent_calls_its_tool_and_tells_what_came(self, demo_llm: RelayGenLLM) -> None:
        answer, events = await run(FunctionAgent(tools=[multiply], llm=demo_llm), "What is 27 * 34?")

        assert results(events) == [("multiply", {"a": 27, "b": 34}, "918")]
        assert "918" in answer
