"""Take records over from files in either form: all of a file, or nothing of it; nothing is overwritten unasked."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from traceonce.atomic_files import atomic_write_all
from traceonce.errors import RecordError
from traceonce.knowledge.exchange import IN_FLAT, Converted, check_id, convert, form_of, to_nested
from traceonce.knowledge.json_files import naming, parse_json, read_text
from traceonce.knowledge.open_struct import Open
from traceonce.knowledge.record import Record


class Admitted(NamedTuple):
    """What became of one file: the records written (or to be written), the fields, and why something was refused."""

    file: Path
    written: list[tuple[str, Path]]
    mapped: list[str]
    kept: list[str]
    refused: list[str]


def read_documents(path: Path) -> list[tuple[str, Any]]:
    """The records in a file, each with its place: one object, a list of them, or one in each line."""
    with naming(path):
        text = read_text(path)
    try:
        data = _parse(text)
    except RecordError as error:
        lines = [(f"{path}:{number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].rstrip().endswith("}"):
            raise RecordError(f"{path}: {error}") from None
        return [(place, _parse_line(line, place)) for place, line in lines]
    if isinstance(data, list):
        return [(f"{path}: record {number}", item) for number, item in enumerate(data, 1)]
    return [(str(path), data)]


def _parse_line(line: str, place: str) -> Any:
    with naming(place):
        return _parse(line)


def _parse(text: str) -> Any:
    """JSON that could be written again as it was."""
    data, repeated = parse_json(text)
    if repeated:
        raise RecordError(f"has the field {repeated[0]!r} twice in one object; keep one of them.")
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise RecordError("holds half of a character (a lone surrogate); correct it.") from None
    except ValueError as error:
        raise RecordError(f"holds a number that is out of range ({error}); correct it.") from None
    return data


class Importer:
    """Takes records over into a base: a folder with ``records/<domain>/<slug>.json``."""

    def __init__(self, base: Path, *, force: bool = False, dry_run: bool = False) -> None:
        self.base, self.force, self.dry_run = base, force, dry_run
        self._planned: dict[Path, str] = {}  # files of this import, and the ids in the nested form

    def take(self, file: Path) -> Admitted:
        """All records of a file, or none."""
        try:
            documents = read_documents(file)
        except RecordError as error:
            return Admitted(file, [], [], [], [str(error)])
        contents: dict[Path, str] = {}
        identities: dict[Path, str] = {}
        ids: list[tuple[str, Path]] = []
        mapped: set[str] = set()
        kept: set[str] = set()
        refused: list[str] = []
        for place, data in documents:
            try:
                converted, record, path = self._place(data, {**self._planned, **identities})
            except RecordError as error:
                refused.append(f"{place}: {error}")
                continue
            mapped |= {*converted.mapped}
            kept |= {*converted.kept, *unknown_fields(record)}
            contents[path] = record.to_json()
            identities[path] = _identity(converted.record)
            ids.append((record.id, path))
        if not documents:
            refused.append(f"{file}: contains no record.")
        if not refused and not self.dry_run:
            try:
                write_all(contents, overwrite=self.force)
            except RecordError as error:
                refused.append(f"{file}: {error}")
        if refused:
            return Admitted(file, [], sorted(mapped), sorted(kept), refused)
        self._planned |= identities
        return Admitted(file, ids, sorted(mapped), sorted(kept), [])

    def _place(self, data: Any, planned: dict[Path, str]) -> tuple[Converted, Record, Path]:
        """A record in our form, checked, and the file that it goes to."""
        form = form_of(data)
        converted = convert(data, "flat")
        path = self._path(converted.record)
        taken_by = self._taken_by(path, planned)
        if form == "nested" and taken_by not in (None, data.get("id")):
            converted = convert(data, "flat", name_environment=True)
            path = self._path(converted.record)
            taken_by = self._taken_by(path, planned)
        if path in planned:
            raise RecordError(f"id: {converted.record['id']!r} occurs twice in the import; rename one.")
        if taken_by is not None and not self.force:
            raise RecordError(f"id: {converted.record['id']!r}: {path} already exists; use --force to replace it.")
        return converted, Record.read(converted.record), path

    def _path(self, record: dict[str, Any]) -> Path:
        domain, slug = check_id(record.get("id")).split("/")
        return self.base / "records" / domain / f"{slug}.json"

    def _taken_by(self, path: Path, planned: dict[Path, str]) -> str | None:
        """The id, in the nested form, of the record that has this file; None where it is free."""
        if path in planned:
            return planned[path]
        if not path.exists():
            return None
        with contextlib.suppress(RecordError):
            return _identity(Record.load(path).plain())
        return ""


def _identity(flat: dict[str, Any]) -> str:
    return str(to_nested(flat).get("id"))


def unknown_fields(record: Record) -> Iterator[str]:
    """The fields that a record has and we know nothing of."""
    yield from (name for name in record.other if name != IN_FLAT)
    parts: list[tuple[str, Sequence[Open]]] = [
        ("workarounds[]", record.workarounds),
        ("dead_ends[]", record.dead_ends),
        ("versions[]", record.versions),
        ("transition_graph", [record.transition_graph]),
    ]
    yield from (f"{name}.{field}" for name, items in parts for item in items for field in item.other)


def write_all(contents: dict[Path, str], *, overwrite: bool) -> None:
    """Write all of these files, or leave everything as it was."""
    try:
        for path in contents:
            path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write_all({path: text.encode() for path, text in contents.items()}, replace=overwrite)
    except OSError as error:
        raise RecordError(f"{error.filename}: cannot be written ({error.strerror or error}).") from None
