"""Python values as text: equal where a tracer takes them for equal, and of bounded length."""

from __future__ import annotations

import hashlib
from typing import Any

from traceonce.facts import Leaf

TEXT_LIMIT = 120


def python_leaf(path: str, value: Any) -> Leaf:
    """The leaf of a Python value, which a tracer compares by ``==``.

    So a value of a subclass of a basic type (a NumPy string, an int by another name) is one of the basic type, and
    ranges are written by what they contain.
    """
    if value is None:
        return Leaf(path, "none")
    for basic in (bool, int, float, complex, str, bytes):
        if isinstance(value, basic):
            return Leaf(path, "python", value=_shorten(basic.__repr__(value)), type_name=basic.__name__)
    text = _range_text(value) if isinstance(value, range) else shorten_repr(value)
    return Leaf(path, "python", value=text, type_name=type(value).__name__)


def key_text(key: Any) -> str:
    """A key of a dict as text; 1, True and 1.0 are one key."""
    if isinstance(key, (bool, int)) or (isinstance(key, float) and key.is_integer()):
        return repr(int(key))
    return shorten_repr(key)


def _range_text(value: range) -> str:
    if len(value) < 2:
        return repr(range(value.start, value.start + 1)) if value else repr(range(0))
    return repr(range(value.start, value[-1] + value.step, value.step))


def shorten_repr(value: Any) -> str:
    return _shorten(repr(value))


def _shorten(text: str) -> str:
    """A text of bounded length that still differs where the whole differs."""
    if len(text) <= TEXT_LIMIT:
        return text
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=6).hexdigest()
    return f"{text[: TEXT_LIMIT - 20]}… #{digest}"
