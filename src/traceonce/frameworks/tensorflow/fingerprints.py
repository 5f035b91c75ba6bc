"""A fingerprint of a traced graph: equal for the same model built again, different for another model.

What counts: the operations, how they are wired, the shapes of the variables, and the functions that are called. What
does not: names (Keras numbers its layers on), constants (a learning rate does not make another model) and the shapes
of the arguments. A function that was loaded from a file is one of its own: what it calls was not traced here.
"""

from __future__ import annotations

import hashlib
from typing import Any

CALLS = {"PartitionedCall", "StatefulPartitionedCall"}
LOADED = "restored_function_body"  # TensorFlow's name for the function around a loaded one
REMEMBERED = 4096


class Fingerprints:
    """Computes fingerprints and remembers them by graph name, since a graph that calls another contains it."""

    def __init__(self) -> None:
        self._by_name: dict[str, str] = {}

    def take(self, concrete: Any) -> tuple[str, int]:
        """The fingerprint of a concrete function, and the number of its operations."""
        graph = concrete.graph
        operations = graph.get_operations()
        positions: dict[str, int] = {}
        digest = hashlib.blake2b(digest_size=8)
        for position, operation in enumerate(operations):
            positions[operation.name] = position
            kind = operation.type
            sources = [positions.get(tensor.op.name, -1) for tensor in operation.inputs]
            called = self._called(operation, exactly=graph.name == LOADED) if kind in CALLS else ""
            digest.update(f"{kind}{sources}{called};".encode())
        for captured, _ in graph.captures:
            digest.update(_variable_shape(captured).encode())
        fingerprint = digest.hexdigest()
        if len(self._by_name) >= REMEMBERED:
            self._by_name.clear()
        self._by_name[graph_name(concrete)] = fingerprint
        return fingerprint, len(operations)

    def _called(self, operation: Any, *, exactly: bool) -> str:
        name = str(operation.get_attr("f").name)
        return self._by_name.get(name, name if exactly else name.rstrip("0123456789"))


def graph_name(concrete: Any) -> str:
    """The name under which TensorFlow itself knows the graph, also in its log."""
    name = concrete.name
    return name.decode() if isinstance(name, bytes) else str(name)


def _variable_shape(captured: Any) -> str:
    """The shape behind a captured resource handle, or of a captured tensor."""
    data = getattr(captured, "_handle_data", None)
    parts = getattr(data, "shape_and_type", None)
    if parts:
        return ";".join(f"{[dim.size for dim in part.shape.dim]}{part.dtype}" for part in parts)
    return f"{captured.dtype.name}{captured.shape}"
