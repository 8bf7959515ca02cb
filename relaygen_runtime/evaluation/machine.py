"""What a figure was measured on: processor, cores, versions, commit, date. Read, never guessed."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["describe_machine"]

_PACKAGES = ("relaygen", "torch", "transformers", "numpy")


def describe_machine() -> dict[str, Any]:
    """Plain JSON data about this machine and these packages; what cannot be read is None."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "accelerator": _accelerator(),
        "threads": _threads(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in _PACKAGES},
        "commit": _commit(),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str | None:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or None


def _torch() -> Any:
    try:
        import torch  # noqa: PLC0415  (optional, slow)
    except ImportError:
        return None
    return torch


def _accelerator() -> str | None:
    torch = _torch()
    if torch is None or not torch.cuda.is_available():
        return None
    return str(torch.cuda.get_device_name(0))


def _threads() -> int | None:
    torch = _torch()
    return None if torch is None else int(torch.get_num_threads())


def _commit() -> str | None:
    folder = Path(__file__).resolve().parent
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607  (git from the user's own PATH)
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None
