"""Query and chat engines of LlamaIndex: they use the answer, never the thinking, and nothing of the network."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.prompts import PromptTemplate

from relaygen_integrations.llama_index import RelayGenLLM
from tests.integrations.llama_index.scripts import saying, thought

FACTS = ("Each crate holds 34 bottles.", "The shop ordered 27 crates.", "Of these, 105 bottles broke.")
QUESTION = "How many bottles are left?"
IN_ALL = "How many bottles are there in all?"
THINKING = "The shop has 27 crates of 34 bottles. So, I take away 105."
ANSWER = "There are 813 bottles left."
CHAT_MODES = [ChatMode.SIMPLE, ChatMode.CONTEXT, ChatMode.CONDENSE_PLUS_CONTEXT, ChatMode.CONDENSE_QUESTION]


@pytest.fixture(scope="module")
def index() -> VectorStoreIndex:
    documents = [Document(text=fact) for fact in FACTS]
    return VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=8))


@pytest.fixture(scope="module")
def two_facts() -> VectorStoreIndex:
    documents = [Document(text=fact) for fact in FACTS[:2]]
    return VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=8))


def scripted_llm() -> RelayGenLLM:
    return saying(thought(THINKING, ANSWER))[0]


def query_engine(index: VectorStoreIndex, llm: RelayGenLLM, **options: Any) -> Any:
    return index.as_query_engine(llm=llm, similarity_top_k=3, **options)


def test_a_query_is_answered_by_the_answer(index: VectorStoreIndex) -> None:
    llm, engine = saying(thought(THINKING, ANSWER))

    assert str(query_engine(index, llm).query(QUESTION)) == ANSWER
    prompt = "".join(str(message["content"]) for message in engine.requests[0].messages)
    assert [fact for fact in FACTS if fact not in prompt] == []


def test_a_streamed_query_streams_the_answer(index: VectorStoreIndex) -> None:
    response = query_engine(index, scripted_llm(), streaming=True).query(QUESTION)

    assert isinstance(response, StreamingResponse)
    assert "".join(response.response_gen) == ANSWER


async def test_queries_of_async_code_agree(index: VectorStoreIndex) -> None:
    whole = await query_engine(index, scripted_llm()).aquery(QUESTION)
    streamed = await query_engine(index, scripted_llm(), streaming=True).aquery(QUESTION)

    assert str(whole) == ANSWER
    assert isinstance(streamed, AsyncStreamingResponse)
    pieces = [piece async for piece in streamed.async_response_gen()]
    assert "".join(pieces) == ANSWER


@pytest.mark.parametrize("mode", ["compact", "refine", "tree_summarize", "simple_summarize", "accumulate"])
def test_every_way_to_synthesise_works(index: VectorStoreIndex, mode: str) -> None:
    assert "813" in str(query_engine(index, scripted_llm(), response_mode=mode).query(QUESTION))


def chat_engine(index: VectorStoreIndex, llm: RelayGenLLM, mode: ChatMode) -> BaseChatEngine:
    memory = ChatMemoryBuffer.from_defaults(token_limit=2_000)
    return index.as_chat_engine(chat_mode=mode, llm=llm, similarity_top_k=3, memory=memory)


@pytest.mark.parametrize("mode", CHAT_MODES)
async def test_every_chat_engine_answers_in_four_ways(index: VectorStoreIndex, mode: ChatMode) -> None:
    engine = chat_engine(index, scripted_llm(), mode)
    streamed = engine.stream_chat("And again?")
    answers = [str(engine.chat(QUESTION)), "".join(streamed.response_gen), str(await engine.achat("And now?"))]
    later = await engine.astream_chat("And then?")
    answers.append("".join([piece async for piece in later.async_response_gen()]))

    assert answers == [ANSWER] * 4


def test_the_history_holds_the_answers(index: VectorStoreIndex) -> None:
    engine = chat_engine(index, scripted_llm(), ChatMode.CONTEXT)
    engine.chat(QUESTION)
    engine.chat("And again?")

    assert [message.content for message in engine.chat_history][1::2] == [ANSWER, ANSWER]


def test_predict_shapes_and_parses_the_answer() -> None:
    llm, engine = saying(thought(THINKING, ANSWER), options={"system_prompt": "Be exact."})

    assert llm.predict(PromptTemplate("How many {what}?"), what="bottles") == ANSWER
    assert engine.requests[0].messages == [
        {"role": "system", "content": "Be exact."},
        {"role": "user", "content": "How many bottles?"},
    ]


class TestOnTheEmbeddedPair:
    @pytest.mark.xfail(
        reason="of retrieved facts the embedded pair works out a product, not yet product and difference"
    )
    def test_a_question_over_documents_is_worked_out_from_their_facts(
        self, index: VectorStoreIndex, demo_llm: RelayGenLLM
    ) -> None:
        assert "813" in str(query_engine(index, demo_llm).query(QUESTION))

    def test_a_product_of_facts_is_worked_out(self, two_facts: VectorStoreIndex, demo_llm: RelayGenLLM) -> None:
        assert "918" in str(query_engine(two_facts, demo_llm).query(IN_ALL))

    async def test_so_it_is_streamed_and_by_async_code(
        self, two_facts: VectorStoreIndex, demo_llm: RelayGenLLM
    ) -> None:
        streamed = query_engine(two_facts, demo_llm, streaming=True).query(IN_ALL)
        later = await query_engine(two_facts, demo_llm, streaming=True).aquery(IN_ALL)

        whole = str(await query_engine(two_facts, demo_llm).aquery(IN_ALL))
        assert "918" in whole
        assert "".join(streamed.response_gen) == whole
        assert "".join([piece async for piece in later.async_response_gen()]) == whole

    def test_a_conversation_goes_on(self, index: VectorStoreIndex, demo_llm: RelayGenLLM) -> None:
        engine = chat_engine(index, demo_llm, ChatMode.SIMPLE)

        assert "813" in str(engine.chat("What is 27 * 34 - 105?"))
        assert "853" in str(engine.chat("And if 40 more arrive?"))

    async def test_the_four_ways_agree(self, demo_llm: RelayGenLLM) -> None:
        asked = [ChatMessage("What is 27 * 34 - 105?")]
        ways = [
            demo_llm.chat(asked),
            list(demo_llm.stream_chat(asked))[-1],
            await demo_llm.achat(asked),
            [chunk async for chunk in await demo_llm.astream_chat(asked)][-1],
        ]

        assert "813" in (ways[0].message.content or "")
        assert [way.message for way in ways] == [ways[0].message] * 4
        assert [way.raw["usage"] for way in ways] == [ways[0].raw["usage"]] * 4

    def test_two_objects_of_one_name_share_the_models(self, demo_llm: RelayGenLLM) -> None:
        again = RelayGenLLM.from_dict(demo_llm.to_dict())

        assert again._relay().engine is demo_llm._relay().engine
        assert again.complete("What is 27 * 34 - 105?").text == demo_llm.complete("What is 27 * 34 - 105?").text
