"""A record to be checked, and what it has to agree with: its file, its base, its experiment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from traceonce.errors import RecordError
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.experiment import Experiment
from traceonce.knowledge.provenance import Provenance
from traceonce.knowledge.record import Evidence, Record
from traceonce.knowledge.validation.problem import Level, Problem, file_name

MODULE = re.compile(r"[A-Za-z0-9_]+/[A-Za-z0-9_]+\.py")  # below experiments/


class Base:
    """The records that a record stands among."""

    def __init__(self, folder: Path) -> None:
        self.collection = Collection(folder)

    @cached_property
    def records(self) -> dict[str, Record]:
        """All that can be read, by the id that their path gives them; the others are reported as files of their own."""
        found = {}
        for name, path in self.collection.paths.items():
            try:
                found[name] = Record.load(path)
            except (RecordError, ValueError):
                continue
        return found


class RecordCase:
    """What a rule looks at.

    `at_home`: the file lies in the records/ of its base. `together`: the ids of all that are checked with it.
    """

    def __init__(
        self,
        record: Record,
        file: Path,
        base: Base,
        *,
        at_home: bool,
        together: frozenset[str] = frozenset(),
        provenance: Provenance | None = None,
    ) -> None:
        self.record, self.file, self.base = record, file, base
        self.at_home, self.together, self.provenance = at_home, together, provenance

    def problem(self, rule: str, field: str, what: str, remedy: str, level: Level = "error") -> Problem:
        return Problem(file=file_name(self.file), field=field, what=what, remedy=remedy, rule=rule, level=level)

    @property
    def evidence(self) -> Iterator[tuple[str, Evidence]]:
        """Every piece of evidence, with its place."""
        of_claims = ((f"{at}.evidence", item.evidence) for at, item in self.record.claims)
        for at, pieces in [("evidence", self.record.evidence), *of_claims]:
            yield from ((f"{at}[{number}]", piece) for number, piece in enumerate(pieces))

    @cached_property
    def experiment(self) -> Experiment | RecordError | None:
        """The experiment that the record names; the error where it cannot be read; None where it names no module."""
        if not MODULE.fullmatch(self.record.experiment or ""):
            return None
        try:
            return self.base.collection.experiment_of(self.record)
        except RecordError as error:
            return error
