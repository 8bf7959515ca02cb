"""Which of LangChain's runs a generation belongs to: its id and who listens.

Owns the finding out. LangChain hands a run manager to ``_generate``, but hides it from ``_stream`` on purpose; so a
silent handler rides along, learns the run's id when it starts, and is left in a context variable for the first step of
the stream, which takes it. Uses two semi-private hooks of langchain-core (how callbacks are configured twice, and
``_should_stream``), which tests pin.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackHandler, CallbackManager, Callbacks
from langchain_core.callbacks.manager import BaseRunManager
from langchain_core.runnables import RunnableConfig, ensure_config

from relaygen_integrations.langchain.layers import Layer

__all__ = ["ChatRun", "Handover", "offer", "taken", "watch"]


@dataclass(frozen=True, slots=True)
class ChatRun:
    """A chat model's run in LangChain.

    Attributes:
        run_id: Its id.
        handlers: Everybody who listens to it.
        tags: Its tags.
        metadata: Its metadata.
    """

    run_id: UUID
    handlers: Sequence[BaseCallbackHandler]
    tags: Sequence[str] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


class RunWatch(BaseCallbackHandler):
    """Hears when the chat model's run starts, and nothing else."""

    run_inline = True
    ignore_llm = True
    ignore_chain = True
    ignore_agent = True
    ignore_retriever = True
    ignore_retry = True
    ignore_custom_event = True

    def __init__(self, handlers: Sequence[BaseCallbackHandler]) -> None:
        self._handlers = handlers
        self.run: ChatRun | None = None

    def on_chat_model_start(self, *_: Any, run_id: UUID, **told: Any) -> None:
        """Note the run."""
        if self.run is None:
            self.run = ChatRun(run_id, self._handlers, tuple(told.get("tags") or ()), dict(told.get("metadata") or {}))


class Handover:
    """What `stream` and ``_stream`` have to tell each other past LangChain, which stands between them.

    Args:
        source: How the run becomes known: a watch, or LangChain's run manager.
    """

    def __init__(self, source: RunWatch | BaseRunManager | None = None) -> None:
        self._source = source
        self.opened: Generator[Any, None, None] | None = None
        """The generation that ``_stream`` opened: LangChain leaves its closing to the garbage collector."""
        self.aopened: Layer[Any] | None = None
        """The same for ``_astream``."""
        self.closes = False
        """Whether somebody will close what is opened."""

    @property
    def run(self) -> ChatRun | None:
        """The run, if somebody listens to it."""
        source = self._source
        if isinstance(source, RunWatch):
            return source.run
        if source is None or not source.handlers:
            return None
        return ChatRun(source.run_id, source.handlers, source.tags, source.metadata)

    def close(self) -> None:
        """Close what was opened."""
        if self.opened is not None:
            self.opened.close()

    async def aclose(self) -> None:
        """Close what was opened, and wait until the models are free."""
        if self.aopened is not None:
            await self.aopened.aclose()

    @contextmanager
    def on_offer(self) -> Iterator[None]:
        """Inside, the first step of a stream finds this by `taken`."""
        token = _on_offer.set(self)
        self.closes = True
        try:
            yield
        finally:
            _on_offer.reset(token)


_on_offer: ContextVar[Handover | None] = ContextVar("relaygen_handover", default=None)


def offer(manager: BaseRunManager) -> None:
    """Leave a run manager for the stream that LangChain opens next, without it."""
    _on_offer.set(Handover(manager))


def taken(manager: BaseRunManager | None) -> Handover:
    """What was left for this generation; to be asked first of all.

    Args:
        manager: What LangChain handed over, if it did.
    """
    found = _on_offer.get()
    _on_offer.set(None)
    if manager is not None:
        return Handover(manager)
    return found or Handover()


def watch(
    config: RunnableConfig | None, manager: type[CallbackManager] | type[AsyncCallbackManager], own: Callbacks
) -> tuple[RunnableConfig, Handover]:
    """Ride along with the run that is about to start.

    Args:
        config: The call's.
        manager: The kind of callback manager that LangChain will make of it.
        own: The model's own callbacks.

    Returns:
        The configuration to go on with, and what to offer to the stream.
    """
    config = ensure_config(config)
    callbacks = manager.configure(config.get("callbacks"), own)
    if not callbacks.handlers:
        return config, Handover()
    seen = RunWatch(list(callbacks.handlers))
    callbacks.add_handler(seen, inherit=False)
    return {**config, "callbacks": callbacks}, Handover(seen)
