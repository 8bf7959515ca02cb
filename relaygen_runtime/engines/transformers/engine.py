"""`TransformersEngine`: any two Hugging Face causal models, in this process.

Owns the pair: both models with their caches, the queue in front of them, and the opening of sessions. Serves one
generation at a time; many at once is what a server is for.
"""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import torch

from relaygen_runtime.answer.constraint import AnswerConstraint
from relaygen_runtime.answer.tool_formats import tool_format_of
from relaygen_runtime.engines.base import Capabilities, GenerationRequest, Message, Session
from relaygen_runtime.engines.transformers.answer_grammar import AnswerGrammar
from relaygen_runtime.engines.transformers.choose_half import choose_half
from relaygen_runtime.engines.transformers.generation import Drafting, Generation
from relaygen_runtime.engines.transformers.grammar import GrammarCompiler
from relaygen_runtime.engines.transformers.half import Half
from relaygen_runtime.engines.transformers.loading import load_model, load_tokenizer
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.noise import Noise
from relaygen_runtime.engines.transformers.prompt import encode, render
from relaygen_runtime.engines.transformers.same_tokenizer import same_tokenizer
from relaygen_runtime.engines.transformers.sampling import Penalties, Settings, resolve
from relaygen_runtime.engines.transformers.session import TransformersSession
from relaygen_runtime.engines.transformers.slot_half import SlotHalf
from relaygen_runtime.engines.transformers.speed import Speed
from relaygen_runtime.engines.transformers.spelling import spelling_of
from relaygen_runtime.engines.transformers.track import SharedTrack, TextTrack, Track
from relaygen_runtime.engines.transformers.tuning import tune_for_cpu
from relaygen_runtime.engines.transformers.turnstile import Turnstile
from relaygen_runtime.errors import (
    ConfigurationError,
    ContextOverflowError,
    EngineError,
    ModelLoadError,
    UnknownOptionError,
)
from relaygen_runtime.vocabulary import Role

__all__ = ["TransformersEngine"]

_log = logging.getLogger(__name__)


