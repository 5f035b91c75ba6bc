"""Types of arguments that TensorFlow would confuse, or forget, told apart and kept.

TensorFlow's literals are equal where Python's values are: 1, True and 1.0 share one trace, so do 0.0 and -0.0. Its
weak references to objects equal nothing once the object is collected, and its dicts have no order. These three stand
in for them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from traceonce.frameworks.tensorflow.dropin.likeness import Likeness, NotUnderstood, float_key
from traceonce.frameworks.tensorflow.dropin.makeup import Unknown, makeup
from traceonce.frameworks.tensorflow.dropin.parts import FunctionType, Parameter, default_types


class ExactLiteral(default_types.Literal):  # type: ignore[misc]  # TensorFlow is untyped
    """A Python value, equal to another one of the same type and value alone."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.kind = type(value)
        self.exact = (_makeup(value), float_key(value) if type(value) is float else self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactLiteral) and self.exact == other.exact

    def __hash__(self) -> int:
        return int(self._value_hash)

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class AlikeObject(default_types.Weakref):  # type: ignore[misc]  # TensorFlow is untyped
    """An object, equal to any other that has the same likeness, whether it still lives or not."""

    def __init__(self, reference: Any, likeness: Hashable) -> None:
        super().__init__(reference)
        self.likeness = likeness
        self._likeness_hash = hash(likeness)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AlikeObject) and self.likeness == other.likeness

    def __hash__(self) -> int:
        return self._likeness_hash

    def cast(self, value: Any, context: Any) -> Any:
        del context
        return value


class OrderedDict(default_types.Dict):  # type: ignore[misc]  # TensorFlow is untyped
    """A dict, equal to another one with the same keys in the same order alone: a body may go through them."""

    def _has_same_structure(self, other: Any) -> bool:
        return isinstance(other, default_types.Dict) and list(self.mapping) == list(other.mapping)

    def __eq__(self, other: object) -> bool:
        return self._has_same_structure(other) and bool(self.mapping == getattr(other, "mapping", None))

    def __hash__(self) -> int:
        return hash(tuple(self.mapping))


def _makeup(value: Any) -> Any:
    try:
        return makeup(value)
    except Unknown:
        return type(value)


def exact_type(function_type: Any, likeness: Likeness) -> Any:
    """The same function type with exact literals and lasting objects."""

    def exact(kind: Any) -> Any:
        if type(kind) is default_types.Literal:
            return ExactLiteral(kind.placeholder_value(None) if not isinstance(kind.value, range) else kind.value)
        if type(kind) is default_types.Weakref:
            thing = kind._ref()
            try:
                return AlikeObject(kind._ref, likeness.of(thing)) if thing is not None else kind
            except NotUnderstood:
                return kind
            except Exception:  # a comparison of the user's own that raises
                return kind
        return None

    return with_leaves(function_type, exact)


def with_leaves(function_type: Any, change: Callable[[Any], Any]) -> Any:
    """A function type whose leaves were changed; `change` returns None for one that is to stay."""
    changed = [
        Parameter(p.name, p.kind, p.optional, _changed(p.type_constraint, change))
        for p in function_type.parameters.values()
    ]
    return FunctionType(changed, function_type.captures)


def leaves(kind: Any) -> Iterator[Any]:
    """The types of the leaves of a nest."""
    found: list[Any] = []

    def collect(leaf: Any) -> None:
        found.append(leaf)

    _changed(kind, collect)
    return iter(found)


def structure(kind: Any) -> Any:
    """The nest alone: what is left when all leaves are taken for the same."""
    anything = default_types.Literal(None)
    return _changed(kind, lambda leaf: anything)


def _changed(kind: Any, change: Callable[[Any], Any]) -> Any:
    types = default_types
    if type(kind) is types.Tuple:
        return types.Tuple(*(_changed(part, change) for part in kind.components))
    if type(kind) is types.List:
        return types.List(*(_changed(part, change) for part in kind.components_tuple.components))
    if isinstance(kind, types.Dict):
        parts = {key: _changed(part, change) for key, part in kind.mapping.items()}
        return OrderedDict(parts, kind._placeholder_type)
    if type(kind) is types.NamedTuple:
        fields = tuple(_changed(part, change) for part in kind.attributes.components)
        return types.NamedTuple(kind.type_name, kind.attribute_names, fields, kind._placeholder_type)
    new = change(kind) if kind is not None else None
    return kind if new is None else new
