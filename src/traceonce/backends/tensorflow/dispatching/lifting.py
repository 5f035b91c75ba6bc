"""Rule 4: as what a Python number could be handed over, and in which range that keeps its meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from traceonce.backends.tensorflow.dispatching.flattening import Lift
from traceonce.backends.tensorflow.dispatching.parts import dtypes

DEFAULT = {int: dtypes.int32, float: dtypes.float32}
EXACT_INTEGERS = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}
FLOATS = {"float16": (1e-2, 1e2), "bfloat16": (1e-18, 1e18), "float32": (1e-18, 1e18), "float64": (1e-150, 1e150)}
NO_LARGER = frozenset(
    {
        "Abs",
        "Cast",
        "ExpandDims",
        "Fill",
        "FloorDiv",
        "FloorMod",
        "Identity",
        "Maximum",
        "Minimum",
        "Mod",
        "Neg",
        "Pack",
    }
    | {"Range", "RealDiv", "Reshape", "Select", "SelectV2", "Squeeze", "StopGradient", "StridedSlice", "TruncateDiv"}
)
GROWING = frozenset({"Mul", "Pow", "Square", "LeftShift", "Prod", "Cumprod", "MatMul", "BatchMatMulV2"})
INNER = frozenset({"If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase", "PartitionedCall"})
INNER |= {"StatefulPartitionedCall"}


def possible_dtypes(number: Any, old: Any, new: Any) -> list[Any]:
    """The types under which a number may be meant, the likeliest first: as what it stands in the static graphs."""
    found = dict.fromkeys(
        (
            *(two.dtype for one, two in _differing(_constants(old), _constants(new))),
            *(tensor.dtype for tensor in _constants(new) if _holds(tensor, number)),
            DEFAULT[type(number)],
        )
    )
    return [dtype for dtype in found if dtype.is_floating or (dtype.is_integer and type(number) is int)]


def _constants(concrete: Any) -> list[Any]:
    return [operation.outputs[0] for operation in concrete.graph.get_operations() if operation.type == "Const"]


def _differing(old: list[Any], new: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The constants in which two graphs of one body differ, if it has the same number of them in both."""
    for one, two in zip(old, new, strict=True) if len(old) == len(new) else ():
        if one.dtype == two.dtype and one.op.get_attr("value") != two.op.get_attr("value"):
            yield one, two


def _holds(tensor: Any, number: Any) -> bool:
    if tensor.shape.num_elements() != 1 or not (tensor.dtype.is_floating or tensor.dtype.is_integer):
        return False
    value = tf.make_ndarray(tensor.op.get_attr("value")).reshape(())
    try:
        return bool(value == value.dtype.type(number))
    except OverflowError:
        return False


def safe_lift(kind: type, dtype: Any, concrete: Any, placeholder: Any) -> Lift | None:
    """In which range a number may be lifted in this graph without an overflow that Python would not have had.

    Found by looking at what is computed from the number and constants alone: with Python numbers those were whole
    numbers of any size, or floats of double precision. None where that cannot be told.
    """
    if kind is float:
        least, most = FLOATS[dtype.name]
        return Lift(dtype.as_datatype_enum, most, least)
    most = EXACT_INTEGERS.get(dtype.name) or 2 ** (dtype.size * 8 - 1) - 1
    while most >= 1024:
        bound = _largest(concrete.graph, placeholder, most)
        if bound is None:
            return None
        if bound <= (EXACT_INTEGERS.get(dtype.name) or dtype.max):
            return Lift(dtype.as_datatype_enum, most)
        most //= 16
    return None


def _largest(graph: Any, placeholder: Any, most: float) -> float | None:
    """The largest whole number that the graph computes from the lifted one; None where that cannot be told."""
    sizes: dict[str, float] = {placeholder.name: most}
    for operation in graph.get_operations():
        inputs = [sizes.get(tensor.name, _constant(tensor)) for tensor in operation.inputs]
        if not any(tensor.name in sizes for tensor in operation.inputs):
            continue
        if operation.type in INNER:
            if _multiplies(graph, operation):
                return None
            continue
        whole = [t for t in operation.outputs if t.dtype.is_integer or t.dtype == placeholder.dtype]
        if not whole or any(size is None for size in inputs):
            continue  # it hangs on a tensor as well: with a Python number it would have been a tensor of this type, too
        size = _bound(operation.type, [float(size) for size in inputs if size is not None])
        if size is None:
            if any(tensor.dtype.is_integer for tensor in whole):
                return None
            continue
        sizes.update({tensor.name: size for tensor in whole})
    return max(sizes.values())


def _multiplies(graph: Any, operation: Any) -> bool:
    """Are whole numbers multiplied inside a branch or a loop? How large they get there is not followed."""
    functions = {function.signature.name: function for function in graph.as_graph_def().library.function}
    waiting = [value.func.name for value in operation.node_def.attr.values() if value.HasField("func")]
    while waiting:
        function = functions.pop(waiting.pop(), None)
        for node in function.node_def if function is not None else ():
            waiting += [value.func.name for value in node.attr.values() if value.HasField("func")]
            if node.op in GROWING and dtypes.as_dtype(node.attr["T"].type).is_integer:
                return True
    return False


def _constant(tensor: Any) -> float | None:
    if tensor.op.type != "Const" or not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        return None
    value = tf.make_ndarray(tensor.op.get_attr("value"))
    return float(abs(value.astype("float64")).max()) if value.size else 0.0


def _bound(operation: str, sizes: list[float]) -> float | None:
    if operation in ("AddV2", "Add", "Sub", "AddN"):
        return sum(sizes)
    if operation == "Mul":
        return sizes[0] * sizes[1]
    if operation == "Square":
        return sizes[0] ** 2
    if operation in NO_LARGER:
        return max(sizes)
    return None
