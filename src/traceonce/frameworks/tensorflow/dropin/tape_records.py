"""Telling a tape what a trace computed: what TensorFlow works out for each call is worked out once per trace."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.tensorflow.dropin.parts import (
    OPAQUE,
    EagerTensor,
    array_ops,
    backprop_util,
    default_gradient,
    indexed_slices,
    ops,
    record_operation,
)


class Recorder:
    """Records calls of one pair of forward and backward graphs.

    `usable` says that nothing here needs more than that: no tangents of forward mode, nothing that is fetched for each
    call, no result that is a resource. TensorFlow records the others itself.
    """

    def __init__(self, functions: Any) -> None:
        graph, backward = functions._forward_graph, functions._backward
        places = {ops.tensor_id(tensor): place for place, tensor in enumerate(graph.outputs)}
        self.functions = functions  # held, so that its number stays its own
        self.usable = (
            not functions._num_forwardprop_outputs
            and not functions._forwardprop_output_indices
            and not any(callable(capture) for capture in backward._captured_inputs)
            and not any(tensor.dtype.as_datatype_enum in OPAQUE for tensor in graph.outputs)
        )
        if not self.usable:
            return
        self._captures = [(places.get(ops.tensor_id(capture)), capture) for capture in backward.captured_inputs]
        self.usable = all(place is not None or type(capture) is EagerTensor for place, capture in self._captures)
        self._backward = backward
        self._name = functions._forward.cached_definition.signature.name
        self._wanted = len(backward.inputs) - len(self._captures)
        trainable = [backprop_util.IsTrainable(tensor) for tensor in graph.outputs]
        self._skipped = {place for place, is_trainable in enumerate(trainable) if not is_trainable}
        self._recorded = sum(sum(trainable[:place]) < self._wanted for place in range(len(trainable)))

    def record(self, outputs: list[Any], arguments: list[Any]) -> None:
        """These outputs were computed from these arguments."""
        captures = [capture if place is None else outputs[place] for place, capture in self._captures]
        backward, skipped, wanted = self._backward, self._skipped, self._wanted

        def gradient(*given: Any) -> Any:
            if not backward.outputs:
                return backward.structured_outputs
            ready: list[Any] = []
            for place, value in enumerate(given):
                if place in skipped:
                    continue
                if isinstance(value, indexed_slices.IndexedSlices):
                    value = ops.convert_to_tensor(value)
                elif value is None:  # not connected to what is differentiated; the graph wants a tensor all the same
                    value = array_ops.zeros(*default_gradient.shape_and_dtype(backward.inputs[len(ready)]))
                ready.append(value)
                if len(ready) >= wanted:
                    break
            return backward._call_flat(ready, captures)

        record_operation(self._name, outputs[: self._recorded], arguments, gradient, None)
