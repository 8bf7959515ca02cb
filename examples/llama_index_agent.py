"""An agent with a tool: what it thinks, what it calls, what it says."""

import asyncio

from llama_index.core.agent.workflow import AgentStream, FunctionAgent, ToolCallResult

from relaygen_integrations.llama_index import RelayGenLLM


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


async def main() -> None:
    # Two toy models that come with the package; RelayGenLLM(large=..., small=..., profile=...) for real ones.
    llm = RelayGenLLM.demo(temperature=0, max_tokens=600)
    agent = FunctionAgent(tools=[multiply], llm=llm)

    handler = agent.run("What is 27 * 34?")
    async for event in handler.stream_events():
        if isinstance(event, AgentStream):
            print(event.thinking_delta or event.delta, end="", flush=True)
        elif isinstance(event, ToolCallResult):
            print(f"\n[{event.tool_name}({event.tool_kwargs}) -> {event.tool_output}]")
    print("\nAnswer:", await handler)


if __name__ == "__main__":
    asyncio.run(main())
