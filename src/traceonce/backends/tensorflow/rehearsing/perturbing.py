"""Calls that were not made but could be: another number, one row more."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

from traceonce.backends.tensorflow.rehearsing.arguments import End, put, walk

LARGEST = 1_000_000  # elements of an array that is made larger
SMALL = 1000  # integers up to this one are changed in every way; a larger one is an amount, and grows slowly


class Perturbed(NamedTuple):
    """A call with one thing changed: what, how (in words), and its arguments."""

    path: str
    change: str
    arguments: inspect.BoundArguments


class Axis(NamedTuple):
    """A dimension of an argument."""

    end: End
    number: int
    size: int

    @property
    def path(self) -> str:
        return f"{self.end.path}.shape[{self.number}]"


def perturb(tf: Any, bound: inspect.BoundArguments) -> Iterator[Perturbed]:
    """First the numbers; then dimensions that are of one size, together; then each dimension alone."""
    ends = list(walk(bound))
    for end in ends:
        for number in _numbers_for(tf, end.value):
            value = _like(tf, end.value, number)
            if value is not None:
                yield Perturbed(end.path, f"{end.path} = {_write(number)}", put(bound, [(end, value)]))
    axes = [axis for end in ends for axis in _axes(tf, end)]
    for together in [*_of_one_size(axes), *([axis] for axis in axes)]:
        paths = ", ".join(axis.path for axis in together)
        size = together[0].size
        yield Perturbed(paths, f"{paths}: {size} → {size + 1}", _lengthen(tf, bound, together))


def _of_one_size(axes: list[Axis]) -> Iterator[list[Axis]]:
    """A batch of inputs and its labels are of one length: one alone would be refused by any function."""
    for size in dict.fromkeys(axis.size for axis in axes):
        together = [axis for axis in axes if axis.size == size]
        if len(together) > 1:
            yield together


def _numbers_for(tf: Any, value: Any) -> Iterator[float]:
    """Numbers to be tried in the place of one. A tensor without dimensions is one: a repair may have made it of one."""
    import numpy as np

    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from _others(value)
    elif isinstance(value, (float, np.generic)) or (_is_tensor(tf, value) and value.shape.rank == 0):
        kind = np.asarray(value).dtype.kind
        if kind in "iu":
            yield from _others(int(value))
        elif kind == "f":
            yield from _others(float(value))


def _others(value: float) -> Iterator[float]:
    if isinstance(value, float):
        tried: list[float] = [0.0, 1.0, -value, value * 10 + 3, value + 1e-3]
    elif abs(value) <= SMALL:
        tried = [0, 1, -1, value + 1, -value, 10 * value + 3]
    else:
        tried = [0, 1, value + 1]
    yield from (number for number in dict.fromkeys(tried) if number != value and number == number)


def _like(tf: Any, value: Any, number: float) -> Any:
    """A number as the value that it replaces: a Python number, NumPy's or a tensor; None where it does not fit."""
    import numpy as np

    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return number
    dtype = np.asarray(value).dtype
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
        return None
    return dtype.type(number) if isinstance(value, np.generic) else tf.constant(number, value.dtype)


def _write(number: float) -> str:
    """The same for 4, 4.0 and the float32 nearest to it: the repaired function may take another kind of number."""
    return repr(number) if isinstance(number, int) else format(number, ".6g")


def _axes(tf: Any, end: End) -> Iterator[Axis]:
    """The dimensions of an argument that can be made one longer."""
    import numpy as np

    value = end.value
    if isinstance(value, tf.RaggedTensor):
        if int(value.nrows()) > 0 and int(tf.size(value.flat_values)) <= LARGEST:
            yield Axis(end, 0, int(value.nrows()))
        return
    if isinstance(value, tf.SparseTensor):
        shape = [int(size) for size in value.dense_shape]
    elif isinstance(value, np.ndarray) or _is_tensor(tf, value):
        shape = [int(size) for size in value.shape]
        if np.prod(shape, dtype=float) > LARGEST:
            return
    else:
        return
    yield from (Axis(end, number, size) for number, size in enumerate(shape) if size > 0)


def _lengthen(tf: Any, bound: inspect.BoundArguments, axes: list[Axis]) -> inspect.BoundArguments:
    new: dict[str, tuple[End, Any]] = {}
    for axis in axes:
        end, value = new.get(axis.end.path, (axis.end, axis.end.value))
        new[end.path] = end, _longer(tf, value, axis.number)
    return put(bound, new.values())


def _longer(tf: Any, value: Any, axis: int) -> Any:
    """The last slice once more; a sparse tensor has room for one more."""
    import numpy as np

    if isinstance(value, tf.SparseTensor):
        more = tf.one_hot(axis, value.dense_shape.shape[0], dtype=tf.int64)
        return tf.SparseTensor(value.indices, value.values, value.dense_shape + more)
    if isinstance(value, tf.RaggedTensor):
        return tf.concat([value, value[-1:]], 0)
    if isinstance(value, np.ndarray):
        return np.concatenate([value, np.take(value, [-1], axis)], axis)
    return tf.concat([value, tf.gather(value, [value.shape[axis] - 1], axis=axis)], axis)


def _is_tensor(tf: Any, value: Any) -> bool:
    return isinstance(value, tf.Tensor) and hasattr(value, "numpy")
