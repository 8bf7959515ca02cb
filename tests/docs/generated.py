"""The parts of docs/ that come from the code: what each is made of, and how it is put in place.

`python -m tests.docs.regenerate` (or ``make docs``) writes them; a test refuses a page that differs.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import os
import re
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from relaygen_runtime import (
    FinishReason,
    LedgerEntry,
    RelayFinished,
    RelayOptions,
    SegmentStarted,
    SwitchReason,
    TextDelta,
    ThinkingFinished,
    errors,
    list_profiles,
    load_profile,
)
from relaygen_runtime.cli.option_help import attribute_descriptions
from relaygen_runtime.cli.parser import build_parser
from relaygen_runtime.policy.diagram import mermaid

__all__ = ["DOCS", "PAGES", "fill"]

DOCS = Path(__file__).resolve().parents[2] / "docs"
_WIDTH = 100


def fill(page: str, text: str) -> str:
    """The page's text with every generated block made anew.

    Raises:
        KeyError: The page lacks a block that it should have, or has one that nobody makes.
    """
    blocks = dict(PAGES[page])

    def renew(found: re.Match[str]) -> str:
        made = blocks.pop(found["name"])().strip("\n")
        return f"{found['begin']}\n{made}\n{found['end']}"

    pattern = r"(?P<begin><!-- generated: (?P<name>[\w ]+) -->)\n.*?(?P<end><!-- end -->)"
    filled = re.sub(pattern, renew, text, flags=re.DOTALL)
    if blocks:
        raise KeyError(f"docs/{page}: no block for {', '.join(blocks)}")
    return filled


def state_diagram() -> str:
    return f"```mermaid\n{mermaid()}```"


def option_table() -> str:
    rows = ["| option | default | meaning |", "| --- | --- | --- |"]
    for field in dataclasses.fields(RelayOptions):
        default = field.default if field.default is not dataclasses.MISSING else {}
        meaning = attribute_descriptions(RelayOptions)[field.name].replace("``", "`").replace("|", "\\|")
        rows.append(f"| `{field.name}` | `{default!r}` | {meaning} |")
    return "\n".join(rows)


def llama_index_fields() -> str:
    from llama_index.core.llms.function_calling import FunctionCallingLLM  # noqa: PLC0415  (slow to import)

    from relaygen_integrations.llama_index import RelayGenLLM  # noqa: PLC0415

    rows = ["| field | default | meaning |", "| --- | --- | --- |"]
    for name, field in RelayGenLLM.model_fields.items():
        if name not in FunctionCallingLLM.model_fields:
            rows.append(f"| `{name}` | `{field.get_default(call_default_factory=True)!r}` | {field.description} |")
    return "\n".join(rows)


def attribute_table(described: type) -> str:
    rows = ["| field | meaning |", "| --- | --- |"]
    rows += [f"| `{name}` | {text.replace('``', '`')} |" for name, text in attribute_descriptions(described).items()]
    return "\n".join(rows)


def langchain_fields() -> str:
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415  (slow to import)

    from relaygen_integrations.langchain import ChatRelayGen  # noqa: PLC0415

    rows = ["| field | default | meaning |", "| --- | --- | --- |"]
    for name, field in ChatRelayGen.model_fields.items():
        if name in BaseChatModel.model_fields:
            continue
        default = field.default if field.default_factory is None else ({} if name == "engine_options" else None)
        rows.append(f"| `{name}` | `{default!r}` | {field.description} |")
    return "\n".join(rows)


def langchain_errors() -> str:
    from relaygen_integrations.langchain.errors import RAISED_AS, RelayTimeoutError  # noqa: PLC0415

    rows = ["| raised | LangChain's kind | RelayGen's kind | when |", "| --- | --- | --- | --- |"]
    for raised in dict.fromkeys([*RAISED_AS.values(), RelayTimeoutError]):
        kinds = [
            next(kind.__name__ for kind in raised.__mro__ if kind.__module__ == home)
            for home in ("langchain_core.exceptions", "relaygen_runtime.errors")
        ]
        when = (raised.__doc__ or "").splitlines()[0]
        rows.append(f"| `{raised.__name__}` | `{kinds[0]}` | `{kinds[1]}` | {when} |")
    return "\n".join(rows)


def switch_reasons() -> str:
    return ", ".join(f"`{reason}`" for reason in SwitchReason)


def finish_reasons() -> str:
    return ", ".join(f"`{reason}`" for reason in FinishReason)


def error_tree() -> str:
    document = inspect.cleandoc(errors.__doc__ or "")
    tree = [line for line in document.splitlines() if line.startswith("    ")]
    return "\n".join(["```text", *(line[4:] for line in tree), "```"])


def profile_table() -> str:
    rows = ["| name | alias | cues | large | small |", "| --- | --- | --- | --- | --- |"]
    for name in list_profiles():
        profile = load_profile(name)
        aliases = ", ".join(f"`{alias}`" for alias in profile.aliases)
        rows.append(f"| `{name}` | {aliases} | {len(profile.cues)} | {profile.large} | {profile.small} |")
    return "\n".join(rows)


def help_of(*names: str) -> str:
    with mock.patch.dict(os.environ, {"COLUMNS": str(_WIDTH), "NO_COLOR": "1"}):
        parser: argparse.ArgumentParser = build_parser()
        for name in names:
            parser = next(
                action.choices[name] for action in parser._actions if isinstance(action, argparse._SubParsersAction)
            )
        lines = (line.rstrip() for line in parser.format_help().splitlines())
        return "\n".join(["```text", *lines, "```"])


def _help(*names: str) -> Callable[[], str]:
    return lambda: help_of(*names)


def _attributes(described: type) -> Callable[[], str]:
    return lambda: attribute_table(described)


PAGES: dict[str, dict[str, Callable[[], str]]] = {
    "architecture.md": {"state diagram": state_diagram},
    "options.md": {"options": option_table},
    "llama-index.md": {"RelayGenLLM": llama_index_fields},
    "langchain.md": {"ChatRelayGen": langchain_fields, "LangChain errors": langchain_errors},
    "profiles.md": {"profiles": profile_table},
    "errors.md": {"errors": error_tree},
    "events.md": {
        "SegmentStarted": _attributes(SegmentStarted),
        "TextDelta": _attributes(TextDelta),
        "ThinkingFinished": _attributes(ThinkingFinished),
        "RelayFinished": _attributes(RelayFinished),
        "LedgerEntry": _attributes(LedgerEntry),
        "switch reasons": switch_reasons,
        "finish reasons": finish_reasons,
    },
    "cli.md": {
        "relaygen": _help(),
        "demo": _help("demo"),
        "run": _help("run"),
        "bench": _help("bench"),
        "profiles": _help("profiles"),
    },
}
