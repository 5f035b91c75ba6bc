"""From arguments to the inputs of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from traceonce.frameworks.tensorflow.dropin import nests
from traceonce.frameworks.tensorflow.dropin.forms import Flat, Form
from traceonce.frameworks.tensorflow.dropin.parts import OPAQUE, EagerTensor, ResourceVariable, dtypes


class Call(NamedTuple):
    """A call: its arguments, in the order of the parameters, their form, and where it is made."""

    form: Form
    arguments: tuple[Any, ...]
    device: str

    def flat(self) -> Flat | None:
        return self.form.flatten(self.arguments, self.device)


def lifted_arguments(form: Form, arguments: tuple[Any, ...], device: str) -> tuple[Any, ...]:
    """The arguments with tensors in place of the numbers that are lifted."""
    for path, lift in form.lifts.items():
        number = dtypes.as_dtype(lift.dtype).as_numpy_dtype(nests.get(arguments, path))
        arguments = nests.put(arguments, path, EagerTensor(number, device or None, lift.dtype))
    return arguments


def unique(inputs: Sequence[Any]) -> list[Any]:
    """TensorFlow hands a variable over once, however often it is among the arguments."""
    handles = {id(value): value for value in inputs if value.dtype.as_datatype_enum in OPAQUE}
    if len(handles) == sum(value.dtype.as_datatype_enum in OPAQUE for value in inputs):
        return list(inputs)
    found: list[Any] = []
    for value in inputs:
        if id(value) not in handles or not any(value is other for other in found):
            found.append(value)
    return found


def variables_among(arguments: Any) -> list[Any]:
    """The variables in a nest of arguments."""
    if isinstance(arguments, ResourceVariable):
        return [arguments]
    parts = arguments.values() if isinstance(arguments, dict) else arguments
    if not isinstance(arguments, (dict, list, tuple)):
        return []
    return [found for part in parts for found in variables_among(part)]
