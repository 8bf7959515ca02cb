"""Where the embedded pair lies on disk.

Owns: the paths of the packaged models and the name of their cue profile. Refuses: loading them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from relaygen_runtime.errors import ModelLoadError

PROFILE = "demo"


@dataclass(frozen=True, slots=True)
class PairPaths:
    """The two model folders, and the cue profile that belongs to them.

    Attributes:
        large: A Hugging Face model folder.
        small: A Hugging Face model folder with the same tokenizer.
        profile: The name of the built-in cue profile.
    """

    large: Path
    small: Path
    profile: str


def pair_paths() -> PairPaths:
    """Locate the packaged pair.

    Raises:
        ModelLoadError: If the package was installed without its weights.
    """
    root = Path(str(resources.files("relaygen_runtime.demo"))) / "pair"
    for role in ("large", "small"):
        if not (root / role / "model.safetensors").is_file():
            raise ModelLoadError(
                f"The embedded {role} model is missing from {root / role}: reinstall relaygen, or train it with "
                f"`python -m relaygen_runtime.demo.train --role {role} --out DIR`."
            )
    return PairPaths(root / "large", root / "small", PROFILE)
