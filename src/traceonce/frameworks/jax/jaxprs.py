"""A fingerprint of a jaxpr: equal for the same model built again, different for another model.

What counts: the operations and how they are wired; and apart from that wiring the shapes of what was captured, without
rows: whether captured arrays are weights or data, JAX does not know, and data grows by rows. What does not: literals (a
learning rate does not make another model) and the shapes of the arguments themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from traceonce.frameworks.base.closed_over import apart_from_rows

MOST = 20_000  # operations looked at
_STRUCTURAL = {"axes", "dimensions", "permutation", "dimension_numbers", "axis"}


class Read(NamedTuple):
    """A jaxpr: its fingerprint, that of its wiring alone, its operations, whether it calls back into Python, and the
    arrays that it captured.
    """

    fingerprint: str
    wiring: str
    nodes: int
    calls_back: bool
    captured: tuple[Any, ...] = ()


def read_jaxpr(closed: Any, state: str = "") -> Read:
    """`state` are the shapes of arguments that belong to the model."""
    reader = _Reader()
    reader.visit(closed.jaxpr)
    wiring = reader.digest.hexdigest()
    reader.digest.update(state.encode())
    captured = [*closed.consts, *reader.captured]
    for constant in captured:
        shape = apart_from_rows(getattr(constant, "shape", ()))
        reader.digest.update(f"{getattr(constant, 'dtype', '')}{shape}".encode())
    return Read(reader.digest.hexdigest(), wiring, reader.nodes, reader.calls_back, tuple(captured))


class _Reader:
    def __init__(self) -> None:
        self.digest = hashlib.blake2b(digest_size=8)
        self.nodes = 0
        self.calls_back = False
        self.captured: list[Any] = []  # by jaxprs inside

    def visit(self, jaxpr: Any) -> None:
        places: dict[Any, int] = {}
        for variable in (*jaxpr.constvars, *jaxpr.invars):
            places[variable] = len(places)
        for equation in jaxpr.eqns:
            self.nodes += 1
            if self.nodes > MOST:
                return
            name = str(equation.primitive.name)
            self.calls_back |= "callback" in name
            sources = [-1 if hasattr(atom, "val") else places.get(atom, -2) for atom in equation.invars]
            self.digest.update(f"{name}{sources}".encode())
            for key, value in sorted(equation.params.items()):
                if key in _STRUCTURAL or isinstance(value, bool):
                    self.digest.update(f"{key}={value}".encode())
                for inner in _jaxprs(value):
                    self.visit(inner)
                self.captured += getattr(value, "consts", ())
            for variable in equation.outvars:
                places[variable] = len(places)
                self.digest.update(str(getattr(variable.aval, "dtype", "")).encode())
        self.digest.update(str([places.get(atom, -1) for atom in jaxpr.outvars if not hasattr(atom, "val")]).encode())


def _jaxprs(value: Any) -> Iterator[Any]:
    """The jaxprs that a parameter of an operation holds."""
    for item in value if isinstance(value, (tuple, list)) else (value,):
        if hasattr(item, "jaxpr") and hasattr(item, "consts"):
            yield item.jaxpr
        elif hasattr(item, "eqns") and hasattr(item, "invars"):
            yield item


def literals(closed: Any) -> Iterator[Any]:
    """The scalars in a jaxpr, a bounded number of them: literals, and captured arrays of one element."""
    queue, looked_at = [closed.jaxpr], 0
    yield from (constant for constant in closed.consts if getattr(constant, "size", 0) == 1)
    while queue and looked_at < MOST:
        jaxpr = queue.pop()
        for equation in jaxpr.eqns:
            looked_at += 1
            yield from (atom.val for atom in equation.invars if hasattr(atom, "val"))
            for value in equation.params.values():
                queue.extend(_jaxprs(value))
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield value
        yield from (atom.val for atom in jaxpr.outvars if hasattr(atom, "val"))
