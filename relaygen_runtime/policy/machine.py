"""`RelayMachine`: decides when to switch. A step machine without input, output, clock or randomness.

How to drive it. `ask` says what is due: `Write` (let a model write on), `Inject` (append text), or `Done`. A `Write`
opens a run: hand its pieces to `feed` as they come, however they are grouped, until a step carries a `Cut`, or tell by
`stopped` that the model stopped by itself. Either ends the run; roll back `Cut.drop` pieces, then ask again. After
`Inject` call `injected`; it may answer with a cut too, when the text does not fit. Everything that may be shown comes
in the steps' outputs; it is never taken back.

One thing more is allowed after a cut at a cue that dropped nothing: ``stopped(Stop.EOS)`` says that the large model
ended its turn right there, and then it was no cue.

A piece that completes no character has an empty text. Where only text is known, a piece is one character with
``tokens=0``, and counts as a quarter of a token. This file owns the protocol; what ends a run is found by the readers,
and what follows from it is `relaygen_runtime.policy.course`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relaygen_runtime.errors import PolicyError
from relaygen_runtime.policy.consequences import AUTHORS, THINKING
from relaygen_runtime.policy.course import Course
from relaygen_runtime.policy.probe import Probe
from relaygen_runtime.policy.reader import QUARTERS, Tally
from relaygen_runtime.policy.rules import Rules
from relaygen_runtime.policy.small_reader import SmallReader
from relaygen_runtime.policy.states import State
from relaygen_runtime.policy.steps import Ask, Cut, Inject, Step, Write
from relaygen_runtime.policy.verdict import Ending
from relaygen_runtime.vocabulary import Phase, Piece, Role, Stop, SwitchReason

__all__ = ["RelayMachine"]


class RelayMachine:
    """The policy of one generation.

    Args:
        rules: How it is relayed.
        prompt_text: The rendered prompt; its end tells whether the thinking is open, closed or not begun.
    """

    def __init__(self, rules: Rules, prompt_text: str) -> None:
        self._rules = rules
        self._course = Course(rules, prompt_text)
        self._run: Write | None = None
        self._pieces_in_run = 0
        self._bare_cue = False
        self._probe: tuple[Probe, list[Piece]] | None = None

    @property
    def state(self) -> State:
        """Where the generation stands."""
        return self._course.state

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each thing out of the ordinary."""
        return tuple(self._course.notes)

    def ask(self) -> Ask:
        """What is to be done next; the same until something is fed."""
        course = self._course
        if course.state is State.THINKING_OVER:
            course.choose_answerer()
        if course.state is State.DONE:
            return course.done
        if course.state is State.CLOSING:
            return Inject(course.close_text)
        if self._run is None or self._pieces_in_run:
            self._run = self._open_run()
        return self._run

    def feed(self, pieces: Iterable[Piece]) -> Step:
        """Take what a model wrote.

        Args:
            pieces: Tokens in order, any number of them.

        Raises:
            PolicyError: No run is open.
        """
        self._require_run()
        course = self._course
        batch = tuple(pieces)
        self._probe = None
        for number, piece in enumerate(batch, 1):
            self._pieces_in_run += 1
            text = piece.text
            reader = course.reader
            verdict = reader.push(piece)
            if verdict is not None and verdict.ending is Ending.DECIDED:
                text, verdict = course.decide()
            if course.state is State.HANDOVER and isinstance(reader, SmallReader) and reader.begun:
                course.confirm()
            if verdict is not None:
                cut = course.cut(verdict, text, piece)
                beyond = len(batch) - number
                self._bare_cue = cut.reason is SwitchReason.CUE and not beyond
                return self._step(Cut(cut.drop + beyond, cut.reason, cut.cue))
            if course.state is not State.OPENING:
                course.teller.say(text)
        return self._step(None)

    def stopped(self, stop: Stop) -> Step:
        """Learn that the model stopped by itself.

        Returns:
            A step with a cut, unless the same model is to go on with its segment.

        Raises:
            PolicyError: No run is open.
        """
        course = self._course
        if self._run is None and self._bare_cue and stop is Stop.EOS:
            self._bare_cue = False
            course.take_back()
        else:
            self._require_run()
        if stop is Stop.EOS:
            return self._step(course.end(SwitchReason.EOS))
        if stop is Stop.CONTEXT:
            return self._step(course.end(SwitchReason.CONTEXT))
        if stop is Stop.CLOSED:
            return self._step(course.end(SwitchReason.MAX_TOKENS))
        tally = course.reader.tally
        if tally.estimated:
            # The engine knows: all the tokens that it was granted are written.
            tally.quarters = max(tally.quarters, tally.limit)
        reason = course.limit_reached()
        if reason is None and self._pieces_in_run:
            if AUTHORS[self.state] is Role.SMALL and self.state in THINKING:
                reason = SwitchReason.MAX_SMALL_TOKENS
            else:
                # Fewer tokens were granted than asked for: the same model goes on.
                self._run = None
                return self._step(None)
        return self._step(course.end(reason or SwitchReason.CONTEXT))

    def injected(self, pieces: Iterable[Piece]) -> Step:
        """Learn what the injected text came to.

        Returns:
            A step with a cut when the text does not fit: roll all of it back.

        Raises:
            PolicyError: Nothing was to be injected.
        """
        if self._course.state is not State.CLOSING:
            raise PolicyError(f"nothing is to be injected in state {self.state.value!r}; ask() says what is due")
        batch = tuple(pieces)
        tally = Tally()
        for piece in batch:
            tally.count(piece)
        return self._step(self._course.inject("".join(piece.text for piece in batch), tally.tokens, len(batch)))

    def lose_small(self) -> Step:
        """Learn that the small model failed: from now on the large one carries on alone.

        Returns:
            What is certain now; with a cut if a run of the small model ends by it.
        """
        return self._step(self._course.lose_small())

    def probe(self) -> Probe:
        """A copy of the run to try drafts on; it is valid until something is fed.

        Raises:
            PolicyError: No run is open.
        """
        self._require_run()
        return Probe(self._course.reader)

    def would_cut(self, pieces: Sequence[Piece]) -> int | None:
        """How many of these pieces, coming next, would be kept before a cut; None if there would be none.

        Has no effect on the run. A call with the same pieces and more costs only the new ones.

        Raises:
            PolicyError: No run is open.
        """
        drafts = list(pieces)
        if self._probe is None or self._probe[1] != drafts[: len(self._probe[1])]:
            self._probe = self.probe(), []
        probe, tried = self._probe
        for piece in drafts[len(tried) :]:
            probe.push(piece)
        self._probe = probe, drafts
        return probe.kept

    def _require_run(self) -> None:
        if self._run is None:
            raise PolicyError(f"no run is open in state {self.state.value!r}; call ask() and do what it says")

    def _open_run(self) -> Write:
        course = self._course
        state, tally = course.state, course.reader.tally
        # The opening may turn out to be the answer; its reader is limited once it turns out to be thinking.
        limited = state in THINKING and state is not State.OPENING
        allowance = course.budget.allowance(AUTHORS[state], tally.tokens, thinking=limited)
        tally.limit = (tally.tokens + allowance) * QUARTERS
        self._pieces_in_run = 0
        self._bare_cue = False
        self._probe = None
        handover = state is State.HANDOVER
        return Write(
            author=AUTHORS[state],
            phase=Phase.THINKING if state in THINKING else Phase.ANSWER,
            segment=course.teller.segment + handover,
            max_tokens=allowance,
            resumes=course.teller.is_open and not handover,
            opening=state is State.OPENING,
            open_tag=self._rules.open_tag,
            finish=course.finishing,
            left=max(allowance, course.budget.allowance(Role.LARGE, tally.tokens, thinking=False)),
        )

    def _step(self, cut: Cut | None) -> Step:
        self._probe = None
        if cut is not None:
            self._run = None
        return Step(self._course.teller.take(self._course.hold), cut)
