"""The course of one generation: what follows when a run ends, in which state it leaves us, and what is told of it.

Owns the state, the budget and the readers. What each ending leads to is said in `relaygen_runtime.policy.consequences`.
It is driven by `relaygen_runtime.policy.machine`, which owns the protocol; nothing here waits for anybody.
"""

from __future__ import annotations

from typing import cast

from relaygen_runtime.policy.answer_reader import AnswerReader
from relaygen_runtime.policy.budget import Budget
from relaygen_runtime.policy.consequences import (
    AUTHORS,
    CONSEQUENCES,
    CUT_SHORT_NOTES,
    FINISHES,
    REASONS,
    SMALL_FULL,
    THINKING,
)
from relaygen_runtime.policy.large_reader import LargeReader
from relaygen_runtime.policy.opening_reader import OpeningReader
from relaygen_runtime.policy.reader import QUARTERS, Reader, Tally
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.small_reader import SmallReader
from relaygen_runtime.policy.states import Event, State, after
from relaygen_runtime.policy.steps import Cut, Done
from relaygen_runtime.policy.stream import Stream
from relaygen_runtime.policy.teller import Teller
from relaygen_runtime.policy.verdict import Ending, Verdict
from relaygen_runtime.vocabulary import FinishReason, Piece, Role, SwitchReason

__all__ = ["Course"]


