"""Are graphs alike? What is shown so holds for all data, and for traces with effects, too, which cannot be run twice.

A number was lifted rightly if the lifted graph is the static one, node for node, but for constants: where the static
graph has a constant, the lifted one may compute it from the lifted number, and must get that constant when the
computation is run by itself for the number that the static graph was traced with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from traceonce.frameworks.tensorflow.dropin.graph_facts import close

OWN_GRADIENT = "_gradient_op_type"  # names a gradient of somebody's own, anew in each trace
IGNORED = frozenset(
    {OWN_GRADIENT, "_user_specified_name", "_class", "_output_shapes", "shape", "_handle_dtypes", "_handle_shapes"}
)


LOOK_UPS = frozenset({"Gather", "GatherV2", "GatherNd", "ResourceGather", "ResourceGatherNd"})
LEAVES = frozenset({"Placeholder", "Const", "NoOp"})
NEVER_WRONG = frozenset({"Identity", "Cast", "AddV2", "Sub", "Mul", "RealDiv", "Neg", "Pack", "Shape", "StopGradient"})


class _Unlike(Exception):  # noqa: N818  # a finding
    """The graphs differ in more than such constants."""


def folded_operations(static: Any, lifted: Any, numbers: Mapping[int, Any]) -> set[str] | None:
    """Is `lifted` the graph of `static` with inputs in place of numbers? `numbers` are their values, by input.

    Returns the operations that the static graph does not have: there, Python did them, or they are not used. None
    where the graphs are not alike, or that could not be told.
    """
    try:
        return _Match(static.graph, lifted.graph, numbers).all()
    except Exception:  # unlike, or a part cannot be taken out and run: nothing is shown
        return None


def has_gradients_of_its_own(concrete: Any) -> bool:
    """Could its gradients be others than those of a trace that is made for one call?

    A gradient of somebody's own (`tf.custom_gradient`) is Python, which a tape runs later. And that of a look-up is
    either slices or a tensor, by what is known of the shapes.
    """
    definition = concrete.graph.as_graph_def()
    every = (definition.node, *(function.node_def for function in definition.library.function))
    return any(OWN_GRADIENT in node.attr or node.op in LOOK_UPS for nodes in every for node in nodes)


def needed_operations(graph: Any) -> set[str]:
    """The names of the operations that TensorFlow runs: those that results and effects hang on."""
    needed: set[str] = set()
    for operation in (*(tensor.op for tensor in graph.outputs), *_effects(graph)):
        needed |= needed_for(operation)
    return needed


def unused_operations(lifted: Any, numbers: Mapping[int, Any]) -> str | None:
    """An operation that hangs on a lifted number, may fail, and whose result nobody uses: TensorFlow would not run it.

    In a static graph its shape was worked out from the number while it was traced, and could be found to be wrong.
    """
    graph = lifted.graph
    needed = needed_operations(graph)
    hangs = {graph.inputs[index].op.name for index in numbers}
    for operation in graph.get_operations():
        if any(tensor.op.name in hangs for tensor in operation.inputs):
            hangs.add(operation.name)
            if operation.name not in needed and operation.type not in NEVER_WRONG:
                return str(operation.type)
    return None


class _Match:
    """Walks two graphs from their results and effects to their inputs."""

    def __init__(self, static: Any, lifted: Any, numbers: Mapping[int, Any]) -> None:
        self._static = static
        self._lifted = lifted
        inputs = list(lifted.inputs)
        self._numbers = {id(inputs[index]): value for index, value in numbers.items()}
        others = [tensor for index, tensor in enumerate(inputs) if index not in numbers]
        if len(others) != len(static.inputs):
            raise _Unlike
        self._inputs = {id(mine): theirs for mine, theirs in zip(static.inputs, others, strict=True)}
        self._order = {id(op): place for graph in (static, lifted) for place, op in enumerate(graph.get_operations())}
        self._ops: dict[int, Any] = {}
        self._computed: dict[int, bool] = {}

    def all(self) -> set[str]:
        if len(self._static.outputs) != len(self._lifted.outputs):
            raise _Unlike
        for one, two in zip(self._static.outputs, self._lifted.outputs, strict=True):
            self._tensors(one, two)
        mine, theirs = _effects(self._static), _effects(self._lifted)
        if len(mine) != len(theirs):
            raise _Unlike
        for one, two in zip(mine, theirs, strict=True):
            self._operations(one, two)
        matched = {id(operation) for operation in self._ops.values()}
        return {op.name for op in self._lifted.get_operations() if id(op) not in matched and op.type not in LEAVES}

    def _tensors(self, static: Any, lifted: Any) -> None:
        if id(static) in self._inputs:
            if self._inputs[id(static)] is not lifted:
                raise _Unlike
        elif static.op.type == "Const" and self._is_computed(lifted):
            self._constant(static, lifted)
        else:
            if static.value_index != lifted.value_index:
                raise _Unlike
            self._operations(static.op, lifted.op)

    def _operations(self, static: Any, lifted: Any) -> None:
        known = self._ops.get(id(static))
        if known is not None:
            if known is not lifted:
                raise _Unlike
            return
        if static.type != lifted.type or len(static.inputs) != len(lifted.inputs):
            raise _Unlike
        if _attributes(static) != _attributes(lifted):
            raise _Unlike
        self._ops[id(static)] = lifted
        for one, two in zip(static.inputs, lifted.inputs, strict=True):
            self._tensors(one, two)
        mine, theirs = self._effects_before(static), self._effects_before(lifted)
        if len(mine) != len(theirs):
            raise _Unlike
        for one, two in zip(mine, theirs, strict=True):
            self._operations(one, two)

    def _effects_before(self, operation: Any) -> list[Any]:
        """The effects that it waits for, in the order of the graph; TensorFlow keeps them in any order."""
        return sorted(filter(_is_effect, operation.control_inputs), key=lambda op: self._order[id(op)])

    def _is_computed(self, tensor: Any) -> bool:
        """Does this hang on lifted numbers, and on nothing else but constants?"""
        return self._reaches(tensor) and self._only_numbers(tensor)

    def _reaches(self, tensor: Any) -> bool:
        return id(tensor) in self._numbers or any(self._reaches(source) for source in tensor.op.inputs)

    def _only_numbers(self, tensor: Any) -> bool:
        known = self._computed.get(id(tensor))
        if known is None:
            operation = tensor.op
            known = id(tensor) in self._numbers or (
                operation.type not in ("Placeholder", "PlaceholderWithDefault")
                and not _is_effect(operation)
                and all(self._only_numbers(source) for source in operation.inputs)
            )
            self._computed[id(tensor)] = known
        return known

    def _constant(self, static: Any, lifted: Any) -> None:
        expected = tf.make_ndarray(static.op.get_attr("value"))
        needed = needed_for(lifted.op)
        inputs = [t for t in self._lifted.inputs if id(t) in self._numbers and t.op.name in needed]
        found = _evaluate(self._lifted, inputs, [self._numbers[id(tensor)] for tensor in inputs], lifted)
        if not close(expected, np.asarray(found)):
            raise _Unlike


def _evaluate(graph: Any, inputs: Sequence[Any], values: Sequence[Any], wanted: Any) -> Any:
    """Run a part of a graph by itself."""
    definition = graph.as_graph_def()
    needed = needed_for(wanted.op)
    for node in [node for node in definition.node if node.name not in needed]:
        definition.node.remove(node)

    def part(*given: Any) -> Any:
        names = {tensor.name: value for tensor, value in zip(inputs, given, strict=True)}
        (result,) = tf.graph_util.import_graph_def(definition, input_map=names, return_elements=[wanted.name], name="")
        return result

    tensors = [tf.constant(value, dtype=tensor.dtype) for value, tensor in zip(values, inputs, strict=True)]
    with tf.init_scope():
        return tf.compat.v1.wrap_function(part, [tf.TensorSpec([], t.dtype) for t in tensors])(*tensors)


def needed_for(operation: Any) -> set[str]:
    needed: set[str] = set()
    waiting = [operation]
    while waiting:
        next_one = waiting.pop()
        if next_one.name not in needed:
            needed.add(next_one.name)
            waiting += [tensor.op for tensor in next_one.inputs]
    return needed


def _effects(graph: Any) -> list[Any]:
    return [operation for operation in graph.get_operations() if _is_effect(operation)]


def _is_effect(operation: Any) -> bool:
    return operation.type != "Placeholder" and bool(operation.op_def.is_stateful)


def _attributes(operation: Any) -> dict[str, Any]:
    found = {}
    for name, value in operation.node_def.attr.items():
        if name in IGNORED:
            continue
        found[name] = value.SerializeToString(deterministic=True)
    return found
