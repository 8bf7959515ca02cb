"""An agent with a calculator: it calls the tools, reads their results and answers; every token is shown as it comes."""

from langchain.agents import create_agent
from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.tools import tool

from relaygen_integrations.langchain import ChatRelayGen


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


agent = create_agent(ChatRelayGen.demo(temperature=0), tools=[add, multiply])
for message, _ in agent.stream({"messages": [HumanMessage("What is 37 * 24?")]}, stream_mode="messages"):
    if isinstance(message, ToolMessage):
        print(f"\n  {message.name} -> {message.content}")
    elif isinstance(message, AIMessageChunk):
        for call in message.tool_call_chunks:
            print(call["name"] or call["args"] or "", end="", flush=True)
        print(message.text, end="", flush=True)
print()
