"""Speed of a 32B/1.7B pair on one GPU without its weights: random models that follow real traces token by token.

    python -m benchmarks.gpu_pair --bandwidth 4800 --json runs/gpu_pair.json
    python -m benchmarks.gpu_pair --scale toy --device cpu --tokens 200

RELAYGEN_TRACES names the folder of the real traces; without it, texts are made up. Prints markdown. Real in its
figures: time, handoffs, bandwidth, memory. Assumed: how often the small model agrees (`--agreement`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from benchmarks.forced.bench import measure
from benchmarks.forced.script import Agreement
from benchmarks.forced.settings import Settings
from benchmarks.forced.shapes import SCALES
from benchmarks.forced.texts import TraceText, made_up_traces, real_traces, traces_file
from relaygen_runtime.errors import RelayGenError

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run from the command line."""
    args = _parser().parse_args(argv)
    if not torch.cuda.is_available() and args.device.startswith("cuda"):
        print(f"--device {args.device}: torch finds no CUDA here; try --scale toy --device cpu", file=sys.stderr)
        return 2
    try:
        settings, traces = _settings(args), _traces(args)
        report = measure(settings, traces, _show if sys.stderr.isatty() or args.progress else None)
    except (RelayGenError, ValueError, OSError, torch.OutOfMemoryError) as error:
        print(f"gpu_pair: {error}", file=sys.stderr)
        return 1
    print(report.markdown())
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(report.json() + "\n", encoding="utf-8")
    return 0 if report.graphs is None or report.graphs.passed else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks.gpu_pair", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    agreement = Agreement()
    parser.add_argument("--scale", choices=sorted(SCALES), default="full", help="the pair's shapes (default: full)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", choices=("auto", "bfloat16", "float32"), default="auto", help="auto: by device")
    parser.add_argument("--tokens", type=_positive, default=1000, help="tokens of each trace (default: 1000)")
    parser.add_argument("--traces", type=_positive, default=3, help="traces, each a prompt (default: 3)")
    parser.add_argument("--repeats", type=_positive, default=2, help="of each trace and arm; the fastest counts")
    parser.add_argument("--history", type=_natural, default=0, help="tokens before each question (default: 0)")
    parser.add_argument("--temperature", type=float, default=0.0, help="0 is greedy, the default")
    parser.add_argument("--agreement", type=_fraction, default=agreement.rate, help="the small model's (default: 0.9)")
    parser.add_argument("--unsure-when-wrong", type=_fraction, default=agreement.unsure_when_wrong)
    parser.add_argument("--unsure-when-right", type=_fraction, default=agreement.unsure_when_right)
    parser.add_argument("--sweep", type=_fraction, nargs="*", metavar="RATE", help="also at 0.6 0.8 0.9, or these")
    parser.add_argument("--bandwidth", type=float, help="of the device's memory as its maker states it, GB/s")
    parser.add_argument("--draft-max", type=_positive, default=24, help="tokens in one draft, at most")
    parser.add_argument("--draft-confidence", type=_fraction, default=0.7, help="below it a draft ends")
    parser.add_argument("--compile", action="store_true", help="compile the passes (torch.compile)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and disagreements")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--progress", action="store_true", help="tell how far it is, also where nobody watches")
    return parser


def _settings(args: argparse.Namespace) -> Settings:
    device = torch.device(args.device)
    on_gpu = device.type == "cuda"
    dtypes = {"auto": torch.bfloat16 if on_gpu else torch.float32, "bfloat16": torch.bfloat16, "float32": torch.float32}
    return Settings(
        scale=args.scale,
        device=device,
        dtype=dtypes[args.dtype],
        tokens=args.tokens,
        repeats=args.repeats,
        history=args.history,
        temperature=args.temperature,
        agreement=Agreement(args.agreement, args.unsure_when_wrong, args.unsure_when_right, args.seed),
        sweep=() if args.sweep is None else tuple(args.sweep) or (0.6, 0.8, 0.9),
        bandwidth_bytes_per_s=None if args.bandwidth is None else args.bandwidth * 1e9,
        draft_max=args.draft_max,
        draft_confidence=args.draft_confidence,
        compiled=args.compile,
        seed=args.seed,
    )


def _traces(args: argparse.Namespace) -> list[TraceText]:
    file = traces_file()
    if file is None:
        print("RELAYGEN_TRACES is not set: the texts are made up", file=sys.stderr)
        # A sentence has about twenty tokens.
        return made_up_traces(args.traces, sentences=max(20, args.tokens // 15), seed=args.seed)
    found = real_traces(file)
    if len(found) < args.traces:
        raise ValueError(f"--traces {args.traces}: {file.name} holds {len(found)}")
    return found[: args.traces]


def _show(name: str, done: int, total: int) -> None:
    print(f"{name}: {done}/{total}", file=sys.stderr, flush=True)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return number


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return number


def _fraction(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
