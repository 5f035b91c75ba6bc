"""What the guards that failed look at, as it is now: attributes and globals that are no arguments.

PyTorch says what it expected (``self.step == 0``) and not what it found. Nothing of the user's is run to find out: no
property, no ``__getitem__``.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Iterable, Mapping
from typing import Any

from traceonce.frameworks.torch.guards.paths import CELL, variable_key
from traceonce.frameworks.torch.signatures import SIZED, describe_value

LOOKS = 32
_TOLD = (bool, int, float, str, list, tuple, dict, type(None))  # an argument like this is in the signature
_STEP = r"(?:\.\w+|\[(?:\d+|'[^']*')\])"
_PATH = re.compile(rf"(?:G\['\w+'\]|\b[A-Za-z_]\w*){_STEP}*")
_STEPS = re.compile(r"\.(\w+)|\[(\d+)\]|\['([^']*)'\]")


def guard_text(reason: str) -> str:
    """The guard itself, without the line of source and the hints that PyTorch adds."""
    return reason.split("\nUser stack")[0].split("  #")[0].strip()


def look(torch: Any, reasons: Iterable[str], values: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, str]:
    """What stands at each path that the reasons name, by the text of the path."""
    found: dict[str, str] = {}
    for reason in reasons:
        for match in _PATH.finditer(guard_text(reason)):
            path = match.group()
            if path in found or len(found) >= LOOKS:
                continue
            try:
                thing = _follow(torch, path, values, names)
            except LookupError:
                continue
            if path in values and isinstance(thing, _TOLD):
                continue
            if isinstance(thing, SIZED):
                found[f"len({path})"] = str(len(thing))
            found |= _closed_over(path, values, names, torch)
            found[path] = describe_value(torch, thing)
            found[f"type({path})"] = type(thing).__qualname__
    return found


def _closed_over(path: str, values: Mapping[str, Any], names: Mapping[str, Any], torch: Any) -> dict[str, str]:
    """The names of the variables on a path: PyTorch numbers the cells of a function."""
    found: dict[str, str] = {}
    for cell in CELL.finditer(path):
        function = _follow(torch, path[: cell.start()], values, names)
        code = getattr(function, "__code__", None)
        if isinstance(code, types.CodeType) and int(cell[1]) < len(code.co_freevars):
            found[variable_key(path[: cell.end()])] = code.co_freevars[int(cell[1])]
    return found


def _follow(torch: Any, path: str, values: Mapping[str, Any], names: Mapping[str, Any]) -> Any:
    if path.startswith("G['"):
        root, _, rest = path[3:].partition("']")
        thing = names[root]
    else:
        root = re.match(r"\w+", path).group()  # type: ignore[union-attr]  # the pattern begins so
        thing, rest = values[root], path[len(root) :]
    for step in _STEPS.finditer(rest):
        attribute, index, key = step.groups()
        if attribute is not None:
            thing = _attribute(torch, thing, attribute)
        elif isinstance(thing, dict):
            thing = dict.__getitem__(thing, key if index is None else int(index))
        elif index is not None and isinstance(thing, (list, tuple)):
            thing = _item(thing, int(index))
        else:
            raise LookupError(path)
    return thing


def _item(sequence: list[Any] | tuple[Any, ...], index: int) -> Any:
    if isinstance(sequence, list):
        return list.__getitem__(sequence, index)
    return tuple.__getitem__(sequence, index)


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        raise LookupError("cell_contents") from None


def _attribute(torch: Any, thing: Any, name: str) -> Any:
    if isinstance(thing, (types.FunctionType, types.MethodType)) and name in ("__code__", "__closure__"):
        return getattr(thing, name)
    if isinstance(thing, types.CellType) and name == "cell_contents":
        return _contents(thing)
    if type(thing) is functools.partial and name in ("func", "args", "keywords"):
        return getattr(thing, name)
    if isinstance(thing, torch.Tensor):
        raise LookupError(name)
    own = getattr(thing, "__dict__", {})
    if name == "__dict__":
        return own
    places = [own, *(own.get(part) or {} for part in ("_parameters", "_buffers", "_modules"))]
    for place in places:
        if isinstance(place, dict) and name in place:
            return place[name]
    try:
        found = inspect.getattr_static(thing, name)
    except AttributeError:
        raise LookupError(name) from None
    if hasattr(type(found), "__get__") and not isinstance(found, types.FunctionType):
        raise LookupError(name)  # a property, a slot: to read it could run code of the user's
    return found
