"""One trial in one process: what came out, what was traced, what was printed, and how it ended."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """An error that a trial raised: the name of its type and of those that it derives from, and its text."""

    types: tuple[str, ...]
    message: str
    traceback: str

    @property
    def line(self) -> str:
        return f"{self.types[0]}: {self.message}"


class SeenCause(msgspec.Struct, frozen=True, kw_only=True):
    """A cause that our observer named."""

    code: str
    path: str


class SeenFunction(msgspec.Struct, frozen=True, kw_only=True):
    """What our observer says of one function."""

    name: str
    traces: int
    verdict: str
    graph_breaks: int = 0
    causes: tuple[SeenCause, ...] = ()
    records: tuple[str, ...] = ()


class TrialMeasurement(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured. `broken` says how it ended where it hung, crashed, or could not be loaded.

    `outputs_are` compares the outputs with the right ones: "none" where there are no outputs.
    """

    framework: str = ""
    version: str = ""
    python: str = ""
    seconds: float = 0.0
    outputs: Any = None
    outputs_are: Literal["equal", "different", "none"] | None = None
    error: Failed | None = None
    functions: tuple[SeenFunction, ...] = ()
    compilations: int = 0
    grown_mib: float = 0.0
    log: str = ""
    report: str = ""
    retraces_logged: tuple[str, ...] = ()
    wrote: tuple[str, ...] = ()
    broken: str | None = None

    def traces(self, function: str | None = None) -> int:
        """How often functions of this name, or all of them, were traced."""
        return sum(
            seen.traces for seen in self.functions if function in (None, seen.name, seen.name.rpartition(".")[2])
        )

    def graph_breaks(self, function: str | None = None) -> int:
        """How often the compiler had to leave functions of this name, or all of them, to Python."""
        return sum(
            seen.graph_breaks for seen in self.functions if function in (None, seen.name, seen.name.rpartition(".")[2])
        )

    def compared_with(self, right: Any) -> TrialMeasurement:
        """The same, knowing what the right outputs are."""
        if self.error is not None or self.broken or (self.outputs is None and right is None):
            return msgspec.structs.replace(self, outputs_are="none")
        return msgspec.structs.replace(self, outputs_are="equal" if alike(self.outputs, right) else "different")


def alike(one: Any, other: Any) -> bool:
    """Are these outputs the same, up to the last digits of floating-point numbers? Types of numbers do not count."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-6)
    return type(one) is type(other) and bool(one == other)
