"""The chat template and the tokenizer of the pair."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from relaygen_runtime.demo import build_tokenizer
from relaygen_runtime.demo.pair import pair_paths
from relaygen_runtime.demo.rendering import render
from relaygen_runtime.demo.tokenizer import SPECIAL, TAGS, read_tokenizer, train_tokenizer, write_tokenizer

USER = {"role": "user", "content": "How many?"}
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}


def _assistant(**more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "Two.", **more}


def test_thinking_of_earlier_turns_is_dropped_in_either_form() -> None:
    for turn in (
        _assistant(reasoning_content="One and one."),
        _assistant(content="<think>\nOne and one.\n</think>\n\nTwo."),
    ):
        text = render([USER, turn, USER], add_generation_prompt=True)
        assert "One and one." not in text
        assert "<|im_start|>assistant\nTwo.<|im_end|>" in text


def test_thinking_since_the_last_question_is_kept() -> None:
    call = {"function": {"name": "f", "arguments": {}}}
    turns = [USER, _assistant(content="", reasoning_content="I call f.", tool_calls=[call])]
    text = render([*turns, {"role": "tool", "content": "2"}], add_generation_prompt=True)
    assert "<think>\nI call f.\n</think>\n\n<tool_call>\n" in text


def test_switched_off_thinking_is_closed_in_the_prompt() -> None:
    assert render([USER], add_generation_prompt=True, enable_thinking=False).endswith(
        "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    )
    assert render([USER], add_generation_prompt=True, enable_thinking=True).endswith("<|im_start|>assistant\n")


@pytest.mark.parametrize("arguments", [{"a": "é"}, '{"a": "é"}'])
def test_tool_calls_render_alike_from_objects_and_from_json(arguments: object) -> None:
    turn = _assistant(content="", tool_calls=[{"function": {"name": "f", "arguments": arguments}}] * 2)
    text = render([USER, turn, {"role": "tool", "content": "x"}, {"role": "tool", "content": "y"}])
    one = '<tool_call>\n{"name": "f", "arguments": {"a": "é"}}\n</tool_call>'
    assert f"{one}\n{one}<|im_end|>" in text
    assert (
        "<|im_start|>user\n<tool_response>\nx\n</tool_response>\n<tool_response>\ny\n</tool_response><|im_end|>" in text
    )


def test_tools_stand_in_the_system_turn() -> None:
    with_system = render([{"role": "system", "content": "Be kind."}, USER], [TOOL])
    assert with_system.startswith("<|im_start|>system\nBe kind.\n\n")
    assert render([USER], [TOOL]).startswith("<|im_start|>system\n")
    assert json.dumps(TOOL["function"]) in with_system
    assert "system" not in render([USER])


def test_content_may_be_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": "How "}, "many?"]
    assert render([{"role": "user", "content": parts}]) == render([USER])


@pytest.mark.parametrize(
    "messages",
    [[], [USER, {"role": "system", "content": "Late."}], [{"role": "oracle", "content": "x"}]],
)
def test_what_cannot_be_rendered_is_refused(messages: list[dict[str, Any]]) -> None:
    with pytest.raises(ValueError, match=r"empty|first|role"):
        render(messages)


def test_transformers_renders_and_tokenises_alike() -> None:
    transformers = pytest.importorskip("transformers")
    folder = pair_paths().large
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    messages = [{"role": "system", "content": "Be kind."}, USER, _assistant(), USER]
    for options in ({}, {"tools": [TOOL]}, {"enable_thinking": False}):
        expected = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **options)
        assert render(messages, add_generation_prompt=True, **options) == expected
        assert tokenizer(expected).input_ids == read_tokenizer(folder).encode(expected).ids
    assert tokenizer.convert_ids_to_tokens([tokenizer.eos_token_id]) == ["<|im_end|>"]
    assert tokenizer.decode(tokenizer("<think>a</think>").input_ids, skip_special_tokens=True) == "<think>a</think>"


def test_every_digit_is_a_token() -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    assert tokenizer.encode("1534").tokens == ["1", "5", "3", "4"]
    assert [t for t in tokenizer.get_vocab() if re.search("[0-9]", t) and len(t) > 1] == []


def test_the_builder_writes_the_files_of_the_packaged_tokenizer(tmp_path: Path) -> None:
    # The packaged merges come from an earlier stream: a later one must not change them, or the weights lose their ids.
    write_tokenizer(train_tokenizer(build_tokenizer.texts(400)), tmp_path)
    for name in ("tokenizer_config.json", "chat_template.jinja"):
        assert (tmp_path / name).read_bytes() == (pair_paths().small / name).read_bytes()
    built, packaged = read_tokenizer(tmp_path), read_tokenizer(pair_paths().small)
    assert built.get_vocab_size() == packaged.get_vocab_size()
    assert built.encode("1 </think>").tokens == packaged.encode("1 </think>").tokens


def test_tags_are_single_tokens_and_not_special() -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    added = {token.content: token.special for token in tokenizer.get_added_tokens_decoder().values()}
    assert added == {**dict.fromkeys(SPECIAL, True), **dict.fromkeys(TAGS, False)}
    assert tokenizer.get_vocab_size() == 2048
    assert tokenizer.encode("</think>\n\nSo").tokens == ["</think>", "Ċ", "Ċ", "So"]


@pytest.mark.parametrize("text", ["naïve 你好 🚀\n\n  x\t", "a\r\nb", "\x00\x7f", "   ", "123 456.7"])
def test_any_text_survives_the_tokenizer(text: str) -> None:
    tokenizer = read_tokenizer(pair_paths().small)
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
