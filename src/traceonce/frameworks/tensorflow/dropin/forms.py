"""From the arguments of a call to its key and its tensors, by code written for one nesting of arguments.

A `Form` is one such nesting: containers, and the exact type of each leaf. Its `flatten` is generated, because a loop
over a nest that asks each leaf what it is costs several times what the graph costs that is to be run.
"""

from __future__ import annotations

import itertools
import math
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from traceonce.frameworks.tensorflow.dropin.likeness import Likeness, NotUnderstood, float_key, number_of
from traceonce.frameworks.tensorflow.dropin.parts import (
    EagerTensor,
    RaggedTensor,
    ResourceVariable,
    SparseTensor,
    dtypes,
    indexed_slices,
)

Path: TypeAlias = tuple[Any, ...]
Flat: TypeAlias = "tuple[tuple[Hashable, ...], list[Any]]"
Flatten: TypeAlias = "Callable[[tuple[Any, ...], str], Flat | None]"
LITERALS = frozenset({int, float, bool, str, bytes, type(None)})
ARRAYS = frozenset(
    np.dtype(code) for code in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
)
SCALARS = frozenset(dtype.type for dtype in ARRAYS)
NOT_OBJECTS = ("__tf_tracing_type__", "__wrapped__", "__array__", "__attrs_attrs__", "__tf_flatten__")
NESTS = (list, tuple, Mapping, complex, weakref.ref)  # subclasses of these are TensorFlow's to look into
COMPOSITES = frozenset({RaggedTensor, SparseTensor, indexed_slices.IndexedSlices})
KEPT_KEYS = 4096  # per form; then the table starts anew


class Lift(NamedTuple):
    """A Python number that is handed over as a tensor of this type, if it lies in this range.

    That is: at most `most`, and, unless it is 0, at least `smallest` on either side of zero; but not below `least`.
    """

    dtype: int
    most: float
    smallest: float = 0.0
    least: float = -math.inf

    def admits(self, number: float) -> bool:
        return number >= self.least and (number == 0 or self.smallest <= abs(number) <= self.most)


