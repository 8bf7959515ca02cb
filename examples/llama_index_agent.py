"""An agent that looks something up: what it thinks, what it calls, what it says."""

import asyncio

from llama_index.core.agent.workflow import AgentStream, FunctionAgent, ToolCallResult

from relaygen_integrations.llama_index import RelayGenLLM

PRICES = {"lamp": 34, "chair": 71}


def get_price(item: str) -> str:
    """Find the price of a thing."""
    return f"{PRICES[item]} coins" if item in PRICES else "not for sale"


async def main() -> None:
    # Two toy models that come with the package; RelayGenLLM(large=..., small=..., profile=...) for real ones.
    llm = RelayGenLLM.demo(temperature=0, max_tokens=600)
    agent = FunctionAgent(tools=[get_price], llm=llm)

    handler = agent.run("What does the lamp cost?")
    async for event in handler.stream_events():
        if isinstance(event, AgentStream):
            print(event.thinking_delta or event.delta, end="", flush=True)
        elif isinstance(event, ToolCallResult):
            print(f"\n[{event.tool_name}({event.tool_kwargs}) -> {event.tool_output}]")
    print("\nAnswer:", await handler)


if __name__ == "__main__":
    asyncio.run(main())
