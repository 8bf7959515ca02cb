"""A graph by hand: the model, its tools, and back again until it calls none."""

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from relaygen_integrations.langchain import ChatRelayGen


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


llm = ChatRelayGen.demo(temperature=0).bind_tools([multiply])


def model(state: MessagesState) -> MessagesState:
    """Answer, or call a tool."""
    return {"messages": [llm.invoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node("model", model)
builder.add_node("tools", ToolNode([multiply]))
builder.add_edge(START, "model")
builder.add_conditional_edges("model", tools_condition)
builder.add_edge("tools", "model")
graph = builder.compile()

for message in graph.invoke({"messages": [HumanMessage("What is 37 * 24?")]})["messages"]:
    message.pretty_print()
