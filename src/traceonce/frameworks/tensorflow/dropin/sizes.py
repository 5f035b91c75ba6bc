"""For which sizes does a trace with open dimensions do what one made for these sizes would?

With open dimensions TensorFlow cannot check at trace time that sizes go together, and some of what it checks then it
checks at no other time: `x.set_shape([2])`, labels and logits of one shape, an operation whose result nobody uses. So
the operations of the graph are told the sizes of a call, and TensorFlow's own shape functions say whether these can be.
That is done once for sizes that nothing but chance could satisfy; only where they are refused, for each combination.

What comes out of a loop may have sizes that Python knew when it made the loop (`tf.map_fn` has those of its argument),
and no shape function does. What must fit something there is refused, and so is what is asserted of such a size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import tensorflow as tf

from traceonce.frameworks.tensorflow.dropin.graphs import needed_operations
from traceonce.frameworks.tensorflow.dropin.parts import OPAQUE, handle_data_util, tensor_util

Shape: TypeAlias = "tuple[int | None, ...] | None"
PRIMES = (10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079, 10091, 10093, 10099, 10103)
SMALL = (0, 1, 2, 3, 4, 8, 16)  # tried in turn: whatever asks for a least size is content with any larger one
CALLS = {"PartitionedCall": ("f",), "StatefulPartitionedCall": ("f",)}
BRANCHES = {"If": ("then_branch", "else_branch"), "StatelessIf": ("then_branch", "else_branch")}
LOOPS = {"While": ("body",), "StatelessWhile": ("body",)}
# Operations of one tensor that are right for any size.
ANY_SIZE = frozenset(
    {"Abs", "Cast", "Const", "Exp", "Identity", "Log", "Neg", "OnesLike", "Placeholder", "Rank", "ReadVariableOp"}
    | {"Relu", "Shape", "Sigmoid", "Size", "Sqrt", "Square", "StopGradient", "Tanh", "Transpose", "ZerosLike"}
)
TELLS_SIZE = frozenset({"Shape", "ShapeN", "Size"})
FUNCTIONAL = {**CALLS, **BRANCHES, **LOOPS}
NOTHING: Mapping[int, Any] = MappingProxyType({})


class Refused(Exception):  # noqa: N818  # a finding
    """These sizes cannot be."""


class _Plan(NamedTuple):
    """Which open dimensions, given by place and axis, are taken for one; and from which size on any will do."""

    groups: list[list[tuple[int, int]]]
    least: int | None


class Sizes:
    """What a trace with open dimensions, for inputs of the shapes `admits`, takes of what it admits.

    `seen` are shapes that it was made for: sizes that were the same in each of these calls are taken for one. Where
    they are not, Python may have something against it (a loss of Keras, that labels and predictions differ); so such a
    call is traced by itself, and if that can be done, they are two from then on. `checks` are pairs of tensors, or
    shapes, that TensorFlow has found to fit while they were open.
    """

    def __init__(
        self, concrete: Any, admits: Sequence[Shape], seen: Sequence[Sequence[Shape]], checks: Sequence[tuple[Any, Any]]
    ) -> None:
        self._graph = _Graph(concrete.graph, checks)
        self._admits = list(admits)
        self._seen = [list(shapes) for shapes in seen]
        self._plan = self._planned()

    def admit(self, shapes: Sequence[Shape]) -> bool:
        """May a call with inputs of these shapes use the trace?

        Nothing empty may: what becomes of no rows at all can hang on whether their number was known while tracing (a
        Jacobian of nothing has another shape then).
        """
        if any(shape is not None and 0 in shape for shape in shapes):
            return False
        plan = self._plan
        sizes = []
        for group in plan.groups:
            size, *others = {_size(shapes[place], axis) for place, axis in group}
            if others:
                return False
            sizes.append(size)
        if plan.least is not None and all(size is not None and size >= plan.least for size in sizes):
            return True
        return self._graph.holds(shapes)

    def learn(self, shapes: Sequence[Shape]) -> None:
        """A call with inputs of these shapes was traced by itself: that can be done."""
        apart = any(len({_size(shapes[place], axis) for place, axis in group}) > 1 for group in self._plan.groups)
        if apart and len(shapes) == len(self._admits):
            self._seen.append(list(shapes))
            self._plan = self._planned()

    def _planned(self) -> _Plan:
        if any(shape is None for shape in self._admits):
            return _Plan([], None)
        by_sizes: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
        for place, shape in enumerate(self._admits):
            for axis in [axis for axis, size in enumerate(shape or ()) if size is None]:
                sizes = tuple(_size(shapes[place], axis) for shapes in self._seen)
                by_sizes.setdefault(sizes, []).append((place, axis))
        groups, least = list(by_sizes.values()), None
        if len(groups) <= len(PRIMES) and self._holds(groups, PRIMES):
            least = next((size for size in SMALL if self._holds(groups, [size] * len(groups))), None)
        return _Plan(groups, least)

    def _holds(self, groups: Sequence[Sequence[tuple[int, int]]], sizes: Sequence[int]) -> bool:
        shapes = [None if shape is None else list(shape) for shape in self._admits]
        for group, size in zip(groups, sizes, strict=False):
            for place, axis in group:
                shapes[place][axis] = size  # type: ignore[index]  # no rank is open here
        return self._graph.holds(shapes)


def refuses(concrete: Any, numbers: Mapping[int, Any]) -> bool:
    """Would TensorFlow refuse these numbers while it traces, in place of the inputs at these places?"""
    graph = concrete.graph
    try:
        _Graph(graph, (), knows_sizes=False).infer([tensor.shape for tensor in graph.inputs], numbers)
    except Refused:
        return True
    return False


def _size(shape: Shape, axis: int) -> int | None:
    return None if shape is None else shape[axis]


class _Operation(NamedTuple):
    """An operation as it is made again, and as it was: a tape may change a call later, so that it returns more.

    `inputs` are given by the numbers of the tensors, `shapes` are what was promised of its outputs. `calls`: other
    graphs are run inside. What is `unseen` may be wrong and is never run, since nobody uses it: nobody but its shape
    function would tell.
    """

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[Any, ...]
    shapes: tuple[Any, ...]
    attributes: Mapping[str, Any]
    definition: Any
    inner: tuple[_Graph, ...]
    calls: bool
    unseen: bool


class _Graph:
    """A graph, ready to be told sizes: all those of a call, if it `knows_sizes`."""

    def __init__(self, graph: Any, checks: Sequence[tuple[Any, Any]], *, knows_sizes: bool = True) -> None:
        self._tells_size = TELLS_SIZE if knows_sizes else frozenset()
        self._inputs = list(graph.inputs)
        self._outputs = [id(tensor) for tensor in graph.outputs]
        inputs = {id(tensor) for tensor in graph.inputs}
        mine = {id(output) for operation in graph.get_operations() for output in operation.outputs}
        self._checks = [
            pair for pair in checks if all(isinstance(one, tf.TensorShape) or id(one) in mine for one in pair)
        ]
        self._keep = graph  # so that numbers stay those of its tensors
        needed = needed_operations(graph)
        self._operations = [
            _prepared(operation, graph, checks, needed, knows_sizes=knows_sizes)
            for operation in _in_order(graph)
            if not any(id(output) in inputs for output in operation.outputs)
        ]

    def holds(self, shapes: Sequence[Any]) -> bool:
        """Is there nothing against inputs of these shapes? Those of captures, which come after them, are known."""
        try:
            self.infer([tf.TensorShape(shape) for shape in shapes])
        except Refused:
            return False
        return True

    def infer(
        self, shapes: Sequence[Any], numbers: Mapping[int, Any] = NOTHING, by_size: frozenset[int] = frozenset()
    ) -> list[Any]:
        """The shapes of the results; `numbers` are the values of inputs, where these are known.

        `by_size`: inputs that hang on a size which only Python knew.
        """
        with tf.Graph().as_default() as scratch:
            made: dict[int, Any] = {}
            vague: dict[int, Any] = {}
            hanging = {id(tensor) for place, tensor in enumerate(self._inputs) if place in by_size}
            for place, tensor in enumerate(self._inputs):
                if place in numbers:
                    made[id(tensor)] = tf.constant(tensor.dtype.as_numpy_dtype(numbers[place]))
                    continue
                shape = shapes[place] if place < len(shapes) and not _is_opaque(tensor) else tensor.shape
                made[id(tensor)] = _placeholder(tensor, shape)
                if place < len(shapes) and not tf.TensorShape(shape).is_fully_defined():
                    vague[id(tensor)] = tf.TensorShape(shape)
            for operation in self._operations:
                inputs = [made[number] for number in operation.inputs]
                if operation.unseen and not all(tensor.shape.is_fully_defined() for tensor in inputs):
                    raise Refused
                known_once = [place for place, number in enumerate(operation.inputs) if number in hanging]
                results = _results(scratch, operation, inputs, known_once)
                has_vague = any(number in vague for number in operation.inputs)
                if known_once or (has_vague and operation.kind in self._tells_size):
                    hanging.update(id(tensor) for tensor in operation.outputs)
                is_vague = operation.calls or has_vague
                for tensor, promised, result in zip(operation.outputs, operation.shapes, results, strict=True):
                    if is_vague and (_is_opaque(result) or not result.shape.is_fully_defined()):
                        vague[id(tensor)] = result.shape
                    try:
                        result.set_shape(promised)
                    except ValueError as error:
                        raise Refused from error
                    made[id(tensor)] = result
            for one, two in self._checks:
                first, second = (
                    one if isinstance(one, tf.TensorShape) else vague.get(id(one), made[id(one)].shape)
                    for one in (one, two)
                )
                if not first.is_compatible_with(second):
                    raise Refused
                if (id(one) in vague or id(two) in vague) and not _surely_fits(first, second):
                    raise Refused
            return [made[number].shape for number in self._outputs]


def _surely_fits(one: Any, two: Any) -> bool:
    """Do these fit whatever a size that is unknown turns out to be?"""
    if one.rank is None or two.rank is None:
        return bool(one.rank == two.rank)
    return all((a is None) == (b is None) for a, b in zip(one.as_list(), two.as_list(), strict=True))


def _in_order(graph: Any) -> list[Any]:
    """The operations, each after those that it needs: a gradient adds inputs to a loop that was there before them."""
    ordered: dict[int, Any] = {}
    waiting = [(operation, False) for operation in reversed(graph.get_operations())]
    while waiting:
        operation, is_ready = waiting.pop()
        if id(operation) in ordered:
            continue
        if is_ready:
            ordered[id(operation)] = operation
        else:
            waiting.append((operation, True))
            waiting += [(tensor.op, False) for tensor in operation.inputs if id(tensor.op) not in ordered]
    return list(ordered.values())


def _prepared(
    operation: Any, graph: Any, checks: Sequence[tuple[Any, Any]], needed: set[str], *, knows_sizes: bool
) -> _Operation:
    node = operation.node_def
    inner: list[_Graph] = []
    for name in FUNCTIONAL.get(operation.type, ()):
        function = graph._get_function(node.attr[name].func.name)
        if function is None or getattr(function, "graph", None) is None:
            inner = []
            break
        inner.append(_Graph(function.graph, checks, knows_sizes=knows_sizes))
    return _Operation(
        operation.type,
        tuple(id(tensor) for tensor in operation.inputs),
        tuple(operation.outputs),
        tuple(tensor.shape for tensor in operation.outputs),
        {name: value for name, value in node.attr.items() if not name.startswith("_")},
        operation.op_def,
        tuple(inner),
        any(value.HasField("func") or value.list.func for value in node.attr.values()),
        operation.name not in needed and operation.type not in ANY_SIZE,
    )


def _results(scratch: Any, operation: _Operation, inputs: list[Any], known_once: Sequence[int]) -> list[Any]:
    """What an operation makes of inputs of these shapes; those at `known_once` hang on a size that only Python knew."""
    theirs = operation.outputs
    if operation.kind == "Assert":
        holds = _known(inputs[0])
        if holds is False or (holds is None and 0 in known_once):
            raise Refused
    if operation.inner:
        shapes = _inner_shapes(operation, inputs, known_once)
        return [_placeholder(*pair) for pair in zip(theirs, shapes, strict=True)]
    if operation.calls:
        return [_placeholder(tensor, tensor.shape) for tensor in theirs]  # nothing is known of what is inside
    try:
        made = scratch._create_op_internal(
            operation.kind,
            inputs,
            dtypes=[tensor.dtype for tensor in theirs],
            attrs=operation.attributes,
            op_def=operation.definition,
            compute_device=False,
        )
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        raise Refused from error
    return list(made.outputs)


def _inner_shapes(operation: _Operation, inputs: list[Any], known_once: Sequence[int]) -> list[Any]:
    shapes = [tensor.shape for tensor in inputs]
    if operation.kind in BRANCHES:
        known = {place: value for place, tensor in enumerate(inputs[1:]) if (value := _known(tensor)) is not None}
        by_size = frozenset(place - 1 for place in known_once if place)
        each = [graph.infer(shapes[1:], known, by_size) for graph in operation.inner]
        return [one.most_specific_compatible_shape(two) for one, two in zip(*each, strict=True)]
    (inner,) = operation.inner
    found = inner.infer(shapes, by_size=frozenset(known_once))
    if operation.kind in LOOPS:
        for before, after in zip(shapes, found, strict=True):
            if before.is_fully_defined() and after != before:
                raise Refused  # a variable of a loop that changes its shape: TensorFlow has its own rules for that
    return found


def _known(tensor: Any) -> bool | None:
    """What a condition comes to, where it hangs on nothing but what is known: TensorFlow would find out, too."""
    if tensor.dtype != tf.bool or tensor.shape.rank != 0:
        return None
    value = tensor_util.try_evaluate_constant(tensor)
    return None if value is None else bool(value)


def _placeholder(like: Any, shape: Any) -> Any:
    made = tf.compat.v1.placeholder(like.dtype, shape)
    if _is_opaque(like):
        handle_data_util.copy_handle_data(like, made)
    return made


def _is_opaque(tensor: Any) -> bool:
    return tensor.dtype.as_datatype_enum in OPAQUE
