"""Functions that belong under one line of the user's: what one wrapper had compiled, or one call of a library.

A framework may compile what a compiled function calls by itself after a graph break, and a library makes several
functions for one call. To the user those are one thing: the first, or the one that was compiled there, stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traceonce.facts import Diagnosis


class Together(NamedTuple):
    """The function that stands for all, and those inside of it."""

    head: Diagnosis
    parts: tuple[Diagnosis, ...] = ()


def bring_together(diagnoses: Sequence[Diagnosis]) -> list[Together]:
    """In the order of the first of each. A function of the user's own stands by itself where it has none inside."""
    divided = {_line(diagnosis) for diagnosis in diagnoses if diagnosis.inner}
    lines: dict[object, list[Diagnosis]] = {}
    for number, diagnosis in enumerate(diagnoses):
        line = _line(diagnosis)
        shared = line is not None and (diagnosis.function.library or line in divided)
        lines.setdefault(line if shared else number, []).append(diagnosis)
    found = []
    for same in lines.values():
        head = next((diagnosis for diagnosis in same if not diagnosis.inner), same[0])
        found.append(Together(head, tuple(diagnosis for diagnosis in same if diagnosis is not head)))
    return found


def _line(diagnosis: Diagnosis) -> tuple[str, str, int] | None:
    made = diagnosis.made_at
    return (diagnosis.backend, made.file, made.line) if made is not None else None
