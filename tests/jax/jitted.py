"""What tests want to know of a watch over jitted functions, in one line; without fixes, which take longer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import traceonce
from traceonce.diagnosis import diagnose
from traceonce.facts import Diagnosis


def only(seen: traceonce.Watch) -> Diagnosis:
    """The diagnosis of the one function that was traced, if nothing went wrong on our side."""
    assert [notice.text for notice in seen.recording.notices if notice.error] == []
    diagnoses = diagnose(seen.recording)
    assert len(diagnoses) == 1, [d.function.name for d in diagnoses]
    return diagnoses[0]


def named(seen: traceonce.Watch, name: str) -> Diagnosis:
    (found,) = [d for d in diagnose(seen.recording) if d.function.is_called(name)]
    return found


def causes(diagnosis: Diagnosis) -> list[tuple[str, str, str, str, int]]:
    """Code, path, was, now and count of each cause."""
    return [(c.code.value, c.path, c.was, c.now, c.count) for c in diagnosis.causes]


def why(call: Callable[[], Any]) -> list[tuple[str, str, str, str, int]]:
    """The causes in the one function that is traced by this."""
    with traceonce.watch() as seen:
        call()
    return causes(only(seen))


def line_of(text: str) -> int:
    """The line of the caller's file that ends in this comment."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    with open(frame.f_back.f_code.co_filename, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}"))
