"""One trace, ready to be run: what TensorFlow works out anew for each call is worked out once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from traceonce.frameworks.tensorflow.dropin.parts import (
    OPAQUE,
    EagerTensor,
    TensorSpec,
    atomic_function,
    core,
    default_types,
    handle_data_util,
    possible_gradients,
    restart_tape,
    run_graph,
    stop_tape,
    tape_is_stopped,
    tell_tape,
    tell_watcher,
)
from traceonce.frameworks.tensorflow.dropin.tape_records import Recorder

UNKNOWN = 100  # open dimensions that an unknown rank counts for
tick = itertools.count(1).__next__  # a clock for "least recently used"


class Runnable:
    """A concrete function with its captures, its name and the shape of its result at hand.

    `direct` says that its graph may be run by itself: nothing is fetched anew for each call, and no result is a
    resource. `admits` are the shapes that it takes, None for a dimension (or a rank) that it leaves open. `is_wide`: it
    was made for more than one call, so that an error of its graph may be one that a trace for the call would not have.
    """

    __slots__ = (
        *("_forwards", "_recorders", "admits", "captures", "concrete", "count"),
        *("direct", "hits", "is_wide", "last", "name", "own_gradients", "pack"),
    )

    def __init__(self, concrete: Any, admits: tuple[Any, ...], wide: Any = None) -> None:
        inference = concrete._inference_function
        outputs = inference.function_type.flat_outputs
        captures = concrete._captured_inputs
        self.concrete = concrete
        self.admits = admits
        self.is_wide = wide is not None
        self.own_gradients = wide is not None and wide.own_gradients
        self.captures = captures
        self.name = inference.name.decode()
        self.count = len(outputs)
        self.direct = all(type(capture) is EagerTensor for capture in captures) and not any(
            kind.dtype.as_datatype_enum in OPAQUE for kind in outputs
        )
        self.pack = _packing(inference.function_type)
        self.hits = 0
        self.last = tick()
        self._recorders: dict[int, Recorder] = {}
        self._forwards: dict[int, tuple[Any, str, int, list[tuple[int, Any]]]] = {}

    def admits_shapes(self, shapes: Sequence[Any]) -> bool:
        """May inputs of these shapes be given to it?"""
        return len(self.admits) == len(shapes) and all(map(_admits, self.admits, shapes))

    @property
    def openness(self) -> int:
        """How much its shapes leave open: of several that admit a call, the least open is the best."""
        return sum(UNKNOWN if shape is None else sum(size is None for size in shape) for shape in self.admits)

    def run_under_tape(self, inputs: list[Any], context: Any, device: str, attributes: tuple[Any, ...]) -> Any:
        """What TensorFlow's `_call_flat` does in eager mode when a tape or an accumulator is active."""
        concrete = self.concrete
        tell_tapes(concrete._func_graph.variables)
        arguments = inputs + self.captures
        kind = possible_gradients(arguments)
        if not kind:
            return self.pack(self._run(concrete._inference_function, arguments, context, device, attributes))
        call = concrete._select_forward_and_backward_functions(arguments, kind, True)
        forward, arguments = call.forward()
        outputs = self._run(forward, arguments, context, device, attributes)
        functions = call._functions
        recorder = self._recorders.get(id(functions))
        if recorder is None:
            recorder = self._recorders[id(functions)] = Recorder(functions)
        if recorder.usable and not call._input_tangents and outputs:
            recorder.record(outputs, arguments)
        else:
            call.record(outputs or None)
        if self.pack is _only:  # not `pack` itself: what the backward graph needs comes after the results
            return outputs[0]
        return concrete.function_type.pack_output(outputs or None)

    def _run(self, function: Any, arguments: list[Any], context: Any, device: str, attributes: Any) -> list[Any]:
        known = self._forwards.get(id(function))
        if known is None:
            kinds = function.function_type.flat_outputs
            data = [
                (place, kind.dtype._handle_data.shape_inference)
                for place, kind in enumerate(kinds)
                if _has_handle_data(kind)
            ]
            known = self._forwards[id(function)] = (function, function.name.decode(), len(kinds), data)
        stopped = tape_is_stopped()
        if not stopped:
            stop_tape()
        try:
            outputs: list[Any] = run_graph(context._context_handle, device, known[1], arguments, attributes, known[2])
        except Exception as error:
            raise_as_tensorflow_does(error, function)
        finally:
            if not stopped:
                restart_tape()
        for place, data in known[3]:  # a list of tensors says what its elements are: gradients of gradients need it
            handle_data_util.set_handle_data(outputs[place], data)
        return outputs


def _has_handle_data(kind: Any) -> bool:
    return getattr(kind.dtype, "_handle_data", None) is not None


def _admits(pattern: Any, shape: Any) -> bool:
    if pattern is None or pattern == shape:
        return True
    return len(pattern) == len(shape) and all(
        size is None or size == found for size, found in zip(pattern, shape, strict=True)
    )


def tell_tapes(variables: Iterable[Any]) -> None:
    """These variables are read: whoever watches them is to know."""
    for variable in variables:
        if variable.trainable:
            tell_tape(variable)
            tell_watcher(variable)


def raise_as_tensorflow_does(error: Exception, function: Any) -> NoReturn:
    """An error of the graph gets the text that names its node and the line that made it."""
    with atomic_function.InterpolateRuntimeError(function):
        if isinstance(error, core._NotOkStatusException):
            raise core._status_to_exception(error) from None
        raise error


def _packing(function_type: Any) -> Callable[[list[Any]], Any]:
    """From the list of results to what the function returns, by code written for that nest."""
    if type(function_type.output) is TensorSpec:
        return _only
    places = itertools.count()
    expression = _expression(function_type.output, places)
    if expression is None:
        return lambda outputs: function_type.pack_output(outputs or None)
    packing: Callable[[list[Any]], Any] = eval(f"lambda outputs: {expression}")  # of our own making
    return packing


def _expression(kind: Any, places: Iterator[int]) -> str | None:
    """The code for one part of a result; None where it is more than tensors in plain containers."""
    if type(kind) is TensorSpec:
        return f"outputs[{next(places)}]"
    if type(kind) is default_types.Tuple:
        parts = [_expression(part, places) for part in kind.components]
        return None if None in parts else f"({''.join(f'{part}, ' for part in parts)})"
    if type(kind) is default_types.List:
        parts = [_expression(part, places) for part in kind.components_tuple.components]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
    if (
        isinstance(kind, default_types.Dict)
        and kind._placeholder_type is dict
        and all(type(k) is str for k in kind.mapping)
    ):
        by_name = {key: _expression(kind.mapping[key], places) for key in sorted(kind.mapping)}
        if None in by_name.values():
            return None
        return "{" + ", ".join(f"{key!r}: {by_name[key]}" for key in kind.mapping) + "}"
    return None


def _only(outputs: list[Any]) -> Any:
    return outputs[0]
