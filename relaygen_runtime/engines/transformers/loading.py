"""Loads models and tokenizers from disk or hub, safely, with errors that say what to do.

Owns the safe defaults (safetensors only, no code of others) and the translation of what goes wrong into
`ModelLoadError`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import safetensors
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from relaygen_runtime.errors import ConfigurationError, ModelLoadError

__all__ = ["load_config", "load_model", "load_tokenizer", "resolve_device", "resolve_dtype"]

# What transformers, safetensors and torch raise over a folder that holds no readable model.
_UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    ImportError,
    RuntimeError,
    json.JSONDecodeError,
    safetensors.SafetensorError,
)


def load_config(source: str, *, trust_remote_code: bool = False) -> Any:
    """Read a model's configuration.

    Raises:
        ModelLoadError: No such model, or its configuration cannot be read.
    """
    _check_path(source)
    try:
        return AutoConfig.from_pretrained(source, trust_remote_code=trust_remote_code)
    except _UNREADABLE as error:
        raise _refusal(source, "configuration", error) from error


def load_tokenizer(source: str, *, trust_remote_code: bool = False) -> Any:
    """Read a tokenizer.

    Raises:
        ModelLoadError: No such model, or its tokenizer cannot be read.
    """
    _check_path(source)
    try:
        return AutoTokenizer.from_pretrained(source, trust_remote_code=trust_remote_code)
    except _UNREADABLE as error:
        raise _refusal(source, "tokenizer", error) from error


def load_model(
    source: str,
    *,
    device: str | torch.device | None = None,
    dtype: str | torch.dtype = "auto",
    trust_remote_code: bool = False,
    **options: Any,
) -> Any:
    """Read a causal model's weights, in evaluation mode.

    Args:
        source: Folder or hub name.
        device: Where to put it; None: a GPU if there is one. Not together with ``device_map``.
        dtype: ``"auto"``: float32 on CPUs, bfloat16 on CUDA.
        trust_remote_code: Run code that comes with the model.
        **options: For ``from_pretrained``: ``device_map``, ``quantization_config``, ``revision``...

    Raises:
        ModelLoadError: No such model, or its weights cannot be read.
        ConfigurationError: A device or dtype that is not to be had here.
    """
    if getattr(load_config(source, trust_remote_code=trust_remote_code), "is_encoder_decoder", False):
        raise ModelLoadError(f"{source}: an encoder-decoder model cannot be relayed; use a causal (decoder-only) one")
    target = resolve_device(device)
    kind = resolve_dtype(dtype, target)
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            source,
            dtype=kind,
            trust_remote_code=trust_remote_code,
            use_safetensors=True,
            **options,
        )
    except _UNREADABLE as error:
        raise _refusal(source, "weights", error) from error
    if options.get("device_map") is None and options.get("quantization_config") is None:
        model.to(target)
    model.eval()
    return model


def resolve_device(device: str | torch.device | None) -> torch.device:
    """Turn a name into a device that works here; None: a GPU if there is one.

    Raises:
        ConfigurationError: No such device, or torch cannot reach it.
    """
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        target = torch.device(device)
        torch.empty(0, device=target)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ConfigurationError(f"device: {str(device)!r} cannot be used here ({reason}); try 'cpu'") from error
    return target


def resolve_dtype(dtype: str | torch.dtype, device: torch.device) -> torch.dtype:
    """Turn a name into a dtype; ``"auto"`` goes by the device.

    Raises:
        ConfigurationError: No dtype has this name.
    """
    if isinstance(dtype, torch.dtype):
        return dtype
    if dtype == "auto":
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    named = getattr(torch, dtype, None)
    if not isinstance(named, torch.dtype):
        raise ConfigurationError(f"dtype: {dtype!r} is no torch dtype; use 'auto', 'float32', 'bfloat16' or 'float16'")
    return named


def _check_path(source: str) -> None:
    """Say in one line what transformers says in ten: a path that isn't there is no hub name."""
    path = Path(source).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelLoadError(f"{source}: no config.json in this folder; expected a Hugging Face model folder")
    elif path.exists():
        raise ModelLoadError(f"{source}: is a file; expected a Hugging Face model folder or a hub name")
    elif path.is_absolute() or source.startswith((".", "~")) or source.count("/") > 1:
        raise ModelLoadError(f"{source}: no such folder; expected a Hugging Face model folder or a hub name")


def _refusal(source: str, what: str, error: BaseException) -> ModelLoadError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return ModelLoadError(f"{source}: its {what} cannot be read ({lines[0].strip()}); check the name or the files")
