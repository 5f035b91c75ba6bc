"""Rule 7: a dimension is padded up to a bucket before the call.

XLA compiles once for every shape. With buckets there are only so many.
"""

from __future__ import annotations

import bisect
import inspect
import re
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from traceonce.frameworks.tensorflow.dropin import nests
from traceonce.frameworks.tensorflow.dropin.frames import without_ours
from traceonce.frameworks.tensorflow.dropin.function import Function
from traceonce.frameworks.tensorflow.dropin.parts import traceback_utils

_STEP = re.compile(r"""\[(?:(-?\d+)|'([^']*)'|"([^"]*)")\]""")


class PaddedFunction(Function):
    """A `Function` that pads some of its arguments first, and cuts results back."""

    _signature: inspect.Signature | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            args, kwargs, lengths = self._padded(args, kwargs)
            return self._cut(super().__call__(*args, **kwargs), lengths)
        except Exception as error:
            if not traceback_utils.is_traceback_filtering_enabled():
                raise
            raise error.with_traceback(without_ours(error.__traceback__)) from None

    def _clone(self, python_function: Any) -> Function:
        clone = super()._clone(python_function)
        clone._signature = self._parameters()  # a strategy puts a function without names in its place
        return clone

    def _parameters(self) -> inspect.Signature:
        return self._signature or inspect.signature(self._python_function)

    def _padded(self, args: Any, kwargs: Any) -> tuple[Any, Any, dict[tuple[str, int], Any]]:
        """The arguments, padded, with true lengths where the function takes them; and all true lengths."""
        policy = self._policy
        signature = self._parameters()
        wanted = {name for axes in (policy.true_length or {}).values() for name in axes.values()}
        try:
            bound = signature.bind_partial(*args, **kwargs)
        except TypeError:
            return args, kwargs, {}  # the call says what is wrong
        lengths: dict[tuple[str, int], Any] = {}
        for name, axes in (policy.pad or {}).items():
            if bound.arguments.get(name) is None:
                continue
            value = tf.convert_to_tensor(bound.arguments[name])
            for axis, buckets in axes.items():
                lengths[name, axis] = size = _size(value, axis, name)
                value = _pad(value, axis, size, buckets)
            bound.arguments[name] = value
        for name, parameters in (policy.true_length or {}).items():
            for axis, parameter in parameters.items():
                if (name, axis) in lengths and parameter in wanted - set(bound.arguments):
                    bound.arguments[parameter] = tf.constant(lengths[name, axis], tf.int32)
        bound.arguments = {name: bound.arguments[name] for name in signature.parameters if name in bound.arguments}
        return bound.args, bound.kwargs, lengths

    def _cut(self, result: Any, lengths: dict[tuple[str, int], Any]) -> Any:
        for text, axes in (self._policy.unpad or {}).items():
            path = tuple(_steps(text))
            part = nests.get(result, path)
            for axis, (name, padded_axis) in axes.items():
                size = lengths.get((name, padded_axis))
                if size is not None:
                    part = part[(slice(None),) * (axis % part.shape.rank) + (slice(None, size),)]
            result = nests.put(result, path, part)
        return result


def _size(value: Any, axis: int, name: str) -> int:
    if value.shape.rank is None or not -value.shape.rank <= axis < value.shape.rank:
        raise ValueError(f"pad: {name} has shape {value.shape}, and so no axis {axis}")
    size = value.shape[axis]
    if size is None:
        raise ValueError(f"pad: the size of axis {axis} of {name} is not known inside another function")
    return int(size)


def _pad(value: Any, axis: int, size: int, buckets: Any) -> Any:
    place = bisect.bisect_left(buckets, size)
    if place == len(buckets) or buckets[place] == size:
        return value
    amounts = [[0, 0] for _ in range(value.shape.rank)]
    amounts[axis][1] = buckets[place] - size
    if value.dtype == tf.string:
        return tf.pad(value, amounts, constant_values="")
    return tf.pad(value, amounts)


def _steps(text: str) -> Iterator[Any]:
    """The steps of a path such as ``['logits'][0]``."""
    for match in _STEP.finditer(text):
        number, *names = match.groups()
        yield int(number) if number is not None else next(name for name in names if name is not None)


def check_parameters(func: Any, policy: Any) -> None:
    """Raise a `ValueError` for a name that is no parameter of the function."""
    parameters = inspect.signature(func).parameters
    wanted = [("pad", name) for name in policy.pad or ()]
    wanted += [("true_length", name) for axes in (policy.true_length or {}).values() for name in axes.values()]
    for option, name in wanted:
        if name not in parameters:
            raise ValueError(f"{option}: the function has no parameter {name!r}; it has {', '.join(parameters)}")
