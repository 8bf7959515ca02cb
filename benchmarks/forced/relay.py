"""A relay whose models follow traces, and which refuses to have written anything else.

Owns the exchange of scripts before each generation, outside the measured time. So the ordinary bench
(`relaygen_runtime.evaluation.bench`) measures forced models without knowing it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.forced.forcing import Forcing
from benchmarks.forced.scenario import PROFILE, Scenario
from benchmarks.forced.script import Agreement
from relaygen_runtime import Relay, RelayResult
from relaygen_runtime.engines.base import Engine, Message
from relaygen_runtime.vocabulary import Role

__all__ = ["ForcedRelay", "TraceNotFollowedError"]


class TraceNotFollowedError(RuntimeError):
    """A forced model wrote something else than its trace: every figure of the run would be void."""


class ForcedRelay(Relay):
    """A relay of two forced models.

    Args:
        engine: Their engine.
        forcings: How each is forced.
        scenarios: What may be asked; their prompts differ.
        agreement: How the small model relates to the traces; may be changed between generations.
        **defaults: As for `Relay`.
    """

    def __init__(
        self,
        engine: Engine,
        forcings: Mapping[Role, Forcing],
        scenarios: Sequence[Scenario],
        agreement: Agreement,
        **defaults: Any,
    ) -> None:
        super().__init__(engine, PROFILE, **defaults)
        self.agreement = agreement
        self._forcings = forcings
        self._scenarios = {scenario.prompt: scenario for scenario in scenarios}

    def follow(self, scenario: Scenario, *, doubtful: bool) -> None:
        """Force both models onto a scenario's trace.

        Args:
            scenario: The scenario.
            doubtful: Whether the small model errs and doubts where it is no author; False: it writes everything.
        """
        self._forcings[Role.LARGE].load(scenario.certain)
        self._forcings[Role.SMALL].load(scenario.doubtful(self.agreement) if doubtful else scenario.certain)

    def generate(self, messages: str | Sequence[Message], **options: Any) -> RelayResult:
        """See `Relay.generate`.

        Raises:
            TraceNotFollowedError: The text is not the trace's.
        """
        scenario = self._scenarios[str(messages)]
        self.follow(scenario, doubtful=options.get("mode") != "small")
        result = super().generate(messages, **options)
        if result.text != scenario.text:
            pairs = enumerate(zip(result.text, scenario.text, strict=False))
            place = next((i for i, (got, want) in pairs if got != want), min(len(result.text), len(scenario.text)))
            raise TraceNotFollowedError(
                f"{scenario.name}, {options}: {len(result.text)} characters came, the trace has {len(scenario.text)}; "
                f"at {place} stands {result.text[place : place + 40]!r}, not {scenario.text[place : place + 40]!r}"
            )
        return result
