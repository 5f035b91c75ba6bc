"""What the homes of the frameworks say of causes is run: each example has its cause, at its place, with its record."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path

import traceonce
from traceonce.causes.example import Example
from traceonce.diagnosis import diagnose, explain_events
from traceonce.facts import CauseCode
from traceonce.frameworks.base.registry import framework_of
from traceonce.knowledge.cause_records import link_records

Seen = tuple[str, str, str]  # code, path, record


def examples_that_fail(framework: str, folder: Path, *left_out: CauseCode) -> list[tuple[Seen, list[Seen]]]:
    """What each example promises and does not keep, and what was seen instead."""
    wrong = []
    for code, example in framework_of(framework).examples.items():
        if code not in left_out:
            promised, seen = (code.value, example.path, example.record), list(_seen_in(example, folder / "example.py"))
            if promised not in seen:
                wrong.append((promised, seen))
    return wrong


def _seen_in(example: Example, file: Path) -> Iterator[Seen]:
    file.write_text(example.program)
    with traceonce.watch() as seen:
        runpy.run_path(str(file))
    for diagnosis in link_records(diagnose(seen.recording)):
        for cause in diagnosis.causes:
            yield from ((cause.code.value, cause.path, name.partition("/")[2]) for name in diagnosis.records or [""])
    for event, causes, *_ in explain_events(seen.recording):  # what happens once, and is no cause of a retrace
        yield from ((cause.code.value, cause.path, "") for cause in causes if event.phase == "internal")
        if event.kind == "backward":
            yield event.kind, event.function.name, ""
