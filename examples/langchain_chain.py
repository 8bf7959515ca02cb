"""A prompt, a chat model and a parser: `ChatRelayGen` stands where any other chat model stood."""

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate

from relaygen_integrations.langchain import ChatRelayGen

# A pair of your own: ChatRelayGen(large="Qwen/Qwen3-32B", small="Qwen/Qwen3-1.7B", profile="qwen3", temperature=0)
llm = ChatRelayGen.demo(temperature=0)

prompt = ChatPromptTemplate.from_template("What is {a} * {b} + {c}?")
chain = prompt | llm | StrOutputParser()

for piece in chain.stream({"a": 37, "b": 24, "c": 118}):
    print(piece, end="", flush=True)
print()

# A batch waits in line: one pair of models serves one call at a time.
for answer in chain.batch([{"a": 46, "b": 31, "c": 207}, {"a": 58, "b": 19, "c": 340}]):
    print(answer)
