"""Trains one model of the embedded pair: ``python -m relaygen_runtime.demo.train --role large --out DIR``.

Owns: the loop, its schedule and its checkpoints. Refuses: data (`packing`), sizes (`shapes`) and
files of the finished model (`export`). A run that is stopped goes on where its last checkpoint
stands, with the same batches as if it had never stopped. A run may also begin with the weights of
another one (``--continue-from``): its own schedule, its own batches, from step 0.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import Qwen3ForCausalLM

from relaygen_runtime.demo.export import export_model
from relaygen_runtime.demo.packing import Packer, Shape
from relaygen_runtime.demo.shapes import ROLES, architecture
from relaygen_runtime.demo.tokenizer import read_tokenizer, token_id

IGNORED = -100
CHECKPOINT = "checkpoint.pt"
USUAL, LONG = Shape(8, 512), Shape(4, 1024)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides the weights.

    Attributes:
        role: The architecture, one of `ROLES`.
        steps: How many batches.
        seed: Of weights and data.
        rate: Peak learning rate, for every parameter group.
        warmup: Steps until the peak; from there the rate falls in a line to a fiftieth.
        usual: Shape of most batches.
        long: Shape of the long ones.
        long_every: How often a long one comes.
    """

    role: str
    steps: int
    seed: int = 1
    rate: float = 4e-3
    warmup: int = 100
    usual: Shape = USUAL
    long: Shape = LONG
    long_every: int = 10


class Training:
    """A model in training.

    Args:
        recipe: What decides the weights.
        tokenizer_folder: Where the tokenizer lies.
        out: The folder of checkpoint and exports.
        compiled: Whether to compile the model: faster, after half a minute.
        continue_from: A folder whose checkpoint gives weights and optimizer state to a run that has none yet.
    """

    def __init__(
        self,
        recipe: Recipe,
        tokenizer_folder: Path,
        out: Path,
        compiled: bool = False,
        continue_from: Path | None = None,
    ) -> None:
        self.recipe = recipe
        self.out = out
        self.tokenizer_folder = tokenizer_folder
        tokenizer = read_tokenizer(tokenizer_folder)
        self._packer = Packer(tokenizer, recipe.seed, recipe.usual, recipe.long, recipe.long_every)
        torch.manual_seed(recipe.seed)
        config = architecture(recipe.role, token_id(tokenizer, "<|im_end|>"), token_id(tokenizer, "<|endoftext|>"))
        self.model: Any = Qwen3ForCausalLM(config)
        matrices = [p for n, p in self.model.named_parameters() if p.ndim == 2 and "embed" not in n]
        others = [p for n, p in self.model.named_parameters() if p.ndim != 2 or "embed" in n]
        self._optimizers: list[torch.optim.Optimizer] = [
            torch.optim.Muon(matrices, lr=recipe.rate, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"),
            torch.optim.AdamW(others, lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.0),
        ]
        self._loss = torch.compile(self._batch_loss, dynamic=False) if compiled else self._batch_loss
        self.step = 0
        self.tokens = 0
        if self.checkpoint.is_file():
            self._resume()
        elif continue_from is not None:
            self._read_weights(torch.load(continue_from / CHECKPOINT, weights_only=True))

    @property
    def checkpoint(self) -> Path:
        """Where the run's state is kept."""
        return self.out / CHECKPOINT

    def _read_weights(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)

    def _resume(self) -> None:
        state = torch.load(self.checkpoint, weights_only=True)
        self._read_weights(state)
        self.step, self.tokens = state["step"], state["tokens"]
        torch.set_rng_state(state["rng"])

    def save(self) -> None:
        """Write the checkpoint; a crash in the middle leaves the earlier one."""
        self.out.mkdir(parents=True, exist_ok=True)
        state = {
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "step": self.step,
            "tokens": self.tokens,
            "rng": torch.get_rng_state(),
        }
        partial = self.checkpoint.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(self.checkpoint)

    def export(self) -> None:
        """Write the model as users load it."""
        export_model(self.model, self.tokenizer_folder, self.out)

    def advance(self) -> float:
        """Take one step; return its loss."""
        batch = self._packer.batch(self.step)
        ids = torch.tensor(batch.ids)
        labels = torch.where(torch.tensor(batch.learnt) == 1, ids, torch.tensor(IGNORED))
        rate = self._rate()
        for optimizer in self._optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        loss = self._loss(ids, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self._optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.step += 1
        self.tokens += ids.numel()
        return float(loss.detach())

    def _rate(self) -> float:
        done = self.step + 1
        if done <= self.recipe.warmup:
            return self.recipe.rate * done / self.recipe.warmup
        left = (self.recipe.steps - done) / max(1, self.recipe.steps - self.recipe.warmup)
        return self.recipe.rate * max(left, 0.02)

    def _batch_loss(self, ids: torch.Tensor, labels: torch.Tensor) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = self.model.model(input_ids=ids, use_cache=False).last_hidden_state
            logits = self.model.lm_head(hidden[:, :-1])
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), labels[:, 1:].flatten(), ignore_index=IGNORED
        )


def run(training: Training, save_every_s: float, export_every_s: float) -> None:
    """Train to the end, with a checkpoint and an early export now and then."""
    started = saved = exported = time.monotonic()
    first_tokens = training.tokens
    loss_sum, losses = 0.0, 0
    while training.step < training.recipe.steps:
        loss_sum, losses = loss_sum + training.advance(), losses + 1
        now = time.monotonic()
        if training.step % 50 == 0:
            speed = (training.tokens - first_tokens) / (now - started)
            sys.stderr.write(
                f"step {training.step}/{training.recipe.steps} loss {loss_sum / losses:.4f} "
                f"{training.tokens / 1e6:.2f}M tokens {speed:.0f} tok/s {now - started:.0f} s\n"
            )
            loss_sum, losses = 0.0, 0
        if now - saved > save_every_s:
            training.save()
            saved = now
        if now - exported > export_every_s:
            training.export()
            exported = now
    training.save()
    training.export()


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train one model of RelayGen's embedded demonstration pair.")
    parser.add_argument("--role", choices=ROLES, required=True, help="which architecture")
    parser.add_argument("--out", type=Path, required=True, help="folder of checkpoint and exported model")
    parser.add_argument("--tokenizer", type=Path, default=Path(__file__).parent / "pair" / "small")
    parser.add_argument("--steps", type=int, required=True, help="batches in all")
    parser.add_argument("--rows", type=int, default=USUAL.rows, help="rows in a batch")
    parser.add_argument(
        "--length",
        type=int,
        default=USUAL.length,
        help="tokens in a row; every tenth batch has half the rows, twice as long",
    )
    parser.add_argument("--rate", type=float, default=4e-3, help="peak learning rate")
    parser.add_argument("--warmup", type=int, default=100, help="steps until the peak of the rate")
    parser.add_argument(
        "--continue-from", type=Path, help="folder of a finished run whose weights this one begins with"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiled", action="store_true", help="compile the model first")
    parser.add_argument("--export-every-s", type=float, default=600.0)
    options = parser.parse_args(arguments)
    recipe = Recipe(
        role=options.role,
        steps=options.steps,
        seed=options.seed,
        rate=options.rate,
        warmup=options.warmup,
        usual=Shape(options.rows, options.length),
        long=Shape(max(1, options.rows // 2), 2 * options.length),
    )
    training = Training(recipe, options.tokenizer, options.out, options.compiled, options.continue_from)
    run(training, save_every_s=180.0, export_every_s=options.export_every_s)


if __name__ == "__main__":
    main()
