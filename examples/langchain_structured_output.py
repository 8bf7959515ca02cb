"""Objects instead of text: the answer is held to the schema while it is written, the thinking before it is free."""

from pydantic import BaseModel, Field

from relaygen_integrations.langchain import ChatRelayGen


class Person(BaseModel):
    """A person."""

    name: str
    age: int = Field(description="In years.")


llm = ChatRelayGen.demo(temperature=0)

person = llm.with_structured_output(Person).invoke("Anna is 31 years old.")
print(repr(person))

# With the message itself beside it: what was thought, and what it took.
both = llm.with_structured_output(Person, include_raw=True).invoke("Tom is 8 years old.")
print(both["raw"].additional_kwargs["reasoning_content"].strip())
print(both["raw"].text, "->", repr(both["parsed"]))
