"""Signatures, events and recordings made by hand, in a few characters each."""

from __future__ import annotations

import itertools
from typing import Any

from traceonce.facts import (
    Cause,
    CauseCode,
    Container,
    Diagnosis,
    FunctionId,
    Kind,
    Leaf,
    Recording,
    Signature,
    TraceEvent,
    Verdict,
)
from traceonce.facts.diagnosis import Reason

STEP = FunctionId("train_step", "train.py", 22)


def tensor(path: str, *shape: int | None, dtype: str = "float32", name: str | None = None) -> Leaf:
    """A tensor of known rank."""
    return Leaf(path, "tensor", dtype=dtype, shape=shape, name=name)


def unranked(path: str, dtype: str = "float32") -> Leaf:
    return Leaf(path, "tensor", dtype=dtype)


def python(path: str, value: Any) -> Leaf:
    """A Python value, as a backend writes it down."""
    return Leaf(path, "python", value=repr(value), type_name=type(value).__name__)


def none(path: str) -> Leaf:
    return Leaf(path, "none")


def thing(path: str, identity: int, type_name: str = "Config") -> Leaf:
    """An object that is known by its identity."""
    return Leaf(path, "object", type_name=type_name, identity=identity)


def variable(path: str, *shape: int | None, identity: int = 0, trainable: bool = True) -> Leaf:
    value = "trainable" if trainable else "not trainable"
    return Leaf(path, "variable", dtype="float32", shape=shape, value=value, identity=identity)


def ragged(path: str, *shape: int | None, rank: int = 1) -> Leaf:
    value = f"ragged_rank={rank}, row_splits=int64"
    return Leaf(path, "spec", dtype="int32", shape=shape, value=value, type_name="RaggedTensorSpec")


def sparse(path: str, *shape: int | None) -> Leaf:
    return Leaf(path, "spec", dtype="int32", shape=shape, type_name="SparseTensorSpec")


def container(path: str, type_name: str, *keys: str) -> Container:
    return Container(path, type_name, keys)


def signature(*parts: Leaf | Container, **context: str) -> Signature:
    """Leaves and containers, in any mixture, and the context by name."""
    leaves = tuple(part for part in parts if isinstance(part, Leaf))
    return Signature(leaves, tuple(part for part in parts if isinstance(part, Container)), context)


def kinds(request: Signature) -> list[Kind]:
    return [leaf.kind for leaf in request.leaves]


class Events:
    """Makes the events of one process: each gets the next number and starts a second after the last."""

    def __init__(
        self, function: FunctionId = STEP, *, process: str = "1", start: float = 1000.0, **fields: Any
    ) -> None:
        self._function = function
        self._process = process
        self._ids = itertools.count()
        self._start = start
        self._fields = fields

    def __call__(self, *parts: Leaf | Container | Signature, **fields: Any) -> TraceEvent:
        """An event for this signature, or for one of these leaves and containers."""
        given = [part for part in parts if isinstance(part, Signature)]
        made = given[0] if given else signature(*(part for part in parts if not isinstance(part, Signature)))
        number = next(self._ids)
        filled: dict[str, Any] = {
            "id": number,
            "backend": "tensorflow",
            "function": self._function,
            "signature": made,
            "start": self._start + number,
            "process": self._process,
            **self._fields,
            **fields,
        }
        return TraceEvent(**filled)


def record(*events: TraceEvent, calls: int | None = None, seconds: float = 100.0, **fields: Any) -> Recording:
    """A run. `calls` counts for every function among the events, in each of their processes."""
    counts: dict[str, dict[str, int]] = {}
    for event in events:
        if calls is not None:
            counts.setdefault(event.process, {})[event.function.key] = calls
    return Recording(events=events, calls=counts, seconds=seconds, runs=("run",), processes=1, **fields)


def cause(code: CauseCode = CauseCode.SHAPE, path: str = "x.shape[0]", **fields: Any) -> Cause:
    return Cause(code, path, **{"was": "1", "now": "2", **fields})


def diagnosis(*causes: Cause, function: FunctionId = STEP, **fields: Any) -> Diagnosis:
    """A function that was traced twice in two calls."""
    filled: dict[str, Any] = {
        "backend": "tensorflow",
        "traces": 2,
        "retraces": 1,
        "internal": 0,
        "failed": 0,
        "calls": 2,
        "compiles": 0,
        "backwards": 0,
        "seconds": 1.0,
        "exclusive_seconds": 1.0,
        "first_run_seconds": 0.0,
        "lost_seconds": 1.0,
        "share": None,
        "bytes": None,
        "verdict": Verdict.RETRACING,
        "growth": "growing",
        "reason": Reason.KEEPS_COMING,
        **fields,
    }
    return Diagnosis(function=function, causes=causes, **filled)
