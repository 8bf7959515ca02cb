"""Answer a question over documents, streamed: the facts stand in two places, their product in none."""

from typing import cast

from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.response.schema import StreamingResponse

from relaygen_integrations.llama_index import RelayGenLLM

FACTS = ("Each crate holds 34 bottles.", "The shop ordered 27 crates.")


def main() -> None:
    # Two toy models that come with the package; RelayGenLLM(large=..., small=..., profile=...) for real ones.
    llm = RelayGenLLM.demo(temperature=0, max_tokens=600)
    # The stand-in finds everything alike: with two documents that is right. Use a real embedding for more.
    index = VectorStoreIndex.from_documents(
        [Document(text=fact) for fact in FACTS], embed_model=MockEmbedding(embed_dim=8)
    )

    engine = index.as_query_engine(llm=llm, similarity_top_k=2, streaming=True)
    response = cast("StreamingResponse", engine.query("How many bottles are there in all?"))
    for text in response.response_gen:
        print(text, end="", flush=True)
    print()


if __name__ == "__main__":
    main()
