"""What a chat model says of itself, and how it finds its pair: names, parameters, capabilities, token counts, copies.

Owns the relay behind the fields (shared, loaded on first use), the parameters that make a cache key, what LangSmith is
told, and what copying and pickling keep. Refuses to show a secret or to pickle models.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.language_models import LangSmithParams, ModelProfile
from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from relaygen_integrations.langchain.call import pair_name
from relaygen_integrations.langchain.capabilities import profile_of, profile_of_unloaded
from relaygen_integrations.langchain.errors import as_langchain_errors
from relaygen_integrations.langchain.fields import RelayFields
from relaygen_integrations.langchain.messages_in import part_of_history, texts_of
from relaygen_integrations.langchain.tools import relay_tools
from relaygen_integrations.langchain.usage import PROVIDER
from relaygen_integrations.pairs import Pair
from relaygen_runtime import CueProfile, MessagesError, Relay, load_profile

__all__ = ["RelayIdentity"]


class RelayIdentity(RelayFields):
    """`ChatRelayGen` without its calls."""

    _read: tuple[str, CueProfile] | None = PrivateAttr(default=None)
    _guessed: bool = PrivateAttr(default=False)

    def get_relay(self) -> Relay:
        """The relay behind this chat model; loads the models if nobody did yet.

        Raises:
            RelayModelNotFoundError: A model cannot be loaded.
            RelayConfigurationError: The cue profile cannot be used.
            MissingDependencyError: torch or transformers is not installed.
        """
        if self.relay is not None:
            return self.relay
        with as_langchain_errors():
            relay = self._pair.relay(self._cues(), prices=self.prices)
        if self._guessed:
            self._guessed, self.profile = False, profile_of(relay.engine.capabilities)
        return relay

    def close(self) -> None:
        """Free the models; of a named pair for everybody who names it, and whoever calls next loads them anew."""
        if self.relay is not None:
            self.relay.close()
        else:
            self._pair.close()

    @property
    def is_ready(self) -> bool:
        """Whether the models are loaded, so that a call begins at once."""
        return self.relay is not None or self._pair.is_loaded

    @property
    def _llm_type(self) -> str:
        return "relaygen-chat"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        """Everything that bears on what is written; no secrets. A cache's key is made of it."""
        own: dict[str, Any] = {} if self.relay is None else self.relay._defaults
        params: dict[str, Any] = {**self._names(), **own, **self.given_options()}
        # LangChain overwrites "stop" by the call's.
        params["stop_sequences"] = params.pop("stop", None)
        if self.engine_options:
            params["engine_options"] = {name: str(value) for name, value in self.engine_options.items()}
        params["show_schema"] = self.show_schema
        if self.output_version is not None:
            params["output_version"] = self.output_version
        return params

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        params = super()._get_ls_params(stop=stop or list(self.stop or ()) or None, **kwargs)
        params["ls_provider"] = PROVIDER
        if "ls_model_name" not in params:
            names = self._names()
            params["ls_model_name"] = pair_name(names["large"], names["small"])
        return params

    def _resolve_model_profile(self) -> ModelProfile:
        if self.relay is not None:
            return profile_of(self.relay.engine.capabilities)
        self._guessed = True
        return profile_of_unloaded(self.large or "", self.small or "")

    def get_token_ids(self, text: str) -> list[int]:
        """The text's tokens, by ``custom_get_token_ids`` if given, else by the large model's; loads the pair then."""
        if self.custom_get_token_ids is not None:
            return self.custom_get_token_ids(text)
        return list(self._tokenizing("token_ids")(text))

    def get_num_tokens_from_messages(
        self,
        messages: list[BaseMessage],
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool] | None = None,
    ) -> int:
        """Tokens of the prompt that these messages come to, by the large model's chat template; loads the pair.

        Any part of a history has a count, as trimming needs it. Where the template refuses one (a tool's result alone,
        no message at all), and where ``custom_get_token_ids`` was given, the tokens of its texts, reasoning and calls
        are counted, and of the tools.
        """
        with as_langchain_errors():
            made = relay_tools(tools or ())
        if messages and self.custom_get_token_ids is None:
            prompt_ids = self._tokenizing("prompt_ids")
            try:
                return len(prompt_ids(part_of_history(messages), made))
            except MessagesError:
                pass  # counted below, without a template
        texts = [*texts_of(messages), *(json.dumps(tool, ensure_ascii=False, default=str) for tool in made)]
        return sum(len(self.get_token_ids(text)) for text in texts)

    def _tokenizing(self, method: str) -> Callable[..., Sequence[int]]:
        engine = self.get_relay().engine
        found: Callable[..., Sequence[int]] | None = getattr(engine, method, None)
        if found is None:
            raise NotImplementedError(f"the {engine.capabilities.name} engine has no tokenizer to count with")
        return found

    @property
    def _pair(self) -> Pair:
        return Pair(self.large or "", self.small or "", self.engine_options)

    def _cues(self) -> CueProfile:
        """The cue profile, read once."""
        if isinstance(self.cue_profile, CueProfile):
            return self.cue_profile
        if self._read is None or self._read[0] != self.cue_profile:
            self._read = self.cue_profile or "", load_profile(self.cue_profile or "")
        return self._read[1]

    def _names(self) -> dict[str, Any]:
        if self.relay is None:
            large, small, cues = self.large, self.small, self.cue_profile
        else:
            capabilities = self.relay.engine.capabilities
            large, small, cues = capabilities.large_model, capabilities.small_model, self.relay.profile
        if isinstance(cues, CueProfile):
            cues = f"{cues.name} {hashlib.sha256(cues.model_dump_json().encode()).hexdigest()[:16]}"
        return {"large": large, "small": small, "cue_profile": cues, "model_name": self.model_name}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """What was given, and nothing of what was not."""
        hidden = ("api_key", "profile", "metadata")
        for name in type(self).model_fields:
            if name in self.model_fields_set and name not in hidden and (value := getattr(self, name)) is not None:
                yield name, value

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> RelayIdentity:
        """A copy writes with the same models."""
        memo = {} if memo is None else memo
        if self.relay is not None:
            memo[id(self.relay)] = self.relay
        return super().__deepcopy__(memo)

    def __getstate__(self) -> dict[Any, Any]:
        """The fields, without the key: a pair travels by its name.

        Raises:
            TypeError: The relay was handed in, and models do not travel.
        """
        if self.relay is not None:
            raise TypeError(
                f"{type(self).__name__}: made from a relay= it cannot be pickled, since models do not travel; name "
                "the pair with large=, small= and profile= instead"
            )
        state = super().__getstate__()
        return {**state, "__dict__": {**state["__dict__"], "api_key": None}}
