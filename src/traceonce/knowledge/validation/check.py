"""Check files together: what they name of each other is looked up once, and so is what they quote."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from traceonce.errors import RecordError
from traceonce.knowledge.collection import OURS
from traceonce.knowledge.json_files import parse_json, read_text
from traceonce.knowledge.provenance import Progress, Provenance, look_up
from traceonce.knowledge.record import Record
from traceonce.knowledge.validation.expressions import why_refused
from traceonce.knowledge.validation.form import check_form
from traceonce.knowledge.validation.problem import CheckedFile, Problem, file_name
from traceonce.knowledge.validation.record_case import Base, RecordCase
from traceonce.knowledge.validation.rules import apply_rules

_HALTED = "the other rules were not applied"


def check_files(
    files: Sequence[Path], *, provenance: bool = True, progress: Progress | None = None
) -> list[CheckedFile]:
    """What is wrong with each of these files. Nothing that a file holds stops the others from being checked."""
    read = [_read(file) for file in files]
    records = [record for record, _ in read if isinstance(record, Record)]
    findings = iter(_look_up(records, progress) if provenance else [None] * len(records))
    together = frozenset(record.id for record in records)
    bases: dict[Path, Base] = {}
    checked = []
    for file, (record, result) in zip(files, read, strict=True):
        if record is not None:
            home = home_of(file)
            folder = home or OURS
            base = bases.setdefault(folder, bases.get(folder) or Base(folder))
            at_home = home is not None
            case = RecordCase(record, file, base, at_home=at_home, together=together, provenance=next(findings))
            result.problems.extend(apply_rules(case))
        checked.append(result)
    return checked


def home_of(file: Path) -> Path | None:
    """The base that a file lies in: the folder that has the records/ above it."""
    parents = file.resolve().parents
    return next((parent.parent for parent in parents[:2] if parent.name == "records"), None)


def _look_up(records: list[Record], progress: Progress | None) -> list[Provenance | None]:
    usable = [bool(record.regex) and not why_refused(record.regex) for record in records]
    found = iter(look_up(itertools.compress(records, usable), progress))
    return [next(found) if use else None for use in usable]


def _read(file: Path) -> tuple[Record | None, CheckedFile]:
    try:
        document = parse_json(read_text(file))
    except RecordError as error:
        what, _, remedy = str(error).rstrip(".").rpartition("; ")
        remedy = remedy[:1].upper() + remedy[1:]
        problem = Problem(file=file_name(file), field="the file", what=what, remedy=remedy, rule="file")
        return None, CheckedFile(file, [problem], unreadable=True)
    record, problems = check_form(document.data, document.repeated, file_name(file))
    if record is None:
        remedy = "Correct the form first"
        note = Problem(
            file=file_name(file), field="the document", what=_HALTED, remedy=remedy, rule="form", level="note"
        )
        problems.append(note)
    return record, CheckedFile(file, problems)
