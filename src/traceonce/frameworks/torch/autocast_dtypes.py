"""The dtype of autocast where no guard looks at it: compiled in, and served for good.

PyTorch guards the dtype of an autocast that is on around the call. It guards neither which dtype an autocast has when
it is entered in the compiled function without one, nor what `torch.get_autocast_dtype` returns there. A backend that
runs the graph as it is (``"eager"``) asks for the former at each run; others compile it in.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.facts import Cause, CauseCode, Evidence, Finding, TraceEvent
from traceonce.frameworks.torch.signatures import modes

ENTERS = "_enter_autocast"
READS = ("get_autocast_dtype", "get_autocast_cpu_dtype", "get_autocast_gpu_dtype")


def compiled_in(graph_module: Any, compiled: Any) -> set[str]:
    """The devices for which a graph enters autocast with whichever dtype is set, unless it is run as it is."""
    if compiled is graph_module or getattr(compiled, "__self__", None) is graph_module:
        return set()
    entered = (
        node.args
        for node in graph_module.graph.nodes
        if node.op == "call_function" and getattr(node.target, "__name__", None) == ENTERS
    )
    return {str(args[0]) for args in entered if len(args) > 2 and args[1] is None and args[2]}


class AutocastDtypes:
    """Compares the dtypes that a graph was compiled with to those that are set when it is run."""

    def __init__(self, torch: Any, write: Callable[[Finding], None], problem: Callable[[Exception], None]) -> None:
        self._torch = torch
        self._write = write
        self._problem = problem
        self._said: set[tuple[str, str]] = set()

    def renew(self) -> None:
        """Another observer joins: what was said before is news to it."""
        self._said.clear()

    def look(self, event: TraceEvent, entered: set[str], code: types.CodeType) -> Callable[[], None] | None:
        """What is to be called before a run of what was compiled; None where it depends on no such dtype."""
        reads = any(name in READS for each in _codes(code) for name in each.co_names)
        compiled = {key: text for key, text in event.signature.context.items() if key.endswith("_dtype")}
        watched: dict[str, Evidence] = {}
        for key in compiled:
            if key in {f"autocast({device})_dtype" for device in entered}:
                watched[key] = "measured"
            elif reads and key.startswith("autocast("):
                watched[key] = "inferred"
        if not watched:
            return None

        def compare() -> None:
            try:
                now = modes(self._torch)
                for key, evidence in watched.items():
                    if now.get(key, compiled[key]) != compiled[key] and (event.function.key, key) not in self._said:
                        self._said.add((event.function.key, key))
                        cause = Cause(CauseCode.STALE, key, compiled[key], now[key], evidence=evidence)
                        self._write(Finding(event.backend, event.function, cause))
            except Exception as error:
                self._problem(error)

        return compare


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)
