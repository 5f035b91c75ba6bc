"""Results as plain data: every leaf copied or summed up, and a text that says how they nest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from traceonce.facts.rehearsal import Value

MOST_ELEMENTS = 100_000  # copied of one array; of a larger one, sums are kept
MOST_BYTES = 200_000_000  # copied in one run
MOST_LEAVES = 10_000  # of one result
MOST_TEXT = 10_000


class Values:
    """Reads results. `as_traced` turns Python numbers and NumPy into tensors, as a traced function does."""

    def __init__(self, tensorflow: Any, *, as_traced: bool = False) -> None:
        self._tf = tensorflow
        self._as_traced = as_traced
        self._bytes_left = MOST_BYTES

    def read(self, result: Any) -> tuple[tuple[Value, ...], str]:
        """The leaves of a result, and its structure."""
        leaves = self._tf.nest.flatten(result, expand_composites=True)
        values = [self.read_leaf(leaf) for leaf in leaves[:MOST_LEAVES]]
        if len(leaves) > MOST_LEAVES:
            values.append(Value("opaque", f"{len(leaves) - MOST_LEAVES} more leaves"))
        return tuple(values), "".join(_structure(self._tf, result))[:MOST_TEXT]

    def read_leaf(self, leaf: Any) -> Value:
        if leaf is None:
            return Value("python", "NoneType", text="None")
        try:
            tensor = self._tensor(leaf)
            if tensor is not None:
                return self._array(tensor)
        except Exception as error:  # no numbers in it (a variant), or none to be had (a deleted variable)
            return Value("opaque", f"{type(leaf).__name__} ({type(error).__name__})")
        if isinstance(leaf, (bool, int, float, complex, str, bytes)):
            return Value("python", type(leaf).__name__, text=_bounded(repr(leaf)))
        return Value("opaque", type(leaf).__name__)

    def _tensor(self, leaf: Any) -> Any:
        import numpy as np

        if isinstance(leaf, self._tf.Variable):
            return leaf.read_value()
        if isinstance(leaf, (self._tf.Tensor, np.ndarray, np.generic)):
            return leaf
        if self._as_traced:
            try:
                return self._tf.convert_to_tensor(leaf)
            except (TypeError, ValueError):
                return None
        return None

    def _array(self, tensor: Any) -> Value:
        import numpy as np

        array = np.asarray(tensor)
        dtype = getattr(tensor.dtype, "name", str(tensor.dtype))
        if array.dtype.kind in "OSU":
            return Value("array", dtype="string", shape=array.shape, text=_bounded(repr(array.tolist())))
        if array.size <= MOST_ELEMENTS and array.nbytes <= self._bytes_left:
            self._bytes_left -= array.nbytes
            return Value("array", dtype=dtype, shape=array.shape, data=array.tobytes())
        return Value("array", dtype=dtype, shape=array.shape, summary=_summary(array))


def _summary(array: Any) -> tuple[float, float, float, float]:
    """Sum, sum of squares, least and greatest; of a complex number, real and imaginary part are two numbers."""
    import numpy as np

    if array.size == 0:
        return 0.0, 0.0, 0.0, 0.0
    numbers = np.ascontiguousarray(array)
    if numbers.dtype.kind == "c":
        numbers = numbers.view(numbers.real.dtype)
    wide = numbers.astype(np.float64).ravel()
    with np.errstate(all="ignore"):
        return float(wide.sum()), float(np.dot(wide, wide)), float(wide.min()), float(wide.max())


def _structure(tf: Any, thing: Any) -> Iterator[str]:
    """How a result nests, as text: ``dict{'loss': *, 'parts': list[*, *]}``. The leaves themselves are values."""
    name = type(thing).__name__
    if isinstance(thing, tf.Variable):
        yield "*"
    elif isinstance(thing, tf.__internal__.CompositeTensor):
        yield f"{name}[{len(tf.nest.flatten(thing, expand_composites=True))}]"
    elif isinstance(thing, Mapping):
        yield f"{_TRACKED.get(name, name)}{{"
        for key in sorted(thing, key=repr):
            yield f"{key!r}: "
            yield from _structure(tf, thing[key])
            yield ", "
        yield "}"
    elif isinstance(thing, tuple) and hasattr(thing, "_fields"):
        yield f"{name}("
        for field in thing._fields:
            yield f"{field}="
            yield from _structure(tf, getattr(thing, field))
            yield ", "
        yield ")"
    elif isinstance(thing, (list, tuple)):
        yield f"{_TRACKED.get(name, name)}["
        for part in thing:
            yield from _structure(tf, part)
            yield ", "
        yield "]"
    elif not isinstance(thing, tf.Tensor) and tf.nest.is_nested(thing):  # attrs, dataclasses
        yield f"{name}[{len(tf.nest.flatten(thing))}]"
    else:
        yield "*"


# A list that is an attribute of a module is one of these; to its author it is a list.
_TRACKED = {"ListWrapper": "list", "_DictWrapper": "dict", "_TupleWrapper": "tuple"}


def _bounded(text: str) -> str:
    """A text of bounded length that still differs where the whole differs."""
    if len(text) <= MOST_TEXT:
        return text
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()
    return f"{text[:MOST_TEXT]}… #{digest}"
