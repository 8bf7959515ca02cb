r"""Whether a place in the text lies inside code, mathematics or a tool call, where no cue and no sentence end counts.

Reads characters once, in order, and keeps a handful of flags. Known: code fences (three or more backticks, or tildes at
a line's start), code spans (closed by their line's end at the latest), ``$...$``, ``$$...$$``, ``\(...\)``,
``\[...\]``, and ``<tool_call>...</tool_call>``. A blank line closes mathematics, so that a stray dollar sign does
little harm, and a dollar sign before a number that reads on like prose is money. It refuses to be a Markdown parser.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from relaygen_runtime.cues.matcher import automaton

__all__ = ["SPECIAL", "Surroundings"]

SPECIAL: Final = frozenset("`~$\\\n<")
"""Characters that can change where we are; any other text leaves a calm `Surroundings` as it was."""

_TOOL_TAGS: Final = automaton(("<tool_call>", "</tool_call>"))
_OPERATORS: Final = frozenset("+-*/=<>^_\\|&×·÷−≤≥≠≈%(")


class _Mode(IntEnum):
    TEXT = 0
    FENCE = 1
    SPAN = 2
    MATH = 3
    DISPLAY = 4
    PAREN = 5
    BRACKET = 6
    TOOL = 7


class _Money(IntEnum):
    NO = 0
    NUMBER = 1
    SPACE = 2


_TEX: Final = frozenset({_Mode.MATH, _Mode.DISPLAY, _Mode.PAREN, _Mode.BRACKET})


class Surroundings:
    """Where the text stands after what was read.

    Attributes:
        shielded: The place is inside code, mathematics or a tool call.
        calm: No mark is half read; text without `SPECIAL` characters need not be read at all.
    """

    __slots__ = (
        "_dollar",
        "_escaped",
        "_fence",
        "_line_blank",
        "_mode",
        "_money",
        "_run",
        "_run_counts",
        "_tag",
        "calm",
        "shielded",
    )

    def __init__(self) -> None:
        self.shielded = False
        self.calm = False
        self._mode = _Mode.TEXT
        self._escaped = False
        self._dollar = False
        self._money = _Money.NO
        self._run = ""
        self._run_counts = False
        self._fence = ""
        self._line_blank = True
        self._tag = 0

    def fork(self) -> Surroundings:
        """One that stands at the same place."""
        copy = Surroundings()
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        return copy

    @property
    def in_code(self) -> bool:
        """Inside a fence, a code span or a tool call, where a blank line ends nothing."""
        return self._mode in (_Mode.FENCE, _Mode.SPAN, _Mode.TOOL)

    def push(self, text: str) -> list[bool]:
        """Read text; for each of its characters, whether the place after it is shielded."""
        shields = []
        for character in text:
            self._read(character)
            shields.append(self._mode is not _Mode.TEXT)
        self.shielded = self._mode is not _Mode.TEXT
        self.calm = not (self._escaped or self._dollar or self._money or self._run or self._line_blank or self._tag)
        return shields

    def _read(self, character: str) -> None:
        if self._run and character != self._run[0]:
            self._end_run()
        self._watch_tool(character)
        if self._mode is _Mode.TOOL:
            pass
        elif self._mode in (_Mode.FENCE, _Mode.SPAN):
            self._read_code(character)
        elif self._escaped:
            self._read_escaped(character)
        elif self._mode is _Mode.TEXT:
            self._read_prose(character)
        else:
            self._read_math(character)
        if character == "\n":
            self._line_blank = True
        elif not character.isspace():
            self._line_blank = False

    def _watch_tool(self, character: str) -> None:
        self._tag = _TOOL_TAGS.moves[self._tag].get(character, 0)
        if self._mode is not _Mode.FENCE:
            for tag in _TOOL_TAGS.ends[self._tag]:
                self._mode = _Mode.TEXT if tag.startswith("</") else _Mode.TOOL
                self._forget()

    def _forget(self) -> None:
        self._escaped = self._dollar = False
        self._money = _Money.NO
        self._run = ""

    def _mark_run(self, character: str) -> None:
        if not self._run:
            # A tilde is an ordinary sign ("about") everywhere but at a line's start.
            self._run_counts = character == "`" or self._line_blank
        self._run += character

    def _end_run(self) -> None:
        run, self._run = self._run, ""
        if not self._run_counts:
            return
        if self._mode is _Mode.TEXT:
            if len(run) >= 3:
                self._mode, self._fence = _Mode.FENCE, run
            elif run[0] == "`":
                self._mode, self._fence = _Mode.SPAN, run
        elif run == self._fence or (self._mode is _Mode.FENCE and run.startswith(self._fence)):
            self._mode = _Mode.TEXT

    def _read_code(self, character: str) -> None:
        if character == self._fence[0]:
            self._mark_run(character)
        elif character == "\n" and self._mode is _Mode.SPAN:
            self._mode = _Mode.TEXT

    def _read_escaped(self, character: str) -> None:
        self._escaped = False
        if self._mode is _Mode.TEXT:
            if character == "(":
                self._mode = _Mode.PAREN
            elif character == "[":
                self._mode = _Mode.BRACKET
        elif (character == ")" and self._mode is _Mode.PAREN) or (character == "]" and self._mode is _Mode.BRACKET):
            self._mode = _Mode.TEXT

    def _read_prose(self, character: str) -> None:
        if self._dollar:
            self._dollar = False
            if character == "$":
                self._mode = _Mode.DISPLAY
            elif character.isdigit():
                self._money = _Money.NUMBER
            else:
                self._mode = _Mode.MATH
                self._read_math(character)
        elif self._money:
            self._read_money(character)
        elif character == "\\":
            self._escaped = True
        elif character == "$":
            self._dollar = True
        elif character in "`~":
            self._mark_run(character)

    def _read_money(self, character: str) -> None:
        """Tell "$5 each" from "$5 + x$" by what follows the number."""
        if self._money is _Money.NUMBER:
            if character.isdigit() or character in ",.":
                return
            if character == " ":
                self._money = _Money.SPACE
                return
            is_math = character.isalpha() or character in _OPERATORS
        else:
            is_math = character in _OPERATORS
        self._money = _Money.NO
        if is_math:
            self._mode = _Mode.MATH
            self._read_math(character)
        elif character == "`":
            self._mark_run(character)

    def _read_math(self, character: str) -> None:
        if character == "\\":
            self._escaped = True
            self._dollar = False
        elif character == "\n" and self._line_blank:
            self._mode = _Mode.TEXT
            self._dollar = False
        elif character == "$" and self._mode is _Mode.MATH:
            self._mode = _Mode.TEXT
        elif character == "$" and self._mode is _Mode.DISPLAY:
            if self._dollar:
                self._mode = _Mode.TEXT
            self._dollar = not self._dollar
        else:
            self._dollar = False
