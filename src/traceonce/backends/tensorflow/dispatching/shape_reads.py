"""Did the body ask for a size that was left open? Then Python decided something on it, and the trace is not for all.

``if x.shape[0] == 3`` is false where the size is None: the trace can be made, and is wrong for three rows. TensorFlow
itself and other libraries read open sizes and mind them; what counts is code of the user's own.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from traceonce.backends.places import GENERATED, Places
from traceonce.backends.tensorflow.probes import written_at

AUTOGRAPH = "python/autograph"
METHODS = (
    *("__getitem__", "__iter__", "__eq__", "__bool__", "as_list", "num_elements"),
    *("is_fully_defined", "is_compatible_with", "is_subtype_of"),
)
PROPERTIES = ("dims", "rank", "ndims")


class _Here(threading.local):
    """The open sizes that the calling thread has read in its trace; None where nobody asks."""

    reads: list[str] | None = None


_here = _Here()
_lock = threading.Lock()
_watched = 0
_originals: dict[str, Any] = {}


@contextlib.contextmanager
def noticed() -> Iterator[list[str]]:
    """Gives the places in the user's code that read an open size in this block."""
    outer, _here.reads = _here.reads, []
    _place()
    try:
        yield _here.reads
    finally:
        _remove()
        _here.reads = outer


def _place() -> None:
    global _watched
    with _lock:
        _watched += 1
        if _watched > 1:
            return
        places = Places((tf.__file__,))
        for name in METHODS:
            original = _originals[name] = vars(tf.TensorShape)[name]
            setattr(tf.TensorShape, name, _noticing(original, places))
        for name in PROPERTIES:
            original = _originals[name] = vars(tf.TensorShape)[name]
            setattr(tf.TensorShape, name, property(_noticing(original.fget, places)))


def _remove() -> None:
    global _watched
    with _lock:
        _watched -= 1
        if _watched:
            return
        for name, original in _originals.items():
            setattr(tf.TensorShape, name, original)


def _noticing(original: Any, places: Places) -> Callable[..., Any]:
    def read(shape: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(shape, *args, **kwargs)
        reads = _here.reads
        if reads is not None and _is_open(shape, result):
            place = _users_place(sys._getframe(1), places)
            if place is not None:
                reads.append(place)
        return result

    return read


def _users_place(frame: types.FrameType | None, places: Places) -> str | None:
    """Where the user's code reads, if it is theirs; what AutoGraph puts in between does not count."""
    while frame is not None and places.is_in_framework(frame.f_code.co_filename, AUTOGRAPH):
        frame = frame.f_back
    if frame is None:
        return None
    file, line = frame.f_code.co_filename, frame.f_lineno
    if GENERATED in file:
        origin = written_at(frame.f_code)
        if origin is None:
            return frame.f_code.co_name.removeprefix("tf__")
        file, line = origin
    return f"{places.shorten(file)}:{line}" if places.is_user(file) else None


def _is_open(shape: Any, result: Any) -> bool:
    """Did this tell of a size that is open? The size of another dimension, or a part of the shape, did not."""
    if result is None:
        return True
    if isinstance(result, tf.TensorShape):
        return False
    if isinstance(result, int) and not isinstance(result, bool):
        return False
    return None in (shape._dims or (None,))
