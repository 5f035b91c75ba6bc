"""Rule 4: as what a Python number could be handed over, and in which range that keeps its meaning.

What Python computed from the number before a tensor came in, with whole numbers of any size and floats of double
precision, a lifted trace computes in the graph. So every operation there must give, for every number in the range, what
Python would have given: whole numbers must not overflow, and floats must not lose digits, divide by zero, or be cut.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from traceonce.frameworks.tensorflow.dropin.forms import Lift
from traceonce.frameworks.tensorflow.dropin.parts import dtypes

DEFAULT = {int: dtypes.int32, float: dtypes.float32}
WHOLE = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}
FLOATS = {"float16": (1e-2, 1e2), "bfloat16": (1e-18, 1e18), "float32": (1e-18, 1e18), "float64": (1e-150, 1e150)}
SAME = frozenset({"Identity", "StopGradient", "Reshape", "ExpandDims", "Squeeze", "Pack", "StridedSlice", "Fill"})
SAME |= {"Maximum", "Minimum", "Range", "Select", "SelectV2"}
SUMS = frozenset({"AddV2", "Add"})
QUOTIENTS = frozenset({"FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"})
COMPARISONS = frozenset({"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"})
INNER = frozenset({"If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase", "PartitionedCall"})
INNER |= {"StatefulPartitionedCall"}
LOOPS = frozenset({"While", "StatelessWhile"})
BRANCHES = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})  # their first input says which
GROWING = frozenset({"Mul", "Pow", "Square", "LeftShift", "Prod", "Cumprod", "MatMul", "BatchMatMulV2"})
SMALLEST_RANGE = 1024  # of whole numbers, that is worth it
LARGEST_INT = 2.0**31 - 1  # a larger one is a tensor of another type where it stands for itself
FLOAT_SIZES = (1e6, 1e3, 1e2, 10.0, 2.0, 15 / 16, 0.5)
LOST = 16  # four digits of the 24 of a float32: what is left is as good as our tolerance
HIGHEST_POWER = 4


class Unsafe(Exception):  # noqa: N818  # a finding: it says what would go wrong
    """What is computed from the number would not be what Python computes."""


class Size(NamedTuple):
    """What is known of a number that the graph computes: whole or not, and between which two it lies."""

    whole: bool
    least: float = -math.inf
    most: float = math.inf

    @property
    def largest(self) -> float:
        return max(abs(self.least), abs(self.most))

    @property
    def smallest(self) -> float:
        """How close to zero it may come."""
        return 0.0 if self.least <= 0 <= self.most else min(abs(self.least), abs(self.most))


ANYTHING = Size(whole=False)


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
        with np.errstate(all="ignore"):
            return bool(value == value.dtype.type(number))
    except OverflowError:
        return False


def safe_lift(
    numbers: Collection[Any], static: Any, concrete: Any, placeholder: Any, folded: Collection[str] | None
) -> Lift:
    """The range in which a number may be lifted, that holds these. Raises `Unsafe`.

    `folded` names the operations of the lifted graph that Python did in the static ones; None where that is not known,
    and all that hang on the number alone are looked at.
    """
    dtype = placeholder.dtype
    whole = all(type(number) is int for number in numbers)
    problem = Unsafe("its values do not fit a tensor of that type")
    if dtype.is_floating and dtype.name not in FLOATS:
        raise problem
    for lift in _ranges(dtype, whole):
        if not all(map(lift.admits, numbers)):
            continue
        low = max(-lift.most, lift.least)
        try:
            _Sizes(static.graph, concrete.graph, folded).follow(placeholder, Size(whole, low, lift.most))
        except Unsafe as unsafe:
            problem = unsafe
        else:
            return lift
    raise problem


def _ranges(dtype: Any, whole: bool) -> Iterator[Lift]:
    """The ranges that are tried, the widest first."""
    if whole:
        largest = min(float(WHOLE.get(dtype.name) or dtype.max), LARGEST_INT)
        smallest, sizes = 1.0, [largest // 16**step for step in range(16) if largest // 16**step >= SMALLEST_RANGE]
    else:
        smallest, largest = FLOATS[dtype.name]
        sizes = [largest, *(size for size in FLOAT_SIZES if size < largest)]
    for most in sizes:
        for least in (0.0, smallest) if dtype.is_unsigned else (-math.inf, 0.0, smallest):
            yield Lift(dtype.as_datatype_enum, most, smallest, least)


class _Sizes:
    """Follows a number through the graph, as far as nothing but constants meets it."""

    def __init__(self, static: Any, graph: Any, folded: Collection[str] | None) -> None:
        self._static = static
        self._graph = graph
        self._folded = folded
        self._known: dict[str, Size] = {}

    def follow(self, placeholder: Any, size: Size) -> None:
        self._known[placeholder.name] = size
        self._walk()

    def _walk(self) -> None:
        for operation in self._graph.get_operations():
            if not any(tensor.name in self._known for tensor in operation.inputs):
                continue
            if operation.type in INNER:
                self._enter(operation)
            sizes = [self._known.get(tensor.name) or _constant(tensor) for tensor in operation.inputs]
            if any(size is None for size in sizes):
                continue  # a tensor meets it: with a Python number, too, this was done in the graph
            by_python = self._folded is None or operation.name in self._folded
            found = _result(operation, [size for size in sizes if size is not None]) if by_python else ANYTHING
            for tensor in operation.outputs:
                self._known[tensor.name] = self._checked(tensor, found) if by_python else found

    def _checked(self, tensor: Any, size: Size) -> Size:
        if tensor.dtype.is_integer and size.largest > tensor.dtype.max:
            raise Unsafe("whole numbers that are computed from it could overflow as a tensor")
        if tensor.dtype.is_floating and size.whole and size.largest > WHOLE[tensor.dtype.name]:
            raise Unsafe("whole numbers that are computed from it would be rounded as a tensor")
        return size

    def _enter(self, operation: Any) -> None:
        """A branch that the number goes into is followed; a loop is not: what Python did there may not be in it."""
        if operation.type not in LOOPS:
            inputs = operation.inputs[1:] if operation.type in BRANCHES else operation.inputs
            for value in operation.node_def.attr.values():
                for name in [value.func.name] if value.HasField("func") else [one.name for one in value.list.func]:
                    self._follow_into(name, inputs)
            return
        given = [t for t in operation.inputs if t.name in self._known and (t.dtype.is_integer or t.dtype.is_floating)]
        more = _risks(self._graph) - _risks(self._static) if given else None
        if more:
            raise Unsafe(f"it goes into a loop, where {', '.join(sorted(more))} may differ from Python's")

    def _follow_into(self, name: str, inputs: Any) -> None:
        function = self._graph._get_function(name)
        if function is None:
            raise Unsafe("it goes into a function that could not be followed")
        inner = _Sizes(self._static, function.graph, None)
        pairs = zip(function.graph.inputs, inputs, strict=False)
        inner._known = {mine.name: self._known[theirs.name] for mine, theirs in pairs if theirs.name in self._known}
        inner._walk()


def _risks(graph: Any) -> Counter[str]:
    """The operations inside of functions that can give something else than Python's; but a loop may count."""
    found: Counter[str] = Counter()
    for function in graph.as_graph_def().library.function:
        for node in function.node_def:
            kind = dtypes.as_dtype(node.attr["T"].type) if node.attr["T"].type else None
            if kind is not None and kind.is_integer and node.op in GROWING | {"Sub", "Neg"}:
                found[node.op] += 1
            if kind is not None and kind.is_floating and node.op in COMPARISONS | QUOTIENTS | {"Sub", "Pow", "RealDiv"}:
                found[node.op] += 1
            if node.op == "Cast" and dtypes.as_dtype(node.attr["SrcT"].type).is_floating:
                found["Cast"] += not dtypes.as_dtype(node.attr["DstT"].type).is_floating
    return +found


