"""Tools, tool choice and response format through the relay: what reaches the engine, and what comes of the answer."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from relaygen_runtime import (
    Capabilities,
    ConfigurationError,
    Relay,
    RelayOptions,
    RequestError,
    Role,
    SchemaError,
    ScriptedEngine,
    Session,
    ToolChoiceError,
)
from relaygen_runtime.engines.base import GenerationRequest
from relaygen_runtime.policy.rules import Rules
from tests.relay.scripts import OPEN, TOOL, cue_profile

CALL = '<tool_call>\n{"name": "look_up", "arguments": {"q": "x"}}\n</tool_call>'
POINT: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
THOUGHT = "I think.\n</think>\n\n"


class Noting(ScriptedEngine):
    """Keeps the requests that reach it."""

    def __init__(self, answer: str, **engine: Any) -> None:
        super().__init__([THOUGHT, answer], prompt=OPEN, **engine)
        self.requests: list[GenerationRequest] = []

    def open(self, request: GenerationRequest, *, cancelled: Event | None = None) -> Session:
        self.requests.append(request)
        return super().open(request, cancelled=cancelled)


class Unable(Noting):
    """An engine that holds answers to nothing."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities("plain", "big", "little", tool_format="qwen3")


def rules(tools: Any = (), **options: Any) -> Rules:
    checked = RelayOptions.of({"tools": tools, **options}, where="test")
    able = Capabilities("test", "big", "little", constraints=True, tool_format="qwen3")
    return checked.rules(cue_profile(), able, 1, constraint=checked.constraint(able))


def test_calls_are_read_out_of_the_answer() -> None:
    result = Relay(Noting(f"Let me look.\n{CALL}"), cue_profile()).generate("?", tools=[TOOL])

    assert result.answer == f"Let me look.\n{CALL}"
    assert result.content == "Let me look."
    assert [(call.name, call.parsed) for call in result.tool_calls] == [("look_up", {"q": "x"})]
    assert result.notes == ()


async def test_the_asynchronous_path_reads_them_too() -> None:
    result = await Relay(Noting(CALL), cue_profile()).agenerate("?", tools=[TOOL])

    assert [call.name for call in result.tool_calls] == ["look_up"]


def test_a_call_in_the_thinking_is_no_call() -> None:
    engine = ScriptedEngine([f"Maybe {CALL}?\n</think>\n\n", "No need."], prompt=OPEN)
    result = Relay(engine, cue_profile()).generate("?", tools=[TOOL])

    assert (result.content, result.tool_calls) == ("No need.", ())


@pytest.mark.parametrize("options", [{}, {"tools": [TOOL], "tool_choice": "none"}])
def test_without_tools_to_call_the_answer_is_content_as_it_stands(options: dict[str, Any]) -> None:
    engine = ScriptedEngine([THOUGHT], [CALL], prompt=OPEN)
    result = Relay(engine, cue_profile()).generate("?", **options)

    assert (result.content, result.tool_calls) == (CALL, ())


def test_a_call_that_is_cut_short_is_kept_and_noted() -> None:
    result = Relay(Noting(CALL[:40]), cue_profile()).generate("?", tools=[TOOL])

    assert [call.text for call in result.invalid_calls] == [CALL[:40]]
    assert result.notes == ("the answer holds a tool call that cannot be read: the answer ends inside the call",)


def test_the_engine_gets_the_constraint_and_the_tools() -> None:
    engine = Noting(CALL)
    Relay(engine, cue_profile()).generate("?", tools=[TOOL], tool_choice="required")

    (request,) = engine.requests
    assert request.constraint is not None
    assert request.constraint.required
    assert request.tools == [TOOL]


def test_tools_that_may_not_be_called_are_not_shown() -> None:
    engine = Noting("Hi.")
    Relay(engine, cue_profile(), answerer="large").generate("?", tools=[TOOL], tool_choice="none")

    assert (engine.requests[0].tools, engine.requests[0].constraint) == ((), None)


def test_an_answer_that_does_not_hold_is_noted() -> None:
    result = Relay(Noting('{"x": "1"}'), cue_profile()).generate("?", response_format=POINT)

    assert result.notes == ("the answer does not follow its schema: $.x: '1' is not of type 'integer'",)