class TransformersEngine:
    """Two models that write one answer, with both caches resident.

    Args:
        large_model: A Hugging Face causal model. It is used as it is and not changed.
        small_model: A smaller one.
        tokenizer: The large model's tokenizer; its chat template renders the prompt.
        small_tokenizer: The small model's, where it is not the same.
        speculation: Whether the small model drafts inside large segments, unless a request says otherwise.
        draft_max: The most tokens in one draft.
        draft_confidence: A draft ends after a token whose best candidate had less probability than this.
        max_context: An upper bound on both contexts, in tokens.
        padded: Run passes in a few fixed widths on caches of full length, as CUDA graphs need it, and read ids one pass
            late; None: on CUDA.
        compile: Compile the passes with torch.compile; True: with Inductor, or the name of a backend.
        large_name: Name in ledgers; None: from the model.
        small_name: As `large_name`.

    Raises:
        ModelLoadError: A model cannot be driven token by token, or the tokenizer has no chat template.
        ConfigurationError: An option outside its range.
    """

    def __init__(
        self,
        large_model: Any,
        small_model: Any,
        tokenizer: Any,
        small_tokenizer: Any = None,
        *,
        speculation: bool = True,
        draft_max: int = 24,
        draft_confidence: float = 0.7,
        max_context: int | None = None,
        padded: bool | None = None,
        compile: bool | str = False,
        large_name: str | None = None,
        small_name: str | None = None,
    ) -> None:
        _check_options(draft_max, draft_confidence, max_context)
        large_name, small_name = large_name or _name_of(large_model), small_name or _name_of(small_model)
        if getattr(tokenizer, "chat_template", None) is None:
            raise ModelLoadError(f"{large_name}: its tokenizer has no chat template; use an instruction-tuned model")
        small_tokenizer = tokenizer if small_tokenizer is None else small_tokenizer
        self._tokenizers = {Role.LARGE: tokenizer, Role.SMALL: small_tokenizer}
        self._shared = same_tokenizer(tokenizer, small_tokenizer)
        sizes = {role: len(tok) for role, tok in self._tokenizers.items()}
        if self._shared:  # paddings differ inside one family: only what both can write is written
            sizes = dict.fromkeys(sizes, min(sizes[Role.LARGE], _rows(large_model), _rows(small_model)))
        backend = "inductor" if compile is True else compile or None
        self._halves: dict[Role, Half] = {
            role: choose_half(Network(model, name, sizes[role], max_context), padded=padded, backend=backend)
            for role, model, name in ((Role.LARGE, large_model, large_name), (Role.SMALL, small_model, small_name))
        }
        self._drafting = Drafting(draft_max, draft_confidence)
        self._can_draft = self._shared and all(half.rolls_back for half in self._halves.values())
        self._drafts = speculation and self._can_draft
        self._spellings = {role: spelling_of(tok) for role, tok in self._tokenizers.items()}
        models = {Role.LARGE: large_model, Role.SMALL: small_model}
        self._ends = {role: _end_ids(models[role], self._tokenizers[role]) for role in Role}
        if self._shared:
            self._ends = dict.fromkeys(Role, self._ends[Role.LARGE] | self._ends[Role.SMALL])
        self._capabilities = Capabilities(
            name="transformers",
            large_model=large_name,
            small_model=small_name,
            one_tokenizer=self._shared,
            speculation=self._drafts,
            large_context=self._halves[Role.LARGE].network.context,
            small_context=self._halves[Role.SMALL].network.context,
            constraints=True,
            tool_format=tool_format_of(str(tokenizer.chat_template)),
        )
        self._compilers: dict[Role, GrammarCompiler] = {}
        self._generation_config = large_model.generation_config
        self._encoding = threading.Lock()
        self._compiling = threading.Lock()
        self._busy = threading.RLock()
        self._turnstile = Turnstile()
        self._speed = Speed(self._halves[Role.LARGE], self._busy)
        self._closed = False
        self.notes: tuple[str, ...] = tuple(self._warn())

    @classmethod
    def from_pretrained(
        cls,
        large: str,
        small: str,
        *,
        device: str | torch.device | None = None,
        small_device: str | torch.device | None = None,
        dtype: str | torch.dtype = "auto",
        device_map: Any = None,
        small_device_map: Any = None,
        quantization_config: Any = None,
        small_quantization_config: Any = None,
        tune: bool = True,
        trust_remote_code: bool = False,
        **options: Any,
    ) -> Self:
        """Load two models from disk or hub.

        Args:
            large: Folder or hub name of the large model.
            small: Folder or hub name of the small model.
            device: Where both go; None: a GPU if there is one.
            small_device: Where the small one goes instead.
            dtype: ``"auto"``: float32 on CPUs, bfloat16 on CUDA.
            device_map: As in ``from_pretrained``, for the large model; instead of `device`.
            small_device_map: The same for the small model.
            quantization_config: As in ``from_pretrained``, for the large model.
            small_quantization_config: The same for the small model.
            tune: On a CPU, store weights and run norms in the way that is fastest there; see `tuning`.
            trust_remote_code: Run code that comes with the models.
            **options: As for the constructor.

        Raises:
            ModelLoadError: A model cannot be loaded.
            UnknownOptionError: An option that does not exist.
        """
        _check_names(options, cls.from_pretrained, cls.__init__)
        # The cheap files first: what is wrong with a name is told before gigabytes are read.
        tokenizers = [load_tokenizer(source, trust_remote_code=trust_remote_code) for source in (large, small)]
        if getattr(tokenizers[0], "chat_template", None) is None:
            raise ModelLoadError(f"{large}: its tokenizer has no chat template; use an instruction-tuned model")
        models = [
            load_model(source, device=where, dtype=dtype, trust_remote_code=trust_remote_code, **_given(more))
            for source, where, more in (
                (large, device, {"device_map": device_map, "quantization_config": quantization_config}),
                (
                    small,
                    small_device if small_device is not None else device,
                    {"device_map": small_device_map, "quantization_config": small_quantization_config},
                ),
            )
        ]
        if tune:
            for model in models:
                tune_for_cpu(model)
        options.setdefault("large_name", _short(large))
        options.setdefault("small_name", _short(small))
        return cls(models[0], models[1], tokenizers[0], tokenizers[1], **options)

    @property
    def capabilities(self) -> Capabilities:
        """What this pair can do."""
        return self._capabilities

    def open(self, request: GenerationRequest, *, cancelled: threading.Event | None = None) -> Session:
        """See `Engine.open`."""
        self._check_open()
        settings = resolve(request.sampling, self._generation_config)
        text = render(self._tokenizers[Role.LARGE], request)
        ids = self._encode(Role.LARGE, text)
        context = self._halves[Role.LARGE].network.context
        if context is not None and len(ids) >= context:
            raise ContextOverflowError(f"messages: the prompt has {len(ids)} tokens, the context {context}; shorten it")
        tracks = self._tracks(request, ids, text, settings)
        answer = None if request.constraint is None else self._answer_grammar(request.constraint)
        wanted = self._drafts if request.speculation is None else request.speculation and self._can_draft
        generation = Generation(
            dict(self._halves),
            tracks,
            self._ends,
            settings=settings,
            noise=self._noise(settings),
            drafting=self._drafting if wanted else None,
            answer=answer,
        )
        ticket = self._turnstile.enter(cancelled)
        try:
            self._check_open()
        except EngineError:
            self._turnstile.leave(ticket)
            raise
        return TransformersSession(
            generation,
            text,
            encode=lambda piece: self._encode(Role.LARGE, piece),
            busy=self._busy,
            note_seconds=self._speed.note,
            check=self._check_open,
            release=lambda: self._turnstile.leave(ticket),
        )

    def token_ids(self, text: str) -> list[int]:
        """A text's tokens, by the large model's tokenizer."""
        return self._encode(Role.LARGE, text)

    def prompt_ids(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        """The tokens of the prompt that these messages come to, by the large model's chat template.

        Raises:
            MessagesError: The template refuses the messages.
        """
        return self.token_ids(render(self._tokenizers[Role.LARGE], GenerationRequest(messages, tools)))

    def warmup(self) -> None:
        """Make the first request as fast as the others: allocate, capture CUDA graphs, measure the large model."""
        with self._busy:
            self._check_open()
            for half in self._halves.values():
                if isinstance(half, SlotHalf):
                    half.warm_up()
        self._speed.s_per_token()

    def forget(self) -> None:
        """Drop what both caches hold of earlier calls: the next one reads its prompt anew."""
        with self._busy:
            self._check_open()
            for half in self._halves.values():
                half.forget()

    def large_alone_s_per_token(self) -> float | None:
        """See `Engine.large_alone_s_per_token`: real decode steps where there were some, else sixteen made-up ones."""
        return None if self._closed else self._speed.s_per_token()

    def close(self) -> None:
        """Free both models and their caches, after the step that is running."""
        with self._busy:
            self._closed = True
            self._halves.clear()
            self._compilers.clear()

    def _check_open(self) -> None:
        if self._closed:
            raise EngineError("the engine is closed; make a new one")

    def _encode(self, role: Role, text: str) -> list[int]:
        # A fast tokenizer refuses to be used by two threads at once; whoever queues is a thread.
        with self._encoding:
            return encode(self._tokenizers[role], text)

    def _answer_grammar(self, constraint: AnswerConstraint) -> AnswerGrammar:
        grammars = {role: self._compiler(role).compile(constraint.structural_tag) for role in Role}
        return AnswerGrammar(grammars, lambda role, tag: self._compiler(role).compile_opening(tag))

    def _compiler(self, role: Role) -> GrammarCompiler:
        """The compiler for a model's tokenizer, made when it is first needed."""
        role = Role.LARGE if self._shared else role
        with self._compiling:
            if role not in self._compilers:
                width = self._halves[role].network.vocabulary
                encode = partial(self._encode, role)
                with self._encoding:
                    compiler = GrammarCompiler(self._tokenizers[role], width, self._ends[role], encode)
                self._compilers[role] = compiler
            return self._compilers[role]

    def _noise(self, settings: Settings) -> dict[Role, Noise]:
        large, small = (self._halves[role].network.device for role in (Role.LARGE, Role.SMALL))
        first = Noise(settings.seed, large)
        return {Role.LARGE: first, Role.SMALL: first if small == large else Noise(settings.seed, small)}

    def _tracks(self, request: GenerationRequest, ids: list[int], text: str, settings: Settings) -> dict[Role, Track]:
        def penalties(role: Role, prompt: list[int]) -> Penalties:
            return Penalties(settings, self._halves[role].network.vocabulary, prompt)

        if self._shared:
            track = SharedTrack(ids, self._spellings[Role.LARGE], penalties(Role.LARGE, ids))
            return {Role.LARGE: track, Role.SMALL: track}
        small = self._tokenizers[Role.SMALL]
        own = text if small.chat_template is None else render(small, request)
        prompts = {Role.LARGE: ids, Role.SMALL: self._encode(Role.SMALL, own)}
        return {
            role: TextTrack(
                prompt,
                self._spellings[role],
                penalties(role, prompt),
                partial(self._encode, role),
            )
            for role, prompt in prompts.items()
        }

    def _warn(self) -> list[str]:
        notes = []
        if not self._shared:
            notes.append("the two models' tokenizers differ: handoffs go through text, and nothing is drafted")
        notes += [
            f"{half.network.name}: its cache cannot roll back; it is rebuilt where it must, and nothing is drafted"
            for half in self._halves.values()
            if not half.rolls_back
        ]
        for note in notes:
            _log.warning("%s", note)
        return notes


def _check_names(given: Iterable[str], *takers: Callable[..., Any]) -> None:
    kinds = inspect.Parameter.KEYWORD_ONLY
    valid = [name for taker in takers for name, it in inspect.signature(taker).parameters.items() if it.kind is kinds]
    for name in given:
        if name not in valid:
            raise UnknownOptionError(name, valid, "TransformersEngine.from_pretrained")


def _check_options(draft_max: int, draft_confidence: float, max_context: int | None) -> None:
    if draft_max < 1:
        raise ConfigurationError(f"draft_max: {draft_max} given; expected at least 1, or speculation=False")
    if not 0 <= draft_confidence <= 1:
        raise ConfigurationError(f"draft_confidence: {draft_confidence} given; expected a probability")
    if max_context is not None and max_context < 2:
        raise ConfigurationError(f"max_context: {max_context} given; expected at least 2 tokens")


def _name_of(model: Any) -> str:
    return _short(str(getattr(model.config, "_name_or_path", "") or type(model).__name__))


def _short(source: str) -> str:
    """A hub name as it is; of a path, the last folder."""
    return Path(source).name if Path(source).exists() else source


def _rows(model: Any) -> int:
    head = model.get_output_embeddings()
    return int(head.weight.shape[0]) if head is not None else 0


def _end_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    ids: set[int] = set()
    for source in (model.generation_config, model.config, tokenizer):
        found = getattr(source, "eos_token_id", None)
        ids.update([found] if isinstance(found, int) else found or ())
    return frozenset(ids)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
