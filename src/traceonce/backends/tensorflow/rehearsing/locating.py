"""Where in the user's source is it? From a frame to a line, and to the exact expression that is being evaluated."""

from __future__ import annotations

import itertools
import types
from typing import Any, NamedTuple

from traceonce.backends.places import GENERATED, Places
from traceonce.facts.rehearsal import Span


class Place(NamedTuple):
    """A line of the user's. `direct` says that no library stands between it and TensorFlow."""

    file: str
    line: int
    scope: str
    span: Span | None
    direct: bool


class Locator:
    """Finds places. Spans are remembered: telling one costs as much as the function around it is long."""

    def __init__(self, places: Places, tf_stack: Any) -> None:
        self._places = places
        self._tf_stack = tf_stack
        self._spans: dict[tuple[int, int], tuple[types.CodeType, Span | None]] = {}

    def locate(self, frame: types.FrameType | None) -> Place | None:
        """The user's own last line, seen from `frame` outwards."""
        direct = True
        while frame is not None:
            file = frame.f_code.co_filename
            if GENERATED in file:
                return self._mapped()
            if self._places.is_user(file):
                scope = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)  # 3.10 knows the short name only
                return Place(self._places.shorten(file), frame.f_lineno, scope, self._span(frame), direct)
            direct = direct and self._places.is_framework(file)
            frame = frame.f_back
        return None

    def _mapped(self) -> Place | None:
        """Inside code that AutoGraph generated: TensorFlow knows the line that it was made from, but no columns."""
        direct = True
        for frame in reversed(self._tf_stack.extract_stack()):
            if self._places.is_user(frame.filename):
                return Place(self._places.shorten(frame.filename), frame.lineno, frame.name, None, direct)
            direct = direct and self._places.is_framework(frame.filename)
        return None

    def _span(self, frame: types.FrameType) -> Span | None:
        code, instruction = frame.f_code, frame.f_lasti // 2
        known = self._spans.get((id(code), instruction))
        if known is None:
            known = self._spans[id(code), instruction] = code, _span_of(code, instruction)
        return known[1]


def _span_of(code: types.CodeType, instruction: int) -> Span | None:
    positions = getattr(code, "co_positions", None)  # from 3.11 on
    found = next(itertools.islice(positions(), instruction, None), None) if positions else None
    if found is None or None in found:  # Python can be told to leave columns out
        return None
    line, end_line, column, end_column = found
    return Span(line, column, end_line, end_column)