class Course:
    """Where a generation stands, and how it gets on.

    Attributes:
        state: The state.
        reader: Reads the run that is due or open.
        budget: Tokens spent and left.
        teller: What is told.
        answer: Reads the answer, whoever writes it.
        close_text: What is injected to close the thinking.
        finishing: The answer went round in circles where it can't be cut: it is to be brought to its end.
        small_lost: The small model failed.
        notes: One sentence for each thing out of the ordinary.

    Args:
        rules: How it is relayed.
        prompt_text: The rendered prompt.
    """

    def __init__(self, rules: Rules, prompt_text: str) -> None:
        self._rules = rules
        self.state = State.OPENING
        self.budget = Budget(rules)
        self.teller = Teller(rules.close_tag)
        self.answer = AnswerReader(rules)
        self.close_text = rules.close_text
        self.finishing = False
        self.reader: Reader = OpeningReader(rules.open_tag)
        self.small_lost = False
        self.notes: list[str] = []
        self._parked: tuple[LargeReader, str | None] | None = None
        self._budget_cut = False
        self._forced = True
        self._finish = FinishReason.STOP
        end = prompt_text.rstrip()
        if end.endswith(rules.open_tag):
            self._go(Event.THINKS)
            self.reader = self._large_reader(self._stream())
            self._settle()
        elif end.endswith(rules.close_tag):
            self._go(Event.CLOSE_TAG)
            self.teller.begin_answer()

    @property
    def hold(self) -> int:
        """How many of the last characters told must wait."""
        if self.state in AUTHORS:
            return self.reader.hold
        return self.answer.hold if self.state is State.THINKING_OVER else 0

    @property
    def done(self) -> Done:
        """How it ended."""
        return Done(self._finish, empty_answer=not self.answer.visible)

    @property
    def small_can_write(self) -> bool:
        """The small model is there and has room for a sentence."""
        return not self.small_lost and self.budget.small_fits

    def lose_small(self) -> Cut | None:
        """The small model failed."""
        self.small_lost = True
        if isinstance(self.reader, LargeReader):
            self.reader.cues_until = 0
        return self.end(SwitchReason.FAULT) if AUTHORS.get(self.state) is Role.SMALL else None

    def choose_answerer(self) -> None:
        """The thinking is over: the answer begins, if anyone can write it."""
        wanted = self._rules.answerer is Role.SMALL
        if wanted and self.small_can_write:
            self._answer_by(Event.SMALL_ANSWERS)
            return
        if wanted and not self.small_lost:
            self._note(SMALL_FULL)
        if self.budget.room(Role.LARGE) > 0:
            self._answer_by(Event.LARGE_ANSWERS)
        else:
            self._conclude(FinishReason.LENGTH)

    def inject(self, text: str, tokens: int, pieces: int) -> Cut | None:
        """The closing tag was injected; a cut says that it does not fit."""
        if tokens > self.budget.left():
            self.teller.thinking_ended(forced=True, tokens=self.budget.thought)
            self._conclude(FinishReason.LENGTH)
            return Cut(pieces, SwitchReason.MAX_TOKENS)
        self.budget.book(tokens, thinking=True)
        self.teller.inject(text, tokens)
        self._go(Event.INJECTED)
        self.teller.thinking_ended(forced=self._forced, tokens=self.budget.thought)
        self._settle()
        return None

    # A reader's verdict

    def decide(self) -> tuple[str, Verdict | None]:
        """The first text shows whether the model thinks; returns the text that is read as what follows."""
        opening = cast(OpeningReader, self.reader)
        if not opening.thinks:
            return opening.text, self._skip_thinking(opening)
        self._go(Event.THINKS)
        reader = self._large_reader(self._stream())
        reader.tally = opening.tally
        reader.tally.limit = min(self._rules.max_thinking_tokens * QUARTERS, reader.tally.limit)
        self.reader = reader
        tag, rest = opening.text[: opening.tag_end], opening.text[opening.tag_end :]
        self.teller.say_markup(tag)
        if rest:
            return rest, reader.read(rest)
        return rest, Verdict(Ending.LIMIT) if reader.tally.full else None

    def confirm(self) -> None:
        """The small model wrote something that stands: the large segment is over."""
        large, cue = self._unpark()
        self.teller.close(SwitchReason.CUE, large.tally.tokens, cue)
        self._go(Event.CONFIRM)

    def cut(self, verdict: Verdict, text: str, piece: Piece) -> Cut:
        """End the run on the reader's verdict; `text` is what it read last, of this piece."""
        if verdict.ending is Ending.TAKEN_BACK:
            self.take_back()
            return Cut(verdict.drop, None)
        if verdict.ending is Ending.CLOSE_TAG and verdict.drop:
            return self._rewrite_close_tag(text[verdict.keep :], text, piece)
        self.teller.hide(verdict.hidden)
        self.teller.say(text[: verdict.keep])
        if verdict.ending is Ending.CUE:
            return self._hand_over(verdict.cue)
        if verdict.ending is Ending.CLOSE_TAG:
            return self._close_thinking(text[verdict.keep :])
        if verdict.ending is Ending.LIMIT:
            return self.end(self.limit_reached() or SwitchReason.CONTEXT)
        if verdict.ending is Ending.LOOP and self.reader is self.answer and self.answer.held:
            self.finishing, self.answer.guarded = True, False
            return Cut(0, None)
        ended = self.end(REASONS[verdict.ending])
        return Cut(ended.drop + verdict.drop, ended.reason)

    def limit_reached(self) -> SwitchReason | None:
        """Which limit the run has reached, if any."""
        thinking = self.state in THINKING and self.state is not State.OPENING
        return self.budget.exhausted(AUTHORS[self.state], self.reader.tally.tokens, thinking=thinking)

    # Ends

    def end(self, reason: SwitchReason) -> Cut:
        """The segment being written ends here for this reason."""
        if self.state is State.OPENING:
            reason = self._end_opening(reason)
        if self.finishing and (self.state, reason) not in CONSEQUENCES:
            reason = SwitchReason.LOOP
        if reason is SwitchReason.CONTEXT and AUTHORS[self.state] is Role.SMALL:
            self.budget.small_full = True
            self._note(SMALL_FULL)
        drop = self.reader.tally.drop_blank()
        if self.state is State.HANDOVER:
            self.take_back()
            return Cut(drop, None)
        thinking = self.state in THINKING
        self._close(reason)
        self._proceed(self._consequence(reason), reason, thinking=thinking)
        self._settle()
        return Cut(drop, reason)

    def take_back(self) -> None:
        """The switch did not happen: the large model resumes its segment."""
        large, _ = self._unpark()
        self._go(Event.TAKE_BACK)
        self.budget.book(-large.tally.tokens, thinking=True)
        large.cues_until = self._cues_until()
        self.reader = large

    def _consequence(self, reason: SwitchReason) -> Event:
        empty = not self.answer.visible and not self._rules.constrained
        if self.state is State.SMALL_ANSWER and reason is SwitchReason.EOS and empty:
            return Event.LARGE_ANSWERS
        if self.state is State.LARGE_THINKING and reason is SwitchReason.CONTEXT:
            can_answer = self._rules.answerer is Role.SMALL and self.small_can_write
            return Event.CUT_SHORT if can_answer else Event.FINISH
        return CONSEQUENCES.get((self.state, reason), Event.FINISH)

    def _proceed(self, event: Event, reason: SwitchReason, *, thinking: bool) -> None:
        """Do what the end of a segment leads to."""
        if event is Event.FINISH:
            if thinking:
                self.teller.thinking_ended(forced=True, tokens=self.budget.thought)
            self._conclude(FINISHES.get(reason, FinishReason.LENGTH))
        elif event is Event.HAND_BACK:
            stream = cast(SmallReader, self.reader).stream
            self._go(event)
            self.reader = self._large_reader(stream)
        elif event is Event.LARGE_ANSWERS:
            self._answer_by(event)
        else:
            # Without any budget for thinking the caller wanted none: nothing was cut short then.
            if self._rules.max_thinking_tokens or reason is not SwitchReason.THINKING_BUDGET:
                self._budget_cut = reason is SwitchReason.THINKING_BUDGET
                self._note(CUT_SHORT_NOTES[reason])
            self._go(event)

    def _settle(self) -> None:
        """A new segment is due: see that there is anything left for it."""
        if self.state is State.LARGE_THINKING:
            reason = self.budget.exhausted(Role.LARGE, 0, thinking=True)
            if reason is not None:
                self._proceed(self._consequence(reason), reason, thinking=True)
        if self.state is State.LARGE_ANSWER and self.budget.room(Role.LARGE) <= 0:
            self._conclude(FinishReason.LENGTH)
        if self.state is State.THINKING_OVER and self.budget.left() <= 0:
            self._conclude(FinishReason.LENGTH)

    # Single moves

    def _go(self, event: Event) -> None:
        self.state = after(self.state, event)
        self.teller.author = AUTHORS.get(self.state)

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _stream(self) -> Stream:
        rules = self._rules
        return Stream(rules.close_tag, strict=rules.constrained or rules.tool_tags is not None)

    def _large_reader(self, stream: Stream) -> LargeReader:
        reader = LargeReader(self._rules, stream)
        reader.cues_until = self._cues_until()
        return reader

    def _cues_until(self) -> int:
        return 0 if self.small_lost else self.budget.cues_until

    def _close(self, reason: SwitchReason) -> None:
        tokens = self.reader.tally.tokens
        if isinstance(self.reader, LargeReader) and self.reader.starved and not self.small_lost:
            self._note(SMALL_FULL)
        self.teller.close(reason, tokens)
        self.budget.book(tokens, thinking=self.state in THINKING)

    def _conclude(self, reason: FinishReason) -> None:
        # Thinking that a budget cut short was not the model's own end, and the reason says so.
        self._finish = FinishReason.LENGTH if reason is FinishReason.STOP and self._budget_cut else reason
        self._go(Event.FINISH)

    def _answer_by(self, event: Event) -> None:
        self._go(event)
        self.answer.tally = Tally()
        self.reader = self.answer

    def _skip_thinking(self, opening: OpeningReader) -> Verdict | None:
        """What was read is the answer; the large model began it and goes on."""
        self._go(Event.SKIPS)
        self.teller.begin_answer()
        self.answer.tally = opening.tally
        self.reader = self.answer
        verdict = self.answer.read(opening.text) if opening.text else None
        if verdict is None and opening.tally.full:
            return Verdict(Ending.LIMIT, keep=len(opening.text))
        return verdict

    def _end_opening(self, reason: SwitchReason) -> SwitchReason:
        """The model stopped before it was clear whether it thinks: what it wrote is an answer."""
        opening = cast(OpeningReader, self.reader)
        verdict = self._skip_thinking(opening)
        self.teller.say(opening.text if verdict is None else opening.text[: verdict.keep])
        return reason if verdict is None else REASONS.get(verdict.ending, reason)

    def _hand_over(self, cue: str | None) -> Cut:
        large = cast(LargeReader, self.reader)
        self._parked = large, cue
        self.budget.book(large.tally.tokens, thinking=True)
        self._go(Event.CUE)
        before = large.last if self._rules.match == "word" else ""
        self.reader = SmallReader(self._rules, large.stream, before)
        return Cut(0, SwitchReason.CUE, cue)

    def _unpark(self) -> tuple[LargeReader, str | None]:
        parked, self._parked = self._parked, None
        return cast("tuple[LargeReader, str | None]", parked)

    def _rewrite_close_tag(self, rest: str, text: str, piece: Piece) -> Cut:
        """The piece that completed the closing tag goes on with `rest`: write it anew, as far as the tag's end."""
        rules = self._rules
        kept = piece.text.removesuffix(rest)
        self.teller.hide(len(piece.text) - len(text))
        self.teller.close_tag_begun(max(0, len(rules.close_tag) - len(kept)))
        self.reader.tally.uncount(piece)
        self.close_text = kept + rules.close_text.partition(rules.close_tag)[2]
        self._forced = False
        self._close(SwitchReason.THINKING_END)
        self._go(Event.CUT_SHORT)
        return Cut(1, SwitchReason.THINKING_END)

    def _close_thinking(self, rest: str) -> Cut:
        """The closing tag is complete; `rest` follows it in the same token."""
        self.teller.close_tag_complete()
        verdict = self.answer.read(rest) if rest else None
        self.teller.say(rest if verdict is None else rest[: verdict.keep])
        self._close(SwitchReason.THINKING_END)
        self.teller.thinking_ended(forced=False, tokens=self.budget.thought)
        self._go(Event.CLOSE_TAG)
        if verdict is not None:
            self._conclude(FINISHES[REASONS[verdict.ending]])
        self._settle()
        return Cut(0, SwitchReason.THINKING_END)
