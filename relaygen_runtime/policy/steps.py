"""What the policy asks for and what it answers: plain, frozen records.

The machine in `relaygen_runtime.policy.machine` asks (`Write`, `Inject`, `Done`), is fed pieces, and answers
with a `Step`: what may be shown now, and whether the run is cut here. It owns no clock: the driver adds times.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from relaygen_runtime.vocabulary import FinishReason, Phase, Role, SwitchReason

__all__ = [
    "Ask",
    "Closed",
    "Cut",
    "Done",
    "Inject",
    "Opened",
    "Output",
    "Step",
    "Text",
    "ThinkingEnded",
    "Write",
]


@dataclass(frozen=True, slots=True)
class Write:
    """Let `author` write on, at most `max_tokens` tokens.

    Attributes:
        author: Which model.
        phase: In which phase.
        segment: Number of the segment that this run belongs to if it stands.
        max_tokens: At least 1.
        resumes: The segment goes on: a switch was taken back, or the run before was granted less than it asked for.
        opening: It is open whether the model thinks: it may begin with `open_tag`, or with the answer.
        open_tag: The tag that opens the thinking.
        finish: A constrained answer is to be brought to its end as soon as the constraint allows.
        left: The most tokens that the whole rest of the generation may take, whoever writes it; `max_tokens` is less
            where the author's context, or the thinking's share, ends sooner.
    """

    author: Role
    phase: Phase
    segment: int
    max_tokens: int
    resumes: bool = False
    opening: bool = False
    open_tag: str = field(default="", compare=False)
    finish: bool = False
    left: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Inject:
    """Append `text`, which no model wrote, and call `injected` with it."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The generation is over.

    Attributes:
        reason: Why, in the API's terms.
        empty_answer: No text stands in the answer.
    """

    reason: FinishReason
    empty_answer: bool = False


Ask = Write | Inject | Done


@dataclass(frozen=True, slots=True)
class Opened:
    """A segment began (told once it is certain, with the first text).

    Attributes:
        segment: Its number, from 0.
        author: Who writes it; None for injected text.
        phase: Thinking or answer.
    """

    segment: int
    author: Role | None
    phase: Phase


@dataclass(frozen=True, slots=True)
class Text:
    """Text that may be shown: it will never be taken back.

    Attributes:
        segment: The segment it belongs to.
        author: Who wrote it; None for injected text.
        phase: Thinking or answer.
        text: The text itself; all of them joined are the generation, byte for byte.
        markup: It is a think tag, or white space beside one: not for a reader.
    """

    segment: int
    author: Role | None
    phase: Phase
    text: str
    markup: bool = False


@dataclass(frozen=True, slots=True)
class Closed:
    """A segment ended.

    Attributes:
        segment: Its number.
        reason: Why.
        cue: The switch cue, spelled as the profile spells it, when that was the reason.
        tokens: Delivered tokens of the segment.
    """

    segment: int
    reason: SwitchReason
    tokens: int
    cue: str | None = None


@dataclass(frozen=True, slots=True)
class ThinkingEnded:
    """The thinking is over; `forced` says that no model closed it by itself."""

    forced: bool
    tokens: int


Output = Opened | Text | Closed | ThinkingEnded


@dataclass(frozen=True, slots=True)
class Cut:
    """The run ends here.

    Attributes:
        drop: How many of the last pieces fed in this run are not kept: the driver rolls them back.
        reason: Why the segment ended; None for a run that is taken back, or whose segment goes on.
        cue: The cue, when that was the reason.
    """

    drop: int
    reason: SwitchReason | None
    cue: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What came of feeding pieces."""

    outputs: tuple[Output, ...] = ()
    cut: Cut | None = None
