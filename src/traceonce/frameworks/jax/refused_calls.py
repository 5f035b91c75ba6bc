"""Calls that JAX refuses before it asks for a trace: a static argument has no hash.

JAX hashes it in C++, where no hook is. Who sees such a call all the same: a replay, whose proxies make every call, and,
from Python 3.12 on, a listener of the errors that are raised (`sys.monitoring`), which costs a call nothing. The
latter knows the line and the function that is called there, and not what it was called with.
"""

from __future__ import annotations

import dis
import functools
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from traceonce.frameworks.base.captured_state import attribute_of
from traceonce.frameworks.jax.own_files import JaxPlaces

_REFUSAL = "Non-hashable static arguments"
_TOOLS = (3, 4)  # those that Python has given to nobody
_OF_THE_CALL = ("PUSH_NULL", "NOP", "RESUME", "KW_NAMES", "LOAD_CONST")  # where a call begins, and load no name


class Refused(NamedTuple):
    """The function that was jitted, with its options, what it was called with, and what was raised."""

    function: Any
    info: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    error: BaseException


# The watchers that want to be told by a replay.
LISTENERS: list[Callable[[Refused], None]] = []


def tell(refused: Refused) -> None:
    if is_refusal(refused.error):
        for listener in LISTENERS:
            listener(refused)


def is_refusal(error: BaseException) -> bool:
    """Was it raised by a call itself? One that was raised inside of JAX's Python has been told of there."""
    if type(error) is not ValueError or not str(error).startswith(_REFUSAL):
        return False
    return all(frame.f_code.co_name != "cache_miss" for frame, _ in traceback.walk_tb(error.__traceback__))


class RaisedErrors:
    """Listens to the errors that are raised; `told` gets the function that was jitted, and the error."""

    def __init__(
        self, places: JaxPlaces, told: Callable[[Any, BaseException], None], problem: Callable[[Exception], None]
    ) -> None:
        self._places = places
        self._told = told
        self._problem = problem
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._tool: int | None = None

    def start(self) -> None:
        free = (tool for tool in _TOOLS if self._monitoring is not None and self._monitoring.get_tool(tool) is None)
        self._tool = next(free, None)
        if self._tool is not None:
            self._monitoring.use_tool_id(self._tool, "traceonce")
            self._monitoring.register_callback(self._tool, self._monitoring.events.RAISE, self._raised)
            self._monitoring.set_events(self._tool, self._monitoring.events.RAISE)

    def stop(self) -> None:
        if self._tool is not None:
            self._monitoring.set_events(self._tool, 0)
            self._monitoring.register_callback(self._tool, self._monitoring.events.RAISE, None)
            self._monitoring.free_tool_id(self._tool)
            self._tool = None

    def _raised(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        trace = error.__traceback__
        if type(error) is not ValueError or (trace is not None and trace.tb_next is not None):  # raised further in
            return
        try:
            if is_refusal(error) and not self._places.is_framework(code.co_filename):
                jitted = find_called(sys._getframe(1), offset)
                if jitted is not None:
                    self._told(jitted, error)
        except Exception as problem:  # Python would raise it in the program
            self._problem(problem)


def find_called(frame: types.FrameType, offset: int) -> Any:
    """The Python function that is jitted and called at this place of a frame; None where the code does not name it."""
    positions = list(frame.f_code.co_positions())  # type: ignore[attr-defined, unused-ignore]  # from 3.11 on
    start = positions[offset // 2][0], positions[offset // 2][2]
    found: Any = None
    for instruction in dis.get_instructions(frame.f_code):
        place = positions[instruction.offset // 2]
        if instruction.offset >= offset:
            break
        if (place[0], place[2]) != start or instruction.opname in _OF_THE_CALL:
            continue
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            found = attribute_of(found, str(instruction.argval))
        elif instruction.opname.startswith("LOAD_"):
            found = _named(frame, instruction.argval)
        else:  # what is called there is what something else returns
            return None
    while isinstance(found, functools.partial):
        found = found.func
    if type(found).__module__.startswith("traceonce."):  # a proxy of a replay, which tells of it by itself
        return None
    return getattr(found, "__wrapped__", None) if hasattr(type(found), "lower") else None


def _named(frame: types.FrameType, name: Any) -> Any:
    local = frame.f_locals
    return local[name] if name in local else frame.f_globals.get(name)
