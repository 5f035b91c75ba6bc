"""Do two traces give the same for the same inputs? Found out by running them, where that leaves no mark.

A graph that only computes and reads variables is run as it is. One that writes variables is run on copies of them, and
what it wrote is compared, too. Any other (it prints, draws random numbers, calls Python, reads a file) is not run.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import tensorflow as tf

from traceonce.backends.tensorflow.dispatching.exact import structure
from traceonce.backends.tensorflow.dispatching.parts import OPAQUE, context, dtypes

Agreement: TypeAlias = Literal["same", "different", "unknown"]
READS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp"})
WRITES = re.compile(r"(Assign(Add|Sub)?VariableOp|Resource(Sparse)?Apply\w+|ResourceScatter\w+)$")
CALLS = frozenset({"StatefulPartitionedCall", "If", "While", "Case", "Assert", "Placeholder"})
LOOPS = frozenset({"While", "StatelessWhile"})
COPIED = 2**28  # bytes of variables that are copied for a comparison, at most
TOLERANCE = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float64": 1e-11,
    "complex128": 1e-11,
}


class CannotRun(Exception):  # noqa: N818  # a finding; there may be another way to compare
    """Running this graph could be noticed."""


class Trial:
    """A trace that can be run without a mark on anything; raises `CannotRun` where it cannot."""

    def __init__(self, concrete: Any, variables: Sequence[Any] = ()) -> None:
        """`variables` are those among the arguments; those that were captured the graph knows itself."""
        self._concrete = concrete
        writes = _writes(concrete)
        captured = list(concrete.captured_inputs)
        known = {id(v.handle): v for v in (*_variables(concrete), *variables)}
        resources = [t for t in captured if t.dtype.as_datatype_enum in OPAQUE]
        if any(id(resource) not in known for resource in resources):
            raise CannotRun
        self._known = known if writes else {}
        if sum(v.shape.num_elements() * v.dtype.size for v in self._known.values()) > COPIED:
            raise CannotRun
        if any(kind.dtype.as_datatype_enum in OPAQUE for kind in concrete.function_type.flat_outputs):
            raise CannotRun

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """The results, and after them the values of the variables that it may have written."""
        captured = list(self._concrete.captured_inputs)
        with _copies(self._known) as copies:
            arguments = [copies.get(id(t), t) for t in (*inputs, *captured)]
            results = self._concrete._inference_function.call_flat(*arguments) or []
            written = [
                tf.raw_ops.ReadVariableOp(resource=copies[number], dtype=variable.dtype)
                for number, variable in self._known.items()
            ]
            return [np.asarray(value) for value in (*results, *written)]


def agree(one: Any, two: Any, inputs_of_one: Sequence[Any], inputs_of_two: Sequence[Any], variables: Any) -> Agreement:
    """Run two traces on their inputs, and compare."""
    try:
        first, second = Trial(one, variables), Trial(two, variables)
        expected = first.run(inputs_of_one)
    except Exception:  # it cannot be run, or it fails on these inputs: that says nothing about the other
        return "unknown"
    try:
        found = second.run(inputs_of_two)
    except Exception:
        return "different"
    same = len(expected) == len(found) and all(map(close, expected, found))
    return "same" if same else "different"


def close(expected: Any, found: Any) -> bool:
    """Equal; floats to a few units in the last place of the largest, since a folded constant is rounded once less."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return False
    tolerance = TOLERANCE.get(expected.dtype.name)
    if tolerance is None:
        return bool((expected == found).all())
    wide = expected.astype(np.complex128 if expected.dtype.kind == "c" else np.float64)
    finite = np.abs(wide[np.isfinite(wide)])
    scale = float(finite.max()) if finite.size else 0.0
    return bool(np.allclose(found.astype(wide.dtype), wide, tolerance, tolerance / 10 * scale, equal_nan=True))


def same_outputs(one: Any, two: Any) -> bool:
    """Do two traces return the same structure and dtypes, and shapes that may be the same?"""
    first, second = one.function_type.output, two.function_type.output
    mine, theirs = first.flatten(), second.flatten()
    return structure(first) == structure(second) and len(mine) == len(theirs) and all(map(_same_output, mine, theirs))


def _same_output(one: Any, two: Any) -> bool:
    return bool(one.dtype == two.dtype and one.shape.is_compatible_with(two.shape))


def _writes(concrete: Any) -> bool:
    """Does the graph write variables? Raises `CannotRun` where it does more than that."""
    writes = False
    for operation in operations(concrete):
        if operation in READS or operation in CALLS:
            continue
        if WRITES.match(operation):
            writes = True
        elif "PyFunc" in operation or _is_stateful(operation):
            raise CannotRun
    return writes


def has_effects(concrete: Any) -> bool:
    """Could it be noticed that this trace was run?"""
    try:
        return _writes(concrete)
    except CannotRun:
        return True


def operations(concrete: Any) -> set[str]:
    """The kinds of operations in a graph and in the functions that it calls."""
    definition = concrete.graph.as_graph_def()
    found = {node.op for node in definition.node}
    for function in definition.library.function:
        found.update(node.op for node in function.node_def)
    return found - {function.signature.name for function in definition.library.function}


def has_loops(concrete: Any) -> bool:
    return not LOOPS.isdisjoint(operations(concrete))


def _is_stateful(operation: str) -> bool:
    from tensorflow.python.framework import op_def_registry

    definition = op_def_registry.get(operation)
    return definition is None or bool(definition.is_stateful)


def _variables(concrete: Any) -> Sequence[Any]:
    try:
        return tuple(concrete.graph.variables)
    except AssertionError:  # one of them is gone
        raise CannotRun from None


@contextlib.contextmanager
def _copies(variables: Mapping[int, Any]) -> Iterator[dict[int, Any]]:
    """Handles of copies, by the number of the handle that each stands for."""
    copies: dict[int, Any] = {}
    try:
        for number, variable in variables.items():
            with tf.device(variable.device):
                value = tf.identity(variable.read_value())
                copies[number] = tf.raw_ops.VarHandleOp(
                    dtype=variable.dtype, shape=value.shape, shared_name=context.anonymous_name()
                )
                tf.raw_ops.AssignVariableOp(resource=copies[number], value=value)
        yield copies
    finally:
        for handle in copies.values():
            tf.raw_ops.DestroyResourceOp(resource=handle, ignore_lookup_error=True)


def fitted(inputs: Sequence[Any], shapes: Sequence[Any]) -> list[Any] | None:
    """The inputs cut, or repeated, to other shapes of the same rank; None where that cannot be done."""
    found = []
    for value, shape in zip(inputs, shapes, strict=True):
        if value.dtype == dtypes.resource or shape is None or tuple(value.shape) == shape:
            found.append(value)
            continue
        if value.shape.rank != len(shape):
            return None
        for axis, (size, wanted) in enumerate(zip(value.shape, shape, strict=True)):
            if wanted is None or size == wanted:
                continue
            if size == 0:
                return None
            value = tf.gather(value, np.arange(wanted) % size, axis=axis)
        found.append(value)
    return found
