"""Where functions were made: the user's own line that wrapped one, or had a library do so; and what they call it."""

from __future__ import annotations

import ast
import linecache
import textwrap
import types
import weakref
from typing import Any

from traceonce.facts import CallSite, Frame
from traceonce.frameworks.base.places import Places, is_generated

FRAMES = 80  # walked, at most, to the user's line
DECORATORS = 3  # frames of a library from the user's line on, in which a method is looked for


class MadePlaces:
    """Remembers it for each object that a framework makes, as long as that lives. A call never comes here."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._made: dict[int, tuple[weakref.ref[Any], CallSite | None, str | None]] = {}

    def note(self, thing: Any, caller: types.FrameType | None) -> None:
        """`thing` is being made, on behalf of `caller`."""
        self.set(thing, *self._site(caller))

    def set(self, thing: Any, site: CallSite | None, given: str | None = None) -> None:
        key, made = id(thing), self._made
        try:
            made[key] = weakref.ref(thing, lambda _: made.pop(key, None)), site, given
        except TypeError:  # it cannot be weakly referenced
            return

    def of(self, thing: Any) -> CallSite | None:
        return self._find(thing)[0]

    def given(self, thing: Any) -> str | None:
        """What was given to be compiled, as it is written there: ``optimizer.step``, of `compile(optimizer.step)`."""
        return self._find(thing)[1]

    def _find(self, thing: Any) -> tuple[CallSite | None, str | None]:
        reference, site, given = self._made.get(id(thing), (None, None, None))
        return (site, given) if reference is not None and reference() is thing else (None, None)

    def _site(self, frame: types.FrameType | None) -> tuple[CallSite | None, str | None]:
        frames: list[Frame] = []
        while frame is not None and len(frames) < FRAMES:
            if is_generated(frame):
                frame = frame.f_back
                continue
            frames.append(Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
            if self._places.is_user(frames[-1].file):
                call = _call(frame)
                given = _dotted(call.args[0]) if call is not None and call.args else None
                return self._places.call_site(frames[::-1]), given
            frame = frame.f_back
        return None, None


def called_by_user(places: Places, frame: types.FrameType | None) -> str | None:
    """What the user's own last line calls, as it is written there, and the class of the object of a library:
    ``model.fit (Sequential)``. None where its source cannot be read."""
    between: list[types.FrameType] = []  # of libraries, the one that the user calls last
    through = False
    while frame is not None and (is_generated(frame) or not places.is_user(frame.f_code.co_filename)):
        through = True
        if not places.is_framework(frame.f_code.co_filename):
            between.append(frame)
        frame = frame.f_back
    call = _call(frame) if frame is not None and through else None
    name = _dotted(call.func) if call is not None else None
    if name is None:
        return None
    methods = (each for each in reversed(between[-DECORATORS:]) if "self" in each.f_locals)
    method = next(methods, None)
    return with_class(name, method.f_locals["self"]) if method is not None else name


def with_class(name: str, thing: Any) -> str:
    """``model.fit (Sequential)``"""
    known = type(thing).__name__
    return name if known in name else f"{name} ({known})"


def _dotted(node: ast.expr) -> str | None:
    """``optimizer.step``, ``Scipy().minimize``: as it is written, without what was passed on the way."""
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.Attribute):
        return None
    called = isinstance(node.value, ast.Call)
    inside = _dotted(node.value.func if isinstance(node.value, ast.Call) else node.value)
    return f"{inside}{'()' * called}.{node.attr}" if inside is not None else None


def _call(frame: types.FrameType) -> ast.Call | None:
    """The call that a frame is making, as it is written."""
    positions = getattr(frame.f_code, "co_positions", None)  # from Python 3.11 on
    if positions is None:
        return None
    wanted = frame.f_lasti // 2
    found = next((each for number, each in enumerate(positions()) if number == wanted), None)
    if found is None or None in found:
        return _only_call(frame)
    line, end_line, column, end_column = found
    lines = [linecache.getline(frame.f_code.co_filename, number) for number in range(line, end_line + 1)]
    raw = [text.encode() for text in lines]
    if not all(raw):
        return None
    raw[-1] = raw[-1][:end_column]
    raw[0] = raw[0][column:]
    try:
        tree = ast.parse(textwrap.dedent(b"".join(raw).decode()), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return tree if isinstance(tree, ast.Call) else None


def _only_call(frame: types.FrameType) -> ast.Call | None:
    """Code that was made of bytecode knows lines alone: what a line calls is clear where that is all it does."""
    try:
        (statement,) = ast.parse(linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()).body
    except (SyntaxError, ValueError):
        return None
    value = getattr(statement, "value", None)
    return value if isinstance(value, ast.Call) else None
