"""Types of other people's making: their fields by name, and whether they equal themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def needs_twin(kind: Any) -> bool:
    """Is this a type whose equality is somebody else's code?"""
    from tensorflow.core.function.trace_type import default_types as types

    if isinstance(kind, (types.Literal, types.Weakref)):
        return False
    if isinstance(kind, types.List):
        return any(map(needs_twin, kind.components_tuple.components))
    if isinstance(kind, types.Tuple):
        return any(map(needs_twin, kind.components))
    if isinstance(kind, types.Dict):
        return any(map(needs_twin, kind.mapping.values()))
    if isinstance(kind, types.NamedTuple):
        return any(map(needs_twin, kind.attributes.components))
    if isinstance(kind, types.Attrs):
        return needs_twin(kind.named_attributes)
    return not type(kind).__module__.startswith("tensorflow.python.")


def spec_fields(spec: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a composite spec, each with the step that leads to it from the value (``.name`` or ``['key']``)."""
    if hasattr(spec, "_tf_extension_type_fields"):
        for field in spec._tf_extension_type_fields():
            yield f".{field.name}", getattr(spec, field.name, None)
        return
    serialized = spec._serialize()
    parts = serialized if isinstance(serialized, tuple) else (serialized,)
    names = _attribute_names(spec)
    if id(serialized) in names:  # the whole of it is one attribute
        yield f".{names[id(serialized)]}", serialized
        return
    for index, part in enumerate(parts):
        name = names.get(id(part), f"field{index}")
        if isinstance(part, Mapping) and part and all(_has(spec.value_type, key) for key in part):
            for key in sorted(part, key=str):
                yield f".{key}", part[key]
        else:
            yield f".{name}", part


def _attribute_names(spec: Any) -> dict[int, str]:
    """Which attribute of a spec holds which object, so that a serialised field finds its name again."""
    names: dict[int, str] = {}
    slots = [slot for cls in type(spec).__mro__ for slot in getattr(cls, "__slots__", ()) if isinstance(slot, str)]
    for name in [*getattr(spec, "__dict__", {}), *slots]:
        value = getattr(spec, name, None)
        if value is not None and not isinstance(value, (bool, int)):
            names.setdefault(id(value), name.lstrip("_"))
    return names


def _has(value_type: Any, key: Any) -> bool:
    return isinstance(key, str) and key.isidentifier() and hasattr(value_type, key)


def plain_attributes(kind: Any) -> dict[str, Any]:
    return {name: value for name, value in getattr(kind, "__dict__", {}).items() if not name.startswith("__")}


def usable(kind: Any, twin: Any) -> bool:
    return bool(twin.is_subtype_of(kind))


def equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def equals_itself_alone(thing: Any) -> bool:
    """Has its class no ``__eq__``?"""
    return next(cls for cls in type(thing).__mro__ if "__eq__" in vars(cls)) is object


def equality_of(thing: Any) -> str:
    """Where the ``__eq__`` that decides is written."""
    for cls in type(thing).__mro__:
        method = vars(cls).get("__eq__")
        if method is None:
            continue
        if cls is object:
            return f"{type(thing).__name__} defines no __eq__, so only the same object is equal"
        code = getattr(method, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
        return f"{cls.__qualname__}.__eq__{place}"
    return type(thing).__name__
