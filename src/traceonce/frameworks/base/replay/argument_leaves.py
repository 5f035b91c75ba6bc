"""The arguments of a call, down to the last element of a list: walking over them, and putting something else there."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from traceonce.frameworks.base.literals import key_text


class ArgumentLeaf(NamedTuple):
    """One end of the arguments. `path` reads like Python; `steps` lead to it from the parameter."""

    path: str
    parameter: str
    steps: tuple[Any, ...]
    value: Any


def signature_of(function: Any) -> inspect.Signature | None:
    """None where Python cannot tell it."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def bind(signature: Any, args: Any, kwargs: Any) -> inspect.BoundArguments | None:
    """The arguments by parameter, those that were given; None for a call that does not fit.

    `signature` is a function's own (`signature_of`), or what a framework has in its place.
    """
    if signature is None:
        return None
    try:
        bound: inspect.BoundArguments = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    return bound


def walk(bound: inspect.BoundArguments | None) -> Iterator[ArgumentLeaf]:
    """The ends of all arguments but ``self``."""
    for parameter, value in bound.arguments.items() if bound is not None else ():
        if parameter != "self":
            yield from _walk(ArgumentLeaf(parameter, parameter, (), value))


def _walk(end: ArgumentLeaf) -> Iterator[ArgumentLeaf]:
    parts = _parts(end.value)
    if parts is None:
        yield end
        return
    for text, step, part in parts:
        yield from _walk(ArgumentLeaf(end.path + text, end.parameter, (*end.steps, step), part))


def _parts(thing: Any) -> Iterator[tuple[str, Any, Any]] | None:
    """The parts of a container: how one writes the step to each, the step, the part. None for what is none."""
    if isinstance(thing, Mapping):
        return ((f"[{key_text(key)}]", key, part) for key, part in thing.items())
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return ((f".{field}", field, getattr(thing, field)) for field in thing._fields)
    if isinstance(thing, (list, tuple)):
        return ((f"[{index}]", index, part) for index, part in enumerate(thing))
    return None


def put(bound: inspect.BoundArguments, new: Iterable[tuple[ArgumentLeaf, Any]]) -> inspect.BoundArguments:
    """The same arguments with other values at some ends."""
    changed = copy.copy(bound)
    changed.arguments = dict(bound.arguments)
    for end, value in new:
        changed.arguments[end.parameter] = _put(changed.arguments[end.parameter], end.steps, value)
    return changed


def _put(thing: Any, steps: tuple[Any, ...], value: Any) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if hasattr(thing, "_fields"):
        return thing._replace(**{step: _put(getattr(thing, step), rest, value)})
    inner = _put(thing[step], rest, value)
    if isinstance(thing, tuple):
        return (*thing[:step], inner, *thing[step + 1 :])
    changed: Any = copy.copy(thing)
    changed[step] = inner
    return changed


def convert(bound: inspect.BoundArguments, change: Callable[[Any], Any]) -> inspect.BoundArguments:
    """The same arguments in containers of their own, with `change` made to every end."""
    changed = copy.copy(bound)
    changed.arguments = {name: _convert(value, change) for name, value in bound.arguments.items()}
    return changed


def _convert(thing: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(thing, Mapping):
        changed: Any = copy.copy(thing)
        for key in thing:
            changed[key] = _convert(thing[key], change)
        return changed
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(_convert(part, change) for part in thing))
    if isinstance(thing, list):
        return [_convert(part, change) for part in thing]
    if isinstance(thing, tuple):
        return tuple(_convert(part, change) for part in thing)
    return change(thing)
