"""Calls that were not made but could be: another number, one row more."""

from __future__ import annotations

import abc
import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

from traceonce.frameworks.base.replay.argument_leaves import ArgumentLeaf, put, walk

LARGEST = 1_000_000  # elements of an array that is made larger
SMALL = 1000  # integers up to this one are changed in every way; a larger one is an amount, and grows slowly


class Perturbed(NamedTuple):
    """A call with one thing changed: what, how (in words), and its arguments."""

    path: str
    change: str
    arguments: inspect.BoundArguments


class Axis(NamedTuple):
    """A dimension of an argument."""

    end: ArgumentLeaf
    number: int
    size: int

    @property
    def path(self) -> str:
        return f"{self.end.path}.shape[{self.number}]"


class Arrays(abc.ABC):
    """What a framework's arrays are, and how they are changed. NumPy's are known here."""

    @abc.abstractmethod
    def is_array(self, value: Any) -> bool:
        """Is it one of the framework's own, with numbers in it?"""

    @abc.abstractmethod
    def kind_of(self, value: Any) -> str | None:
        """``tensor float32``, as a site has it; None for what is none of the framework's."""

    @abc.abstractmethod
    def like(self, value: Any, number: float) -> Any:
        """A number as an array without dimensions, of the dtype of `value`."""

    def longer(self, value: Any, axis: int) -> Any:
        """The array with its last slice once more; NumPy's, too."""
        import numpy as np

        return np.concatenate([value, np.take(value, [-1], axis)], axis)

    def kind(self, value: Any) -> str:
        """The kind of its dtype, as NumPy has it: "i", "u", "f"…"""
        import numpy as np

        return str(np.asarray(value).dtype.kind)

    def limits(self, value: Any) -> tuple[int, int]:
        """Of an array of whole numbers: the least and the greatest that it can hold."""
        import numpy as np

        dtype = np.asarray(value).dtype
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)

    def shape(self, value: Any) -> list[int] | None:
        """The sizes that can be made longer, by axis; None for what is no array."""
        import numpy as np

        if not isinstance(value, np.ndarray) and not self.is_array(value):
            return None
        return [int(size) for size in value.shape]

    def size(self, value: Any) -> float:
        """How many elements it has."""
        import numpy as np

        return float(np.prod(self.shape(value) or [1], dtype=float))


def perturb(arrays: Arrays, bound: inspect.BoundArguments) -> Iterator[Perturbed]:
    """First the numbers; then dimensions that are of one size, together; then each dimension alone."""
    ends = list(walk(bound))
    for end in ends:
        for number in _numbers_for(arrays, end.value):
            value = _like(arrays, end.value, number)
            if value is not None:
                yield Perturbed(end.path, f"{end.path} = {_write(number)}", put(bound, [(end, value)]))
    axes = [axis for end in ends for axis in _axes(arrays, end)]
    for together in [*_of_one_size(axes), *([axis] for axis in axes)]:
        paths = ", ".join(axis.path for axis in together)
        size = together[0].size
        yield Perturbed(paths, f"{paths}: {size} → {size + 1}", _lengthen(arrays, bound, together))


def _of_one_size(axes: list[Axis]) -> Iterator[list[Axis]]:
    """A batch of inputs and its labels are of one length: one alone would be refused by any function."""
    for size in dict.fromkeys(axis.size for axis in axes):
        together = [axis for axis in axes if axis.size == size]
        if len(together) > 1:
            yield together


def _numbers_for(arrays: Arrays, value: Any) -> Iterator[float]:
    """Numbers to be tried in the place of one. An array without dimensions is one: a repair may have made it of one."""
    import numpy as np

    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from _others(value)
    elif isinstance(value, (float, np.generic)) or (arrays.is_array(value) and arrays.shape(value) == []):
        kind = arrays.kind(value)
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


def _like(arrays: Arrays, value: Any, number: float) -> Any:
    """A number as the value that it replaces: a Python number, NumPy's or an array; None where it does not fit."""
    import numpy as np

    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return number
    if arrays.kind(value) in "iu":
        least, greatest = arrays.limits(value)
        if not least <= number <= greatest:
            return None
    return value.dtype.type(number) if isinstance(value, np.generic) else arrays.like(value, number)


def _write(number: float) -> str:
    """The same for 4, 4.0 and the float32 nearest to it: the repaired function may take another kind of number."""
    return repr(number) if isinstance(number, int) else format(number, ".6g")


def _axes(arrays: Arrays, end: ArgumentLeaf) -> Iterator[Axis]:
    """The dimensions of an argument that can be made one longer."""
    shape = arrays.shape(end.value)
    if shape is None or arrays.size(end.value) > LARGEST:
        return
    yield from (Axis(end, number, size) for number, size in enumerate(shape) if size > 0)


def _lengthen(arrays: Arrays, bound: inspect.BoundArguments, axes: list[Axis]) -> inspect.BoundArguments:
    new: dict[str, tuple[ArgumentLeaf, Any]] = {}
    for axis in axes:
        end, value = new.get(axis.end.path, (axis.end, axis.end.value))
        new[end.path] = end, arrays.longer(value, axis.number)
    return put(bound, new.values())
