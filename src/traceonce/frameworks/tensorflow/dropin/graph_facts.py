"""What a trace does, as far as its graph tells: what it returns, whether it has effects, whether it has loops."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from traceonce.frameworks.tensorflow.dropin.exact import structure

READS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp"})
CALLS = frozenset({"StatefulPartitionedCall", "If", "While", "Case", "Assert", "Placeholder"})
SIZES = frozenset({"Shape", "ShapeN", "Size", "Rank"})
LOOPS = frozenset({"While", "StatelessWhile"})
TOLERANCE = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float64": 1e-11,
    "complex128": 1e-11,
}


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


def has_effects(concrete: Any) -> bool:
    """Could it be noticed that this trace was run? It writes variables, prints, draws random numbers, calls Python."""
    return any("PyFunc" in operation or _is_stateful(operation) for operation in operations(concrete) - READS - CALLS)


def may_raise_late(concrete: Any, numbers: Collection[int]) -> bool:
    """Could a check of a number come as late as the graph is run that a static trace would have made while traced?

    TensorFlow raises then where a check of its own (`tf.debugging.assert_greater(n, 1)`) is about nothing but sizes and
    numbers that it knows. `numbers` are the inputs that stand for numbers.
    """
    graph = concrete.graph
    asserting = {
        function.signature.name
        for function in graph.as_graph_def().library.function
        if any(node.op == "Assert" for node in function.node_def)
    }
    known = {graph.inputs[place].op.name for place in numbers}
    hangs = set(known)
    for operation in graph.get_operations():
        if any(tensor.op.name in hangs for tensor in operation.inputs):
            hangs.add(operation.name)
            if operation.type == "Assert" or (operation.type in ("If", "StatelessIf") and asserting):
                if _is_known_ahead(operation.inputs[0], known):
                    return True
            elif asserting and any(value.HasField("func") for value in operation.node_def.attr.values()):
                return True  # what a function is given may be known outside
    return False


def _is_known_ahead(tensor: Any, known: Collection[str]) -> bool:
    """Does this hang on nothing but sizes, constants and what is known?"""
    waiting, met = [tensor.op], set()
    while waiting:
        operation = waiting.pop()
        if operation.name in met or operation.name in known or operation.type in SIZES:
            continue
        met.add(operation.name)
        if operation.type != "Const" and not operation.inputs:
            return False
        waiting += [source.op for source in operation.inputs]
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
