"""Writes a trained model as a Hugging Face folder.

Owns: the files: bfloat16 safetensors, configuration, generation defaults, tokenizer. Refuses:
optimizer state, which stays in the checkpoint.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from relaygen_runtime.demo.tokenizer import read_tokenizer, token_id

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")


def export_model(model: Any, tokenizer_folder: Path, folder: Path) -> None:
    """Write the model's folder; the weights are replaced in one move."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.resolve() != tokenizer_folder.resolve():
        for name in TOKENIZER_FILES:
            shutil.copyfile(tokenizer_folder / name, folder / name)
    weights = {
        name: tensor.detach().to(torch.bfloat16).contiguous()
        for name, tensor in model.state_dict().items()
        if name != "lm_head.weight"  # tied to the embedding
    }
    partial = folder / "model.safetensors.partial"
    save_file(weights, partial, metadata={"format": "pt"})
    partial.chmod(0o644)  # safetensors leaves it to the owner alone
    partial.replace(folder / "model.safetensors")
    config = model.config.to_dict()
    config.update({"architectures": ["Qwen3ForCausalLM"], "dtype": "bfloat16"})
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")
    tokenizer = read_tokenizer(tokenizer_folder)
    generation = {
        "do_sample": False,
        "eos_token_id": token_id(tokenizer, "<|im_end|>"),
        "pad_token_id": token_id(tokenizer, "<|endoftext|>"),
    }
    (folder / "generation_config.json").write_text(json.dumps(generation, indent=2) + "\n", "utf-8")
