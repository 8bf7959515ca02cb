"""Plays the machine against given texts, as a driver and two models would, and keeps what it told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from relaygen_runtime.policy.machine import RelayMachine
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.steps import Closed, Cut, Done, Inject, Opened, Output, Step, Text, ThinkingEnded, Write
from relaygen_runtime.vocabulary import Phase, Piece, Role, Stop, SwitchReason

PROMPT = "<|im_start|>assistant\n<think>\n"
BARE_PROMPT = "<|im_start|>assistant\n"
CLOSED_PROMPT = "<|im_start|>assistant\n<think>\n\n</think>\n\n"

Split = Callable[[str], list[str]]
Groups = Callable[[], int]


def words(text: str) -> list[str]:
    """Tokens that carry their leading space; punctuation and digits stand alone."""
    out: list[str] = []
    for character in text:
        joins = bool(out) and (
            (character.isalpha() and (out[-1][-1].isalpha() or out[-1] == " ")) or (character == "\n" == out[-1][-1])
        )
        if joins:
            out[-1] += character
        else:
            out.append(character)
    return out


def given(pieces: Sequence[str]) -> Split:
    """These very tokens for the text that they make up, single words for anything else."""
    return lambda text: list(pieces) if text == "".join(pieces) else words(text)


def rules(*cues: str, **options: Any) -> Rules:
    """Rules with roomy budgets, and no token of a large segment shielded."""
    defaults: dict[str, Any] = {"max_tokens": 4000, "max_thinking_tokens": 3000, "min_large_tokens": 0}
    return Rules(cues=cues, **{**defaults, **options})


@dataclass
class Segment:
    number: int
    author: Role | None
    phase: Phase
    text: str = ""
    reason: SwitchReason | None = None
    cue: str | None = None
    tokens: int = 0

    @property
    def brief(self) -> tuple[str, str, str]:
        return (str(self.author or "injected"), self.text, str(self.reason))


@dataclass
class Played:
    outputs: list[Output] = field(default_factory=list)
    asks: list[Write | Inject | Done] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    @property
    def done(self) -> Done:
        last = self.asks[-1]
        assert isinstance(last, Done)
        return last

    @property
    def writes(self) -> list[Write]:
        return [ask for ask in self.asks if isinstance(ask, Write)]

    @property
    def segments(self) -> list[Segment]:
        found: dict[int, Segment] = {}
        for output in self.outputs:
            if isinstance(output, Opened):
                assert output.segment == len(found)
                found[output.segment] = Segment(output.segment, output.author, output.phase)
            elif isinstance(output, Text):
                found[output.segment].text += output.text
                assert found[output.segment].reason is None
            elif isinstance(output, Closed):
                segment = found[output.segment]
                segment.reason, segment.cue, segment.tokens = output.reason, output.cue, output.tokens
        return list(found.values())

    @property
    def briefs(self) -> list[tuple[str, str, str]]:
        return [segment.brief for segment in self.segments]

    @property
    def reasons(self) -> list[SwitchReason | None]:
        return [segment.reason for segment in self.segments]

    @property
    def text(self) -> str:
        return "".join(output.text for output in self.outputs if isinstance(output, Text))

    def clean(self, phase: Phase) -> str:
        """What a reader sees of the phase."""
        texts = (output for output in self.outputs if isinstance(output, Text))
        return "".join(text.text for text in texts if text.phase is phase and not text.markup)

    @property
    def thinking(self) -> str:
        return self.clean(Phase.THINKING)

    @property
    def answer(self) -> str:
        return self.clean(Phase.ANSWER)

    @property
    def thinking_ended(self) -> ThinkingEnded | None:
        ends = [output for output in self.outputs if isinstance(output, ThinkingEnded)]
        assert len(ends) <= 1
        return ends[0] if ends else None

    @property
    def tokens(self) -> int:
        return sum(segment.tokens for segment in self.segments)


class Player:
    """Two models that write given texts; each text ends with EOS.

    A model goes on with its text where a switch was taken back, and begins its next one otherwise. With a `trace` both
    follow one text.
    """

    def __init__(
        self,
        machine: RelayMachine,
        large: Sequence[str] = (),
        small: Sequence[str] = (),
        *,
        trace: str | None = None,
        split: Split = words,
        groups: Groups = lambda: 1,
        tokens: int = 1,
    ) -> None:
        self.machine = machine
        self.played = Played()
        self._split = split
        self._groups = groups
        self._tokens = tokens
        self._trace = self._pieces(trace) if trace is not None else None
        self._scripts: dict[Role, Iterator[str]] = {Role.LARGE: iter(large), Role.SMALL: iter(small)}
        self._rest: dict[Role, list[Piece]] = {Role.LARGE: [], Role.SMALL: []}

    def _pieces(self, text: str) -> list[Piece]:
        return [Piece(part, tokens=self._tokens) for part in self._split(text)]

    def play(self) -> Played:
        while True:
            ask = self.machine.ask()
            self.played.asks.append(ask)
            if isinstance(ask, Done):
                self.played.notes = self.machine.notes
                return self.played
            if isinstance(ask, Inject):
                self._take(self.machine.injected(self._pieces(ask.text)))
            else:
                self._write(ask)

    def _write(self, ask: Write) -> None:
        if self._trace is not None:
            source = self._trace
        else:
            if not ask.resumes:
                self._rest[ask.author] = self._pieces(next(self._scripts[ask.author], ""))
            source = self._rest[ask.author]
        fed: list[Piece] = []
        while True:
            batch = source[: min(self._groups(), ask.max_tokens - len(fed))]
            del source[: len(batch)]
            fed += batch
            stop = Stop.MAX_TOKENS if source else Stop.EOS
            step = self.machine.feed(batch) if batch else self.machine.stopped(stop)
            self._take(step)
            if step.cut is not None:
                if step.cut.drop:
                    source[:0] = fed[-step.cut.drop :]
                return
            if not batch:
                return

    def _take(self, step: Step) -> None:
        self.played.outputs += step.outputs
        if step.cut is not None:
            self.played.cuts.append(step.cut)


def play(
    with_rules: Rules,
    large: Sequence[str] | str = (),
    small: Sequence[str] | str = (),
    *,
    prompt: str = PROMPT,
    **how: Any,
) -> Played:
    """Play one generation from beginning to end."""
    by_large = [large] if isinstance(large, str) else large
    by_small = [small] if isinstance(small, str) else small
    return Player(RelayMachine(with_rules, prompt), by_large, by_small, **how).play()
