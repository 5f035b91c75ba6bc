"""Results as plain data: every leaf copied or summed up, and a text that says how they nest."""

from __future__ import annotations

import abc
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from traceonce.facts.error_text import shorten_error
from traceonce.facts.replay import Value

MOST_ELEMENTS = 100_000  # copied of one array; of a larger one, sums are kept
MOST_BYTES = 200_000_000  # copied in one run
MOST_LEAVES = 10_000  # of one result
MOST_TEXT = 10_000


def message_of(error: BaseException) -> str:
    try:
        return shorten_error(str(error))
    except Exception:  # it cannot even be printed
        return ""


class Values(abc.ABC):
    """Reads results. A framework's own class says what its leaves and its arrays are."""

    def __init__(self) -> None:
        self._bytes_left = MOST_BYTES

    @abc.abstractmethod
    def flatten(self, result: Any) -> list[Any]:
        """All leaves of a result."""

    def structure(self, thing: Any) -> Iterator[str]:
        """How a result nests, as text: ``dict{'loss': *, 'parts': list[*, *]}``. The leaves themselves are values."""
        yield from nest(thing, self.structure)

    @abc.abstractmethod
    def array_of(self, leaf: Any) -> Any:
        """What NumPy can make an array of, and has a dtype; None where the leaf is no array."""

    def numbers(self, array: Any) -> tuple[Any, str]:
        """A NumPy array of it, and the name of its dtype; one that NumPy does not have by itself comes as it is."""
        import numpy as np

        return np.asarray(array), getattr(array.dtype, "name", str(array.dtype))

    def error_name(self, error: BaseException) -> str:
        """The type of an error, as when the function runs eagerly."""
        return type(error).__name__

    def read(self, result: Any) -> tuple[tuple[Value, ...], str]:
        """The leaves of a result, and its structure."""
        leaves = self.flatten(result)
        values = [self.read_leaf(leaf) for leaf in leaves[:MOST_LEAVES]]
        if len(leaves) > MOST_LEAVES:
            values.append(Value("opaque", f"{len(leaves) - MOST_LEAVES} more leaves"))
        return tuple(values), "".join(self.structure(result))[:MOST_TEXT]

    def read_leaf(self, leaf: Any) -> Value:
        if leaf is None:
            return Value("python", "NoneType", text="None")
        try:
            array = self.array_of(leaf)
            if array is not None:
                return self._read_array(array)
        except Exception as error:  # no numbers in it (a variant), or none to be had (a deleted variable)
            return Value("opaque", f"{type(leaf).__name__} ({type(error).__name__})")
        if isinstance(leaf, (bool, int, float, complex, str, bytes)):
            return Value("python", type(leaf).__name__, text=_bounded(repr(leaf)))
        return Value("opaque", type(leaf).__name__)

    def _read_array(self, array: Any) -> Value:
        numbers, dtype = self.numbers(array)
        if numbers.dtype.kind in "OSU":
            return Value("array", dtype="string", shape=numbers.shape, text=_bounded(repr(numbers.tolist())))
        if numbers.size <= MOST_ELEMENTS and numbers.nbytes <= self._bytes_left:
            self._bytes_left -= numbers.nbytes
            return Value("array", dtype=dtype, shape=numbers.shape, data=numbers.tobytes())
        return Value("array", dtype=dtype, shape=numbers.shape, summary=_summary(numbers))


def nest(thing: Any, inner: Any) -> Iterator[str]:
    """The plain containers of Python; `inner` writes their parts. Anything else is a leaf."""
    name = type(thing).__name__
    if isinstance(thing, Mapping):
        yield f"{_TRACKED.get(name, name)}{{"
        for key in sorted(thing, key=repr):
            yield f"{key!r}: "
            yield from inner(thing[key])
            yield ", "
        yield "}"
    elif isinstance(thing, tuple) and hasattr(thing, "_fields"):
        yield f"{name}("
        for field in thing._fields:
            yield f"{field}="
            yield from inner(getattr(thing, field))
            yield ", "
        yield ")"
    elif isinstance(thing, (list, tuple)):
        yield f"{_TRACKED.get(name, name)}["
        for part in thing:
            yield from inner(part)
            yield ", "
        yield "]"
    else:
        yield "*"


# A list that is an attribute of a module may be one of these; to its author it is a list.
_TRACKED = {"ListWrapper": "list", "_DictWrapper": "dict", "_TupleWrapper": "tuple"}


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


def _bounded(text: str) -> str:
    """A text of bounded length that still differs where the whole differs."""
    if len(text) <= MOST_TEXT:
        return text
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()
    return f"{text[:MOST_TEXT]}… #{digest}"