def _result(operation: Any, sizes: list[Size]) -> Size:
    """What an operation makes of numbers, or `Unsafe` where it is not what Python makes of them."""
    kind, one, two = operation.type, sizes[0], sizes[-1]
    whole = all(size.whole for size in sizes)
    if kind in SAME:
        return Size(whole, min(size.least for size in sizes), max(size.most for size in sizes))
    if kind == "Neg":
        return Size(whole, -one.most, -one.least)
    if kind == "Abs":
        return Size(whole, one.smallest, one.largest)
    if kind == "Cast":
        if not whole and not operation.outputs[0].dtype.is_floating:
            raise Unsafe("a float is cut to a whole number, and could fall on the other side as a tensor")
        return one
    if kind in SUMS:
        return _sum(one, two, whole)
    if kind == "Sub":
        return _sum(one, Size(two.whole, -two.most, -two.least), whole)
    if kind in ("Mul", "Square"):
        return _between(whole, [a * b for a in (one.least, one.most) for b in (two.least, two.most)])
    if kind in ("RealDiv", "Div"):
        if not two.smallest:
            raise Unsafe("it is divided by something that could be zero")
        return _between(False, [a / b for a in (one.least, one.most) for b in (two.least, two.most)])
    if kind in COMPARISONS:
        if not whole and 0.0 not in (one.largest, two.largest):
            raise Unsafe("a float is compared, and could fall on the other side as a tensor")
        return Size(True, 0.0, 1.0)
    if kind in QUOTIENTS:
        if not whole:
            raise Unsafe("a float is cut to a whole number, and could fall on the other side as a tensor")
        if not two.smallest:
            raise Unsafe("it is divided by something that could be zero")
        largest = max(one.largest, two.largest)
        return Size(True, 0.0 if one.least >= 0 and two.least >= 0 else -largest, largest)
    if kind == "Sqrt" and one.least >= 0:
        return Size(False, 0.0, max(one.most, 1.0))
    if kind == "Pow":
        if one.least <= 0 or two.least != two.most or two.largest > HIGHEST_POWER:
            raise Unsafe("a power that is computed from it could overflow, or lose digits, as a tensor")
        return _between(whole, [_power(a, two.most) for a in (one.least, one.most)])
    return ANYTHING  # no operator of Python's: the static graph does this, too


def _sum(one: Size, two: Size, whole: bool) -> Size:
    """Floats of about the same size and opposite signs leave only the digits in which they are rounded."""
    total = Size(whole, one.least + two.least, one.most + two.most)
    same_side = (one.least >= 0 and two.least >= 0) or (one.most <= 0 and two.most <= 0)
    if not whole and not same_side and total.smallest * LOST < max(one.largest, two.largest):
        raise Unsafe("a difference that is computed from it could lose digits as a tensor")
    return total


def _power(base: float, exponent: float) -> float:
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


def _between(whole: bool, ends: list[float]) -> Size:
    ends = [0.0 if math.isnan(end) else end for end in ends]  # 0 times infinity
    return Size(whole, min(ends), max(ends))


def _constant(tensor: Any) -> Size | None:
    if tensor.op.type in ("Cast", "Identity"):
        return _constant(tensor.op.inputs[0])
    if tensor.op.type != "Const":
        return None
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        return ANYTHING
    value = tf.make_ndarray(tensor.op.get_attr("value")).astype("float64")
    if not value.size:
        return Size(True, 0.0, 0.0)
    return Size(bool((value == value.round()).all()), float(value.min()), float(value.max()))