def test_an_answer_that_holds_is_not() -> None:
    assert Relay(Noting('{"x": 1}'), cue_profile()).generate("?", response_format=POINT).notes == ()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"tools": [TOOL], "tool_choice": "lookup"}, ToolChoiceError),
        ({"tool_choice": "required"}, ToolChoiceError),
        ({"response_format": {"not": {}}}, ConfigurationError),
        ({"response_format": {"type": "object", "not": {}}}, SchemaError),
        ({"tool_choice": 3}, ConfigurationError),
        ({"response_format": "json"}, ConfigurationError),
        ({"parallel_tool_calls": "no"}, ConfigurationError),
    ],
)
def test_what_cannot_be_is_refused_at_the_call(options: dict[str, Any], error: type[Exception]) -> None:
    relay = Relay(Noting("x"), cue_profile())

    with pytest.raises(error):
        relay.stream("?", **options)


def test_an_engine_that_holds_nothing_says_so_where_something_is_asked_for() -> None:
    relay = Relay(Unable(CALL), cue_profile())

    with pytest.raises(ConfigurationError, match="tool_choice: the engine 'plain' cannot hold"):
        relay.stream("?", tools=[TOOL], tool_choice="any")
    with pytest.raises(ConfigurationError, match="response_format: the engine 'plain' cannot hold"):
        relay.stream("?", response_format=POINT)


def test_an_engine_that_holds_nothing_may_still_be_offered_tools() -> None:
    engine = Unable(CALL)
    result = Relay(engine, cue_profile()).generate("?", tools=[TOOL])

    assert [call.name for call in result.tool_calls] == ["look_up"]
    assert engine.requests[0].constraint is None


@pytest.mark.parametrize(
    ("options", "answerer"),
    [
        ({"response_format": POINT}, Role.LARGE),
        ({"response_format": {"type": "text"}}, Role.SMALL),
        ({"tools": [TOOL], "tool_choice": "none"}, Role.SMALL),
        ({"response_format": POINT, "answerer": "small"}, Role.SMALL),
    ],
)
def test_the_large_model_answers_where_a_form_is_asked_for(options: dict[str, Any], answerer: Role) -> None:
    assert rules(**options).answerer is answerer


def test_the_policy_knows_what_the_engine_enforces() -> None:
    assert (rules().constrained, rules().tool_tags) == (False, None)
    assert (rules([TOOL]).constrained, rules([TOOL]).tool_tags) == (False, ("<tool_call>", "</tool_call>"))
    assert (rules(response_format=POINT).constrained, rules(response_format=POINT).tool_tags) == (True, None)


def test_stop_strings_do_not_cut_what_is_held() -> None:
    form = {"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"]}
    result = Relay(Noting('{"s": "a END b"}'), cue_profile()).generate("?", response_format=form, stop="END")

    assert result.answer == '{"s": "a END b"}'


def test_a_large_form_reserves_room_for_itself() -> None:
    names = {f"property_{number}": {"type": "integer"} for number in range(40)}
    form = {"type": "object", "properties": names, "required": list(names)}

    made = rules(response_format=form, max_tokens=1000)

    assert made.max_tokens - made.max_thinking_tokens > 40 * len('"property_1": 1')
    assert rules(response_format=form, max_tokens=1000, answer_reserve=100).max_thinking_tokens == 900


@pytest.mark.parametrize(
    ("options", "thinks"),
    [
        ({"max_tokens": 40}, True),
        ({"max_tokens": 40}, False),
        ({"max_tokens": 500, "answer_reserve": 20}, True),
        ({"max_tokens": 500, "max_thinking_tokens": 480}, True),
    ],
)
def test_a_budget_that_the_shortest_answer_passes_is_refused(options: dict[str, int], thinks: bool) -> None:
    checked = RelayOptions.of({"response_format": POINT, **options}, where="test")
    able = Capabilities("test", "big", "little", constraints=True)

    with pytest.raises(RequestError, match=r"tokens are left for the answer, .* has 50"):
        checked.rules(cue_profile(), able, 1, constraint=checked.constraint(able), shortest_answer=50, thinks=thinks)


def test_a_budget_that_just_holds_the_shortest_answer_is_taken() -> None:
    checked = RelayOptions.of({"response_format": POINT, "max_tokens": 50}, where="test")
    able = Capabilities("test", "big", "little", constraints=True)

    made = checked.rules(cue_profile(), able, 1, constraint=checked.constraint(able), shortest_answer=50, thinks=False)

    assert (made.max_tokens, made.max_thinking_tokens) == (50, 0)
