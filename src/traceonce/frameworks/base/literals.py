"""Python values as text: equal where a tracer takes them for equal, and of bounded length."""

from __future__ import annotations

import contextlib
import hashlib
import types
from collections.abc import Callable
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
            return Leaf(path, "python", value=_shorten(_repr(value, basic.__repr__)), type_name=basic.__name__)
    text = _range_text(value) if isinstance(value, range) else shorten_repr(value)
    return Leaf(path, "python", value=text, type_name=type(value).__name__)


def plain_contents(thing: Any) -> str | None:
    """The attributes of an object as text, by name, where all of them are plain values; None for any other object.

    The text shows exact types (1, True and 1.0 differ). Nothing of the user's is run to find it: no property.
    """
    attributes = _own_attributes(thing)
    if attributes is None or not all(_is_plain(value) for value in attributes.values()):
        return None
    return _shorten(", ".join(f"{name}={value!r}" for name, value in sorted(attributes.items())))


def _own_attributes(thing: Any) -> dict[str, Any] | None:
    """What an object of a class written in Python holds; None where a base written in C may hold more."""
    if any("__weakref__" not in vars(cls) and "__slots__" not in vars(cls) for cls in _roots(type(thing))):
        return None
    attributes = dict(getattr(thing, "__dict__", {}))
    for cls in type(thing).__mro__:
        for name, member in vars(cls).items():
            if isinstance(member, types.MemberDescriptorType):  # a slot
                with contextlib.suppress(AttributeError):
                    attributes[name] = member.__get__(thing, cls)
    return attributes


def _roots(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__bases__ == (object,)]


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(_is_plain(item) for item in value)
    return value is None or type(value) in (bool, int, float, str, bytes)


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
    return _shorten(_repr(value))


def _repr(value: Any, written_by: Callable[[Any], str] = repr) -> str:
    """A value as Python writes it; where Python refuses (a whole number of 4,300 digits), as near as can be."""
    try:
        return written_by(value)
    except Exception as error:
        if isinstance(value, int):
            return hex(value)
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}, {_fingerprint(value)}>"


def _fingerprint(value: Any) -> str:
    """Equal for equal values, in one process."""
    try:
        return f"hash {hash(value):x}"
    except Exception:
        return f"id {id(value):x}"


def _shorten(text: str) -> str:
    """A text of bounded length that still differs where the whole differs."""
    if len(text) <= TEXT_LIMIT:
        return text
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=6).hexdigest()
    return f"{text[: TEXT_LIMIT - 20]}… #{digest}"
