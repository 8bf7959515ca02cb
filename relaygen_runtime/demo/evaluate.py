"""How well a model of the pair does, alone: ``python -m relaygen_runtime.demo.evaluate --model DIR``.

Owns: greedy accuracy on held-out problems and requests, by kind, and teacher-forced accuracy by who would
write the token in a relay. Refuses: the relay itself (`relaygen_runtime.evaluation`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import torch
from transformers import Qwen3ForCausalLM

from relaygen_runtime.demo.data.problems import Problem, Templates, grade, heldout_problems
from relaygen_runtime.demo.data.requests import Request, grade_request, heldout_requests
from relaygen_runtime.demo.encoding import encode
from relaygen_runtime.demo.rendering import render
from relaygen_runtime.demo.tokenizer import read_tokenizer


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Greedy accuracy.

    Attributes:
        right: Problems or requests answered rightly.
        total: Problems or requests asked.
        by_kind: Right and total of every kind.
        mean_tokens: Tokens written for one.
    """

    right: int
    total: int
    by_kind: dict[str, tuple[int, int]]
    mean_tokens: float


@dataclass(frozen=True, slots=True)
class TokenAccuracy:
    """How often the most probable token is the right one, given the right text before it.

    Attributes:
        easy: In easy sentences and answers.
        easy_digits: The same, digits alone.
        hard: In the rest of the thinking.
        hard_digits: The same, digits alone.
    """

    easy: float
    easy_digits: float
    hard: float
    hard_digits: float


def load(folder: Path) -> Any:
    """Load a model folder as float32 on the CPU."""
    model: Any = Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return model.eval()


def greedy_accuracy(
    model: Any, folder: Path, problems: list[Problem], batch: int = 64, max_new_tokens: int = 640
) -> Accuracy:
    """Answer problems in batches with `generate`, and grade them."""
    asked = [
        _Asked(p.kind, render(p.messages, add_generation_prompt=True), partial(grade, gold=p.gold)) for p in problems
    ]
    return _accuracy(model, folder, asked, batch, max_new_tokens)


def request_accuracy(
    model: Any, folder: Path, requests: list[Request], batch: int = 64, max_new_tokens: int = 256
) -> Accuracy:
    """Answer requests for calls, objects and the like in batches, and grade them."""
    asked = [
        _Asked(
            r.kind,
            render(r.messages, r.tools, add_generation_prompt=True, enable_thinking=r.thinking),
            partial(grade_request, expected=r.expected),
        )
        for r in requests
    ]
    return _accuracy(model, folder, asked, batch, max_new_tokens)


@dataclass(frozen=True, slots=True)
class _Asked:
    kind: str
    prompt: str
    grade: Callable[[str], bool]


def _accuracy(model: Any, folder: Path, asked: list[_Asked], batch: int, max_new_tokens: int) -> Accuracy:
    tokenizer = read_tokenizer(folder)
    prompts = [tokenizer.encode(item.prompt).ids for item in asked]
    order = sorted(range(len(asked)), key=lambda i: len(prompts[i]))
    right: Counter[str] = Counter()
    total = Counter(item.kind for item in asked)
    written = 0
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        for i, ids in zip(chosen, _generate(model, [prompts[i] for i in chosen], max_new_tokens), strict=True):
            written += len(ids)
            right[asked[i].kind] += asked[i].grade(tokenizer.decode(ids, skip_special_tokens=True))
        sys.stderr.write(f"{start + len(chosen)} of {len(order)}: {right.total()} right\n")
    by_kind = {kind: (right[kind], count) for kind, count in sorted(total.items())}
    return Accuracy(right.total(), len(asked), by_kind, written / max(1, len(asked)))


def _generate(model: Any, prompts: list[list[int]], max_new_tokens: int) -> list[list[int]]:
    end, pad = model.generation_config.eos_token_id, model.generation_config.pad_token_id
    width = max(map(len, prompts))
    ids = torch.tensor([[pad] * (width - len(p)) + p for p in prompts])
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
    with torch.inference_mode():
        rows = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=max_new_tokens, do_sample=False)
    written: list[list[int]] = rows[:, width:].tolist()
    return [row[: row.index(end) + 1] if end in row else row for row in written]


def token_accuracy(model: Any, folder: Path, problems: list[Problem]) -> TokenAccuracy:
    """Compare the most probable token with the worked solution's, token by token."""
    tokenizer = read_tokenizer(folder)
    digits = {tokenizer.token_to_id(str(digit)) for digit in range(10)}
    hits: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for problem in problems:
        encoded = encode(tokenizer, problem.solution)
        with torch.inference_mode():
            best = model(input_ids=torch.tensor([encoded.ids])).logits[0].argmax(-1).tolist()
        for i in range(1, len(encoded.ids)):
            if not encoded.learnt[i]:
                continue
            part = "easy" if encoded.easy[i] else "hard"
            names = (part, f"{part}_digits") if encoded.ids[i] in digits else (part,)
            for name in names:
                seen[name] += 1
                hits[name] += best[i - 1] == encoded.ids[i]
    return TokenAccuracy(**{n: hits[n] / max(1, seen[n]) for n in ("easy", "easy_digits", "hard", "hard_digits")})


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, evaluate, and print JSON."""
    parser = argparse.ArgumentParser(description="Evaluate one model of RelayGen's embedded demonstration pair.")
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--problems", type=int, default=128)
    parser.add_argument("--requests", type=int, default=0, help="held-out requests for tools and objects")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--templates", choices=get_args(Templates), default="seen")
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args(arguments)
    model = load(options.model)
    told: dict[str, Any] = {}
    if options.problems:
        problems = heldout_problems(options.problems, options.seed, options.templates)
        told["accuracy"] = asdict(greedy_accuracy(model, options.model, problems, options.batch))
        told["tokens"] = asdict(token_accuracy(model, options.model, problems[:128]))
    if options.requests:
        requests = heldout_requests(options.requests, options.seed)
        told["requests"] = asdict(request_accuracy(model, options.model, requests, options.batch))
    sys.stdout.write(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
