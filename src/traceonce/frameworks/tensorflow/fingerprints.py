"""A fingerprint of a traced graph: equal for the same model built again, different for another model.

What counts: the operations, how they are wired, and the graphs that are called; and apart from that wiring the sizes of
the model's own weights.
What does not: names and the serial numbers in them (Keras and TensorFlow number on), constants (a learning rate does
not make another model) and the shapes of the arguments. The same code over data that grows is the same model: a tensor
that is captured counts with its dtype and rank, a variable that is not trained without its rows. Weights are trainable
variables. A function that was loaded from a file is one of its own: what it calls was not traced here.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, NamedTuple

from traceonce.frameworks.base.closed_over import apart_from_rows

# Operations that call functions, and the attributes that name those.
CALLS = {
    "PartitionedCall": ("f",),
    "StatefulPartitionedCall": ("f",),
    "If": ("then_branch", "else_branch"),
    "StatelessIf": ("then_branch", "else_branch"),
    "While": ("cond", "body"),
    "StatelessWhile": ("cond", "body"),
}
LOADED = "restored_function_body"  # TensorFlow's name for the function around a loaded one
REMEMBERED = 4096
_SERIAL = re.compile(r"(_\d+)+$")


class Taken(NamedTuple):
    """The fingerprint of a concrete function, that of its wiring alone, and the number of its operations."""

    fingerprint: str
    wiring: str
    nodes: int


class Fingerprints:
    """Computes fingerprints, and remembers those of called graphs by the names of these, which are given once."""

    def __init__(self) -> None:
        self._by_name: dict[str, str] = {}

    def take(self, concrete: Any) -> Taken:
        graph = concrete.graph
        wiring = self._wiring(graph)
        digest = hashlib.blake2b(wiring.encode(), digest_size=8)
        trained = {id(variable.handle): variable.trainable for variable in _variables(graph)}
        for captured, _ in graph.captures:
            digest.update(_size(captured, trained.get(id(captured), True)).encode())
        return Taken(digest.hexdigest(), wiring, len(graph.get_operations()))

    def _wiring(self, graph: Any) -> str:
        positions: dict[str, int] = {}
        digest = hashlib.blake2b(digest_size=8)
        # A small tensor becomes a constant where a large one is captured.
        values = {inner.op.name for captured, inner in getattr(graph, "captures", ()) if not _is_resource(captured)}
        for position, operation in enumerate(graph.get_operations()):
            positions[operation.name] = position
            kind = "Const" if operation.name in values else operation.type
            sources = [positions.get(tensor.op.name, -1) for tensor in operation.inputs]
            called = [self._called(graph, str(operation.get_attr(f).name)) for f in CALLS.get(kind, ())]
            digest.update(f"{kind}{sources}{called};".encode())
        return digest.hexdigest()

    def _called(self, graph: Any, name: str) -> str:
        if graph.name == LOADED:
            return name
        known = self._by_name.get(name)
        if known is None:
            if len(self._by_name) >= REMEMBERED:
                self._by_name.clear()
            function = graph._get_function(name) if hasattr(graph, "_get_function") else None
            inner = getattr(function, "graph", None)
            known = self._by_name[name] = self._wiring(inner) if inner is not None else _SERIAL.sub("", name)
        return known


def graph_name(concrete: Any) -> str:
    """The name under which TensorFlow itself knows the graph, also in its log."""
    name = concrete.name
    return name.decode() if isinstance(name, bytes) else str(name)


def captured_things(graph: Any) -> list[Any]:
    """What a graph takes from outside: tensors, and the variables behind captured handles."""
    variables = {id(variable.handle): variable for variable in _variables(graph)}
    things = [variables.get(id(captured), captured) for captured, _ in graph.captures]
    return [thing for thing in things if not _is_resource(thing)]


def _variables(graph: Any) -> tuple[Any, ...]:
    try:
        return tuple(graph.variables)
    except AssertionError:  # TensorFlow's, where one of them is gone
        return ()


def _is_resource(thing: Any) -> bool:
    return bool(getattr(getattr(thing, "dtype", None), "name", "") == "resource")


def _size(captured: Any, trained: bool) -> str:
    """What of the size of a captured tensor, or of the variable behind a captured handle, belongs to the model."""
    data = getattr(captured, "_handle_data", None)
    parts = getattr(data, "shape_and_type", None)
    if parts:
        sizes = [([dim.size for dim in part.shape.dim], part.dtype) for part in parts]
        return ";".join(f"{size if trained else apart_from_rows(size)}{dtype}" for size, dtype in sizes)
    return f"{captured.dtype.name}{captured.shape.rank}"
