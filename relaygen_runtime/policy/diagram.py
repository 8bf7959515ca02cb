"""The state diagram, drawn from the transition table so that the documentation cannot drift from the code."""

from __future__ import annotations

from relaygen_runtime.policy.states import TRANSITIONS, State

__all__ = ["mermaid"]


def mermaid() -> str:
    """The transition table as Mermaid text (``stateDiagram-v2``), one line per pair of states, ending in a newline."""
    moves: dict[tuple[State, State], list[str]] = {}
    for (start, event), end in TRANSITIONS.items():
        moves.setdefault((start, end), []).append(event.value)
    lines = ["stateDiagram-v2", f"    [*] --> {State.OPENING.value}"]
    lines += [f"    {start.value} --> {end.value}: {', '.join(events)}" for (start, end), events in moves.items()]
    lines.append(f"    {State.DONE.value} --> [*]")
    return "\n".join(lines) + "\n"
