"""`relaygen run`: prompts in, answers out, one line for what goes wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from relaygen_runtime import ContextOverflowError, EngineError, Role, ScriptedEngine, Session
from relaygen_runtime.cli.entry import main
from relaygen_runtime.engines.base import GenerationRequest
from tests.cli.scripted_pair import LARGE, scripted_opener
from tests.relay.scripts import TOOL

PutStdin = Callable[[bytes], None]
Captured = pytest.CaptureFixture[str]


def test_piped_output_is_the_answer_alone(capsys: Captured) -> None:
    opener, _ = scripted_opener()

    assert main(["run", "--demo", "?"], opener=opener) == 0

    assert capsys.readouterr().out == "The answer is 12.\n"


def test_show_all_tells_who_wrote_what_without_colours(capsys: Captured) -> None:
    opener, _ = scripted_opener()

    main(["run", "--demo", "--show", "all", "?"], opener=opener)

    assert capsys.readouterr().out == (
        "--- thinking ---\n"
        "[L] First multiply both of the numbers. <<So,>> [S] it is 12. [L] All is known now.\n"
        "--- answer ---\n"
        "[S] The answer is 12.\n"
    )


def test_json_lines_hold_every_event(capsys: Captured) -> None:
    opener, _ = scripted_opener()

    assert main(["run", "--demo", "--json", "?"], opener=opener) == 0

    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {event["schema"] for event in events} == {1}
    assert [events[0]["event"], events[-1]["event"]] == ["segment_started", "relay_finished"]
    text = "".join(event["text"] for event in events if event["event"] == "text_delta")
    assert text == f"{LARGE[0]} it is 12.{LARGE[1].rstrip()}The answer is 12."
    assert events[-1]["ledger"]["segments"] == sum(event["event"] == "segment_finished" for event in events)


def test_the_prompt_comes_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("was ist 3 · 4?\n", encoding="utf-8")
    opener, asked = scripted_opener()

    main(["run", "--demo", "--file", str(tmp_path / "q.txt")], opener=opener)

    assert asked.messages == [[{"role": "user", "content": "was ist 3 · 4?\n"}]]


@pytest.mark.parametrize("arguments", [[], ["--file", "-"]])
def test_the_prompt_comes_from_standard_input(arguments: list[str], stdin: PutStdin) -> None:
    stdin(b"two\nlines")
    opener, asked = scripted_opener()

    main(["run", "--demo", *arguments], opener=opener)

    assert asked.messages == [[{"role": "user", "content": "two\nlines"}]]


def test_a_byte_order_mark_is_no_part_of_the_prompt(stdin: PutStdin) -> None:
    stdin(b"\xef\xbb\xbfhello")
    opener, asked = scripted_opener()

    main(["run", "--demo"], opener=opener)

    assert asked.messages[0][0]["content"] == "hello"


def test_a_system_message_stands_first() -> None:
    opener, asked = scripted_opener()

    main(["run", "--demo", "--system", "Be short.", "?"], opener=opener)

    assert [message["role"] for message in asked.messages[0]] == ["system", "user"]


def test_a_whole_history_comes_from_a_file(tmp_path: Path) -> None:
    history = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    (tmp_path / "chat.json").write_text(json.dumps(history), encoding="utf-8")
    opener, asked = scripted_opener()

    main(["run", "--demo", "--messages", str(tmp_path / "chat.json")], opener=opener)

    assert asked.messages == [history]


def test_only_the_options_that_were_given_reach_the_relay(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    opener, asked = scripted_opener()
    words = "--max-tokens 50 --temperature 0 --answerer large --no-speculation --no-thinking --stop A --stop B --seed 3"

    main(["run", "--demo", *words.split(), "--tools", str(tmp_path / "tools.json"), "?"], opener=opener)

    assert asked.options == [
        {
            "max_tokens": 50,
            "temperature": 0.0,
            "answerer": "large",
            "speculation": False,
            "enable_thinking": False,
            "stop": ["A", "B"],
            "seed": 3,
            "tools": [TOOL],
        }
    ]


def test_messages_are_checked_before_models_are_loaded(capsys: Captured) -> None:
    opener, asked = scripted_opener()

    assert main(["run", "--demo", "caf\udce9"], opener=opener) == 2
    assert asked.arguments == []
    assert "messages[0]: character 3" in capsys.readouterr().err


def chat(lines: str, stdin: PutStdin, monkeypatch: pytest.MonkeyPatch) -> list[list[dict[str, object]]]:
    stdin(lines.encode())
    monkeypatch.setattr("relaygen_runtime.cli.terminal.Terminal.interactive", True)
    opener, asked = scripted_opener()

    assert main(["run", "--demo", "--system", "Be short."], opener=opener) == 0
    return asked.messages


def test_a_chat_remembers_questions_and_answers(stdin: PutStdin, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = chat("one\n\ntwo\n", stdin, monkeypatch)

    assert [message["content"] for message in first] == ["Be short.", "one"]
    assert [message["content"] for message in second] == ["Be short.", "one", "The answer is 12.", "two"]


def test_a_chat_forgets_when_asked_and_quits_when_told(stdin: PutStdin, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = chat("one\n/new\ntwo\n/quit\nthree\n", stdin, monkeypatch)

    assert [message["content"] for message in turns[-1]] == ["Be short.", "two"]
    assert len(turns) == 2


def test_a_turn_that_is_refused_does_not_end_the_chat(
    stdin: PutStdin, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def refuse(self: ScriptedEngine, request: GenerationRequest, **_: object) -> Session:
        if "long" in request.messages[-1]["content"]:
            raise ContextOverflowError("messages: too long; shorten it")
        return original(self, request)

    original = ScriptedEngine.open
    monkeypatch.setattr(ScriptedEngine, "open", refuse)
    turns = chat("one\nlong\ntwo\n", stdin, monkeypatch)

    assert [message["content"] for message in turns[-1]] == ["Be short.", "one", "The answer is 12.", "two"]
    assert "relaygen: error: messages: too long; shorten it\n" in capsys.readouterr().err


def test_notes_go_to_stderr(capsys: Captured) -> None:
    opener, _ = scripted_opener([" one two three four five six seven eight"], ["Twelve."], max_thinking_tokens=4)

    assert main(["run", "--demo", "?"], opener=opener) == 0

    out, err = capsys.readouterr()
    assert out == "Twelve.\n"
    assert "relaygen: note: " in err


def test_a_lost_small_model_is_said(capsys: Captured) -> None:
    def fail(author: Role, written: int) -> None:
        if author is Role.SMALL:
            raise EngineError("gone")

    opener, _ = scripted_opener([LARGE[0], LARGE[1], "Twelve."], fail=fail)

    assert main(["run", "--demo", "?"], opener=opener) == 0
    assert "the large carried on alone" in capsys.readouterr().err


def test_a_lost_large_model_is_a_failure_with_the_partial_text_shown(capsys: Captured) -> None:
    def fail(author: Role, written: int) -> None:
        if written == 3:
            raise EngineError("the large model is gone")

    opener, _ = scripted_opener(fail=fail)

    assert main(["run", "--demo", "--show", "all", "?"], opener=opener) == 1

    out, err = capsys.readouterr()
    assert "First multiply" in out
    assert err == "relaygen: error: the large model is gone\n"


def test_json_readers_are_told_of_an_error_too(capsys: Captured) -> None:
    def fail(author: Role, written: int) -> None:
        raise EngineError("gone")

    opener, _ = scripted_opener(fail=fail)

    assert main(["run", "--demo", "--json", "?"], opener=opener) == 1
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last == {"schema": 1, "event": "error", "kind": "EngineError", "message": "gone"}


@pytest.mark.parametrize("arguments", [["--demo", "--max-tokens", "0", "?"], ["--demo", "caf\udce9"], ["?"]])
def test_they_are_told_of_what_is_refused_before_anything_runs(arguments: list[str], capsys: Captured) -> None:
    assert main(["run", "--json", *arguments]) == 2

    out, err = capsys.readouterr()
    assert json.loads(out)["event"] == "error"
    assert err == f"relaygen: error: {json.loads(out)['message']}\n"


@pytest.mark.parametrize(
    ("arguments", "data", "words"),
    [
        (["--demo"], b"caf\xe9", "standard input: byte 3 (0xe9) is not UTF-8"),
        (["--demo"], b" \n", "standard input: no text"),
        (["--demo", " "], b"", "PROMPT: it is empty"),
        (["--demo", "--file", "nowhere.txt"], b"", "nowhere.txt: No such file"),
        (["--demo", "--file", "."], b"", ".: Is a directory"),
        (["--demo", "--messages", "-"], b"{", "standard input: not JSON, line 1 column 2"),
        (["--demo", "--messages", "-"], b"{}", "standard input: expected a JSON list of messages"),
        (["--demo", "--messages", "-"], b"[" * 100_000, "standard input: lists or objects in it are nested too deep"),
        (["--demo", "--messages", "-"], b"[]", "messages: the list is empty"),
        (["--demo", "--messages", "-"], b'[{"content": 1}]', "messages[0]"),
        (["--demo", "--tools", "-", "?"], b"3", "standard input: expected a JSON list of tool schemas"),
        (["--demo", "--response-format", "-", "?"], b"[]", "standard input: expected a JSON object"),
        (["--demo", "--max-tokens", "0", "?"], b"", "max_tokens: 0 is out of range; it must be at least 1"),
        (["--demo", "--top-p", "2", "?"], b"", "top_p: 2.0 is out of range"),
        (["--demo", "--max-thinking-tokens", "9", "--answer-reserve", "9", "?"], b"", "say the same thing twice"),
        (["--demo", "--json", "--show", "all", "?"], b"", "--json and --show"),
        (["--demo", "--profile", "qwen3", "?"], b"", "--demo and --profile"),
        (["?"], b"", "--large is missing"),
        (["--large", "a", "?"], b"", "--small is missing"),
        (["--large", "a", "--small", "b", "?"], b"", "--profile is missing"),
    ],
)
@pytest.mark.usefixtures("scripted_demo")
def test_misuse_is_one_line_that_says_what_and_where(
    arguments: list[str], data: bytes, words: str, stdin: PutStdin, capsys: Captured
) -> None:
    stdin(data)

    code = main(["run", *arguments])

    out, err = capsys.readouterr()
    assert code == 2
    assert out.strip() == ""
    assert err.startswith("relaygen: error: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("terminal", "shown"), [(True, "an \N{REPLACEMENT CHARACTER}[2J answer"), (False, "an \x1b[2J answer")]
)
def test_the_answer_alone_keeps_its_bytes_in_a_pipe_and_commands_no_terminal(
    terminal: bool, shown: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener, _ = scripted_opener(LARGE, [" it is 12. And", "an \x1b[2J answer"])
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)

    main(["run", "--demo", "--show", "answer", "?"], opener=opener)

    assert shown in capsys.readouterr().out
