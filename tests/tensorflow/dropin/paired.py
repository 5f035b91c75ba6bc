"""The same program with `tf.function` and with `traceonce.function`: whatever one does, the other is held against."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import traceonce

Maker = Callable[..., Any]
_SERIAL = re.compile(r"(?<=__)((?:inference|forward|backward)_[\w<>]+?)(_\d+)+\b|0x[0-9a-f]+")  # never the same in two


class Raised(NamedTuple):
    """An error, as a user sees it."""

    kind: type[BaseException]
    text: str


class Values(NamedTuple):
    """A tensor: nan is like nan here, and 0.0 is not like -0.0."""

    dtype: str
    shape: tuple[int, ...]
    values: str


def alike(tf: Any, program: Callable[[Maker], Any]) -> Any:
    """What `program` gives with either kind of function, which must be the same."""
    theirs, ours = (outcome(program, maker) for maker in (tf.function, traceonce.function))
    assert ours == theirs, "\n".join(["traceonce.function differs from tf.function", *_differences(ours, theirs)])
    return ours


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a call gives or raises, as plain data."""
    try:
        return plain(call(*args, **kwargs))
    except Exception as error:
        return Raised(type(error), _SERIAL.sub(r"\1", str(error)))


def thrice(call: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
    """The outcomes of three calls: the first one traces, the third one surely does not."""
    return [outcome(call, *args, **kwargs) for _ in range(3)]


def plain(thing: Any) -> Any:
    """Tensors and arrays as data, inside whatever holds them."""
    if isinstance(thing, (Raised, Values)):
        return thing
    if isinstance(thing, Mapping):
        return type(thing).__name__, {key: plain(value) for key, value in thing.items()}
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing).__name__, [plain(part) for part in thing]
    if isinstance(thing, (list, tuple)):
        return type(thing)(plain(part) for part in thing)
    if hasattr(thing, "to_list"):  # ragged
        return type(thing).__name__, str(thing.dtype), thing.to_list()
    if hasattr(thing, "dense_shape"):
        return type(thing).__name__, plain(thing.indices), plain(thing.values), plain(thing.dense_shape)
    if hasattr(thing, "numpy") or isinstance(thing, (np.ndarray, np.generic)):
        array = np.asarray(thing.numpy() if hasattr(thing, "numpy") else thing)
        return Values(str(array.dtype), array.shape, repr(array.tolist()))
    return repr(thing) if isinstance(thing, float) and math.isnan(thing) else thing


def _differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    if isinstance(ours, (list, tuple)) and type(ours) is type(theirs) and len(ours) == len(theirs):
        for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _differences(mine, other, f"{path}[{number}]")
    elif isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        for key in ours:
            yield from _differences(ours[key], theirs[key], f"{path}[{key!r}]")
    elif isinstance(ours, str) and isinstance(theirs, str) and ours != theirs:
        yield f"  at {path or 'all'}:"
        yield from difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "theirs", "ours", n=0, lineterm="")
    elif ours != theirs:
        yield f"  at {path or 'all'}:\n    ours    {ours}\n    theirs  {theirs}"
