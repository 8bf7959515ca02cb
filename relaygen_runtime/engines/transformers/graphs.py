"""Runs the body of a pass: directly on a CPU, as a captured CUDA graph on a GPU.

Owns the captured graphs, one per width and span. Refuses to know what the body does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["GraphRunner"]

_WARM_UPS = 3


class GraphRunner:
    """Calls ``body(width, span)``, or replays what it once did.

    Args:
        body: Reads and writes tensors that stay where they are; fixed shapes; no host reads.
        device: Graphs are captured where this is CUDA.
    """

    def __init__(self, body: Callable[[int, int], None], device: torch.device) -> None:
        self._body = body
        self._captures = device.type == "cuda"
        self._graphs: dict[tuple[int, int], torch.cuda.CUDAGraph] = {}
        self._pool: Any = None

    def run(self, width: int, span: int) -> None:
        """Run the body for one width and span."""
        if not self._captures:
            self._body(width, span)
            return
        graph = self._graphs.get((width, span))
        if graph is None:  # pragma: no cover  (needs a GPU)
            graph = self._graphs[width, span] = self._capture(width, span)
        graph.replay()

    def _capture(self, width: int, span: int) -> torch.cuda.CUDAGraph:  # pragma: no cover  (needs a GPU)
        # A few runs on a side stream first: lazily made handles and autotuning must not end up in the graph.
        stream: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]  # untyped in torch
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UPS):
                self._body(width, span)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()
        with torch.cuda.graph(graph, pool=self._pool):
            self._body(width, span)
        return graph