class Form:
    """One nesting of arguments.

    `table` finds the trace for a key; `wide` finds, for all of a key but the shapes, the traces that may admit it.
    `numbers` are the places in a key of the Python numbers, by path; `places` those of lifted ones among the inputs.
    """

    def __init__(
        self,
        arguments: tuple[Any, ...],
        likeness: Likeness,
        lifts: dict[Path, Lift] | None = None,
        *,
        tensors_only: bool = False,
    ) -> None:
        """Raises `NotUnderstood` where a leaf is nothing that the fast path knows."""
        self.lifts = lifts or {}
        self.table: dict[tuple[Hashable, ...], Any] = {}
        self.wide: dict[Hashable, list[Any]] = {}
        writer = _Writer(likeness, self.lifts, tensors_only=tensors_only)
        for index, argument in enumerate(arguments):
            writer.leaf(argument, f"a{index}", (index,), checked=True)
        self.flatten = writer.finish(len(arguments))
        self.count = writer.count
        self.numbers = writer.numbers
        self.places = writer.places
        self.has_variables = bool(writer.handles)
        self.has_aliases = len(writer.handles) > 1
        self._tensors = writer.tensors
        self._shapes = slice(writer.static, writer.static + len(writer.shapes))

    def shapes(self, key: tuple[Hashable, ...]) -> tuple[Any, ...]:
        """The shapes of the tensors in a key, in the order of the inputs."""
        return key[self._shapes]

    def without_shapes(self, key: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        return key[: self._shapes.start] + key[self._shapes.stop :]

    def of_tensors(self, inputs: Sequence[Any]) -> list[Any]:
        """Of a list with one item for each input, the items of those whose shape is in the key."""
        return [inputs[index] for index in self._tensors]

    def to_inputs(self, of_tensors: Sequence[Any], count: int) -> list[Any]:
        """The other way round: None for an input whose shape is not in the key."""
        found: list[Any] = [None] * count
        for index, item in zip(self._tensors, of_tensors, strict=True):
            found[index] = item
        return found

    def part(self, key: tuple[Hashable, ...], path: Path) -> Hashable:
        """What stands in a key for the number at a path."""
        return key[self.numbers[path]]

    def with_parts(self, key: tuple[Hashable, ...], other: tuple[Hashable, ...], paths: list[Path]) -> Any:
        """A key with the numbers at some paths from another one."""
        changed = list(key)
        for path in paths:
            changed[self.numbers[path]] = self.part(other, path)
        return tuple(changed)

    def number_in(self, key: tuple[Hashable, ...], path: Path) -> Any:
        """The Python number at a path, read from a key."""
        part = self.part(key, path)
        return number_of(part) if isinstance(part, str) else part


class _Writer:
    """Writes the code of one form, leaf by leaf."""

    def __init__(self, likeness: Likeness, lifts: dict[Path, Lift], *, tensors_only: bool) -> None:
        self._lifts = lifts
        self._likeness = likeness
        self._tensors_only = tensors_only
        self._names = itertools.count()
        self._lines: list[str] = []
        self._names_of: dict[str, Any] = {
            "EagerTensor": EagerTensor,
            "shape_of": EagerTensor._shape_tuple,
            "dtype_of": EagerTensor._datatype_enum,
            "likeness_of": likeness.key,
            "float_key": float_key,
            "aliases": _aliases,
            "ARRAYS": ARRAYS,
        }
        self._keys: list[str] = []
        self.shapes: list[str] = []
        self._dtypes: list[str] = []
        self._inputs: list[str] = []
        self.tensors: list[int] = []
        self.places: dict[Path, int] = {}
        self.handles: list[str] = []
        self.numbers: dict[Path, int] = {}
        self.static = 0
        self._plain = True  # nothing but tensors, not nested

    def leaf(self, value: Any, name: str, path: Path, *, checked: bool) -> None:
        """Write what is done with one argument; its type is `checked` already where it is not nested."""
        kind = type(value)
        if not checked:
            self._lines.append(f"if type({name}) is not {self._constant(kind)}: return None")
        if kind is EagerTensor:
            self._tensor(name)
            return
        self._plain = False
        if kind is dict:
            self._dict(value, name, path)
        elif kind is list or kind is tuple or _is_named_tuple(kind):
            self._sequence(value, name, path)
        elif self._tensors_only:
            raise NotUnderstood
        elif kind in LITERALS:
            self._literal(kind, name, path)
        elif kind is ResourceVariable:
            self._variable(name)
        elif kind is np.ndarray or kind in SCALARS:
            self._array(value, name)
        elif kind in COMPOSITES:
            self._composite(value, name)
        elif isinstance(value, NESTS) or any(hasattr(value, mark) for mark in NOT_OBJECTS):
            raise NotUnderstood
        else:
            self._object(value, name)

    @property
    def count(self) -> int:
        """How many inputs it makes."""
        return len(self._inputs)

    def finish(self, count: int) -> Flatten:
        if self.handles[1:]:
            self._keys.append(f"aliases({', '.join(self.handles)})")
        self.static = len(self._keys)
        if count > 4 and self._plain:  # loops in C are faster than a long expression
            body = ["return (*map(shape_of, a), bytes(map(dtype_of, a))), [*a]"]
        else:
            kinds = [f"bytes(({', '.join(self._dtypes)},))"] if len(self._dtypes) > 1 else self._dtypes
            parts = [*self._keys, *self.shapes, *kinds]
            key = f"({', '.join(parts)}{',' * (len(parts) == 1)})"
            unpack = [f"{', '.join(f'a{index}' for index in range(count))}, = a"] if count else []
            body = [*unpack, *self._lines, f"return {key}, [{', '.join(self._inputs)}]"]
        code = "def flatten(a, device):\n " + "\n ".join(body)
        exec(compile(code, "<traceonce flatten>", "exec"), self._names_of)  # names and numbers of ours alone
        flatten: Flatten = self._names_of.pop("flatten")
        return flatten

    def _constant(self, value: Any) -> str:
        name = f"c{next(self._names)}"
        self._names_of[name] = value
        return name

    def _tensor(self, name: str) -> None:
        self.tensors.append(len(self._inputs))
        self.shapes.append(f"shape_of({name})")
        self._dtypes.append(f"dtype_of({name})")
        self._inputs.append(name)

    def _dict(self, value: dict[Any, Any], name: str, path: Path) -> None:
        if any(type(key) is not str for key in value):
            raise NotUnderstood
        names = {key: f"b{next(self._names)}" for key in value}
        self._lines.append(f"if tuple({name}) != {self._constant(tuple(value))}: return None")
        if value:
            self._lines.append(f"{', '.join(names.values())}, = {name}.values()")
        for key in sorted(value):  # the order in which TensorFlow flattens
            self.leaf(value[key], names[key], (*path, key), checked=False)

    def _sequence(self, value: Any, name: str, path: Path) -> None:
        names = [f"b{next(self._names)}" for _ in value]
        self._lines.append(f"if len({name}) != {len(value)}: return None")
        if value:
            self._lines.append(f"{', '.join(names)}, = {name}")
        for index, item in enumerate(value):
            self.leaf(item, names[index], (*path, index), checked=False)

    def _literal(self, kind: type, name: str, path: Path) -> None:
        lift = self._lifts.get(path)
        if lift is not None:
            smallest, most = self._constant(lift.smallest), self._constant(lift.most)
            self._lines.append(f"if {name} and not {smallest} <= abs({name}) <= {most}: return None")
            if lift.least > -math.inf:
                self._lines.append(f"if {name} < {self._constant(lift.least)}: return None")
            self.places[path] = len(self._inputs)
            # by way of NumPy: of a Python number TensorFlow keeps a copy for ever, and takes four times as long
            convert = self._constant(dtypes.as_dtype(lift.dtype).as_numpy_dtype)
            self._inputs.append(f"EagerTensor({convert}({name}), device or None, {lift.dtype})")
            return
        if kind in (int, float):
            self.numbers[path] = len(self._keys)
        if kind is float:
            self._keys.append(f"({name} if {name} and {name} == {name} else float_key({name}))")
        elif kind is not type(None):
            self._keys.append(name)

    def _variable(self, name: str) -> None:
        self._keys.append(f"({name}._shape, {name}._dtype, {name}._trainable)")
        handle = f"{name}._handle"
        self.handles.append(handle)
        self._inputs.append(handle)

    def _array(self, value: Any, name: str) -> None:
        if value.dtype not in ARRAYS:
            raise NotUnderstood
        self._lines.append(f"if {name}.dtype not in ARRAYS: return None")
        tensor = f"t{next(self._names)}"
        self._lines.append(f"{tensor} = EagerTensor({name}.copy(), device or None, None)")  # else memory is shared
        self._tensor(tensor)

    def _composite(self, value: Any, name: str) -> None:
        """What TensorFlow knows of a ragged or sparse tensor is its key, as it is for TensorFlow; then its parts."""
        spec, parts = f"s{next(self._names)}", [f"p{next(self._names)}" for _ in value._type_spec.to_tensors(value)]
        tensors = f"t{next(self._names)}"
        self._lines.append(f"{spec} = {name}._type_spec")
        self._lines.append(f"{tensors} = {spec}.to_tensors({name})")
        self._lines.append(f"if len({tensors}) != {len(parts)}: return None")
        self._lines.append(f"{', '.join(parts)}, = {tensors}")
        for part in parts:
            self._lines.append(f"if type({part}) is not EagerTensor: return None")
        self._keys.append(spec)
        self._inputs += parts

    def _object(self, value: Any, name: str) -> None:
        self._likeness.of(value)
        key = f"k{next(self._names)}"
        self._lines.append(f"{key} = likeness_of({name})")
        self._lines.append(f"if {key} is None: return None")
        self._keys.append(key)


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and kind.__len__ is tuple.__len__


def _aliases(*handles: Any) -> tuple[int, ...]:
    """Which handles are the same: for each, where it was met first."""
    met: dict[int, int] = {}
    return tuple(met.setdefault(id(handle), len(met)) for handle in handles)
