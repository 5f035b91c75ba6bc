"""Typed objects that lose nothing: fields that a form does not know, and the order of keys, survive a round trip."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from typing import Any

import msgspec
from typing_extensions import Self

from traceonce.errors import RecordError


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that is read from, and written to, a JSON object of which it may know only a part.

    `other` holds the fields that it does not know; `given` the keys in the order in which they came, so that what was
    absent stays absent and a file that was read is written as it was.
    """

    other: dict[str, Any] = {}
    given: tuple[str, ...] = ()

    @classmethod
    def read(cls, data: object, at: str = "") -> Self:
        """Build it from what JSON gave. `at` is the place in the document, for messages."""
        if not isinstance(data, dict):
            raise RecordError(f"{at or 'the document'}: is {_json_type(data)}; it must be an object.")
        known = _fields(cls)
        values = {
            name: _read_value(field.type, data[name], f"{at}.{name}" if at else name)
            for name, field in known.items()
            if name in data
        }
        missing = [name for name, field in known.items() if field.required and name not in data]
        if missing:
            place = f"{at}: " if at else ""
            raise RecordError(f"{place}the field {missing[0]!r} is missing; add it.")
        return cls(**values, other={key: data[key] for key in data if key not in known}, given=tuple(data))

    def plain(self) -> dict[str, Any]:
        """What JSON is written from: the keys that came, in their order, then the fields that were set since."""
        values = {
            name: getattr(self, name)
            for name, field in _fields(type(self)).items()
            if name in self.given or field.required or getattr(self, name) != _default(field)
        }
        order = dict.fromkeys((*self.given, *values, *self.other))
        everything = {**self.other, **values}
        return {key: _plain_value(everything[key]) for key in order if key in everything}

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed."""
        return msgspec.structs.replace(self, **changes)


@functools.cache  # annotations are evaluated on each call
def _fields(cls: type[Open]) -> dict[str, msgspec.structs.FieldInfo]:
    """The fields of a form, without those that hold what it does not know."""
    return {field.name: field for field in msgspec.structs.fields(cls) if field.name not in Open.__struct_fields__}


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default_factory() if field.default is msgspec.NODEFAULT else field.default


def _read_value(type_: Any, value: object, at: str) -> Any:
    nested = _nested(type_)
    if nested is not None and value is not None:
        inner, many = nested
        if not many:
            return inner.read(value, at)
        if not isinstance(value, list):
            raise RecordError(f"{at}: is {_json_type(value)}; it must be a list.")
        return tuple(inner.read(item, f"{at}[{number}]") for number, item in enumerate(value))
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise RecordError(f"{at}: {str(error)[:1].lower()}{str(error)[1:]}; correct it.") from None


def _nested(type_: Any) -> tuple[type[Open], bool] | None:
    """The struct that a field holds, and whether it holds many."""
    if isinstance(type_, types.UnionType) or typing.get_origin(type_) is typing.Union:
        return next(filter(None, map(_nested, typing.get_args(type_))), None)
    if typing.get_origin(type_) is tuple:
        inner = typing.get_args(type_)[0]
        return (inner, True) if isinstance(inner, type) and issubclass(inner, Open) else None
    return (type_, False) if isinstance(type_, type) and issubclass(type_, Open) else None


def _plain_value(value: object) -> Any:
    if isinstance(value, Open):
        return value.plain()
    if isinstance(value, (list, tuple)):
        return [_plain_value(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain_value(item) for key, item in value.items()}
    return value


def _json_type(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
