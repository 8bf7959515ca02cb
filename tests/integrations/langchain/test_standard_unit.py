"""LangChain's own unit tests for chat models, all of them, on `ChatRelayGen` as a user makes it."""

from __future__ import annotations

from typing import Any

from langchain_tests.unit_tests import ChatModelUnitTests

from relaygen_integrations.langchain import ChatRelayGen
from relaygen_integrations.pairs import DEMO_LARGE, DEMO_PROFILE, DEMO_SMALL

PAIR = {"large": DEMO_LARGE, "small": DEMO_SMALL, "profile": DEMO_PROFILE}


class TestChatRelayGenUnit(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[ChatRelayGen]:
        return ChatRelayGen

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return PAIR

    @property
    def init_from_env_params(self) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
        return {"RELAYGEN_API_KEY": "from-the-environment"}, PAIR, {"api_key": "from-the-environment"}
