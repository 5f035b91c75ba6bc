"""All records of a base: a folder with ``records/<domain>/<slug>.json`` and ``experiments/<domain>/<module>.py``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from traceonce.errors import RecordError
from traceonce.frameworks.base.registry import known_frameworks
from traceonce.knowledge.experiment import Experiment
from traceonce.knowledge.record import Record

OURS = Path(__file__).parent


def bases_of_frameworks() -> list[Path]:
    """Where a package names a folder without records, it brings none."""
    named = [Path(framework.records) for framework in known_frameworks() if framework.records is not None]
    return [base for base in named if (base / "records").is_dir()]


class Collection:
    """A base of records, read when they are asked for. With `more` bases, theirs come before those of the same id.

    Ours comes with the records of frameworks that other packages bring.
    """

    def __init__(self, folder: Path = OURS, *more: Path) -> None:
        self.folder = folder
        self.paths: dict[str, Path] = {}
        brought = bases_of_frameworks() if folder == OURS else []
        for base in (folder, *brought, *more):
            if not (base / "records").is_dir():
                raise RecordError(f"{base}: has no folder records/; put records into records/<domain>/*.json.")
            self.paths |= {f"{path.parent.name}/{path.stem}": path for path in sorted(base.glob("records/*/*.json"))}

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[Record]:
        return (Record.load(path) for path in self.paths.values())

    def __contains__(self, id: object) -> bool:
        return id in self.paths

    def find(self, id: str) -> Record:
        """The record with this id; the part before the slash may be left out where that is clear."""
        return Record.load(self.paths[self.complete_id(id)])

    def complete_id(self, id: str) -> str:
        if id in self.paths:
            return id
        found = [known for known in self.paths if known.partition("/")[2] == id]
        if len(found) == 1:
            return found[0]
        if found:
            raise RecordError(f"{id!r} matches several records: {', '.join(found)}. Use one of these.")
        names = {name: known for known in self.paths for name in (known, known.partition("/")[2])}
        near = dict.fromkeys(names[name] for name in difflib.get_close_matches(id, names, n=3, cutoff=0.5))
        hint = f" Did you mean {', '.join(near)}?" if near else " See: traceonce knowledge list"
        raise RecordError(f"there is no record {id!r}.{hint}")

    def experiment_of(self, record: Record) -> Experiment:
        """The experiment that a record names."""
        if not record.experiment:
            raise RecordError(f"{record.id}: the field 'experiment' is empty; name the module that runs its claims.")
        path = (self.folder / "experiments" / record.experiment).resolve()
        if not path.is_relative_to((self.folder / "experiments").resolve()):
            raise RecordError(
                f"{record.id}: experiment {record.experiment!r} lies outside of experiments/; move it there."
            )
        return Experiment.read(path)
