"""The arrays that a function closes over: by the name under which it reaches them, and how large they are.

A function that is made anew for data that grows is the same code each time, whatever it closes over; a report has to
say what that is. A function of the user's reads its arrays by name (`captured_state.Reader.arrays`). What a graph has
captured besides, through a library or for one, is looked for in what the function holds: closures, `self`, and what
those lead to. Nothing of the user's is run to find it: no property, no `__getattr__`.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

NAMED = 24  # arrays of one function that are told of
LOOKED_AT = 2000  # objects on the way
DEEP = 5
ITEMS = 64  # of one container


def size_of(thing: Any) -> str | None:
    """``float32[40, 1]``; None for what has no known rank."""
    try:
        dtype = getattr(thing.dtype, "name", thing.dtype)
        return f"{dtype}{[None if size is None else int(size) for size in thing.shape]}"
    except (AttributeError, TypeError, ValueError):
        return None


def apart_from_rows(shape: Sequence[Any]) -> str:
    """The shape as it stays when rows are added: ``['n', 3]``, and ``['n', 'n']`` for each row with each."""
    return str(["n" if size == shape[0] else size for size in shape])


def describe_sizes(
    read: Mapping[str, Any], captured: Iterable[Any], roots: Iterable[tuple[str, Any]]
) -> dict[str, str]:
    """Path → size of what a function `read` by name, and of what else its graph `captured`, named from the `roots`."""
    known = {id(thing) for thing in read.values()}
    others = {id(thing): thing for thing in captured if id(thing) not in known}
    names = _name(others, roots) if others else {}
    sizes = {path: size_of(thing) for path, thing in read.items()}
    for number, (key, thing) in enumerate(others.items(), 1):
        size = size_of(thing)
        if key in names or size not in sizes.values():  # a copy of what was read: NumPy's becomes the framework's own
            sizes.setdefault(names.get(key, f"captured array {number}"), size)
    return {path: size for path, size in list(sizes.items())[:NAMED] if size is not None}


def roots_of(function: Any, instance: Any) -> Iterator[tuple[str, Any]]:
    """What a Python function and the object that it is bound to lead to."""
    if instance is not None:
        yield "self", instance
    if isinstance(function, types.FunctionType):
        yield from cells(function)


def _name(wanted: Mapping[int, Any], roots: Iterable[tuple[str, Any]]) -> dict[int, str]:
    found: dict[int, str] = {}
    queue = collections.deque((path, thing, 0) for path, thing in roots)
    seen: dict[int, Any] = {}  # held, so that no number is given twice
    while queue and len(seen) < LOOKED_AT and len(found) < len(wanted):
        path, thing, depth = queue.popleft()
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if id(thing) in wanted:
            found.setdefault(id(thing), path)
        elif depth < DEEP:
            queue.extend((longer, inner, depth + 1) for longer, inner in _inside(path, thing))
    return found


def _inside(path: str, thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, (types.ModuleType, type, str, bytes, int, float)) or thing is None:
        return
    if isinstance(thing, types.MethodType):
        yield path, thing.__self__
    elif isinstance(thing, types.FunctionType):
        yield from cells(thing)
    elif type(thing) in (list, tuple):
        yield from ((f"{path}[{index}]", item) for index, item in enumerate(thing[:ITEMS]))
    elif type(thing) is dict:
        yield from ((f"{path}[{key!r}]", item) for key, item in list(thing.items())[:ITEMS] if type(key) in (str, int))
    else:
        try:
            held = object.__getattribute__(thing, "__dict__")
        except AttributeError:
            return
        if type(held) is dict:
            yield from ((f"{path}.{name}", item) for name, item in list(held.items())[:ITEMS])


def cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            continue
