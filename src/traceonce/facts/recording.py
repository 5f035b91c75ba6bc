"""A run, as a file: written line by line while it happens, read back whole, merged.

On disk a recording is a log of JSON lines. Each process of the run opens a section with a `Header`; what follows
belongs to it. Lines are written as things happen, so a program that is killed loses at most the line it was writing.
The JSON report, and what `Recording.save` writes (one document with the same schema), can be read back too.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from traceonce.atomic_files import write_named
from traceonce.errors import RecordingError
from traceonce.facts.command_line import as_file, quoted
from traceonce.facts.damage import (
    child_file_left_out,
    ended_without_closing,
    line_cut_short,
    line_damaged,
    more_lines_damaged,
    more_notices,
)
from traceonce.facts.entries import (
    SCHEMA,
    Compiled,
    Entry,
    Excerpt,
    Exit,
    Finding,
    Header,
    Notice,
    Repair,
    decode_line,
    encode_plain,
)
from traceonce.facts.event import TraceEvent
from traceonce.facts.limit import Breach
from traceonce.facts.quantities import count_of, duration
from traceonce.facts.section import Section, each_once, lost_header
from traceonce.facts.shared_parts import Shared

AGAIN = "Record the run again with: traceonce run --recording FILE SCRIPT"
NOTICES = 50  # of a recording that are kept
DAMAGED = 10  # damaged lines that are named one by one
PART = ".part-"  # and the process number: the file of a child process, until the run is over


class Recording(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run, or several merged ones. `calls` counts them by process and function key; `at_least` has the keys of
    functions that may have been called more often.

    `complete` is False if the recording ends early, so that `seconds` reaches only to the last trace. `error` is the
    exception that ended the program, if any.
    """

    schema: str = SCHEMA
    environment: dict[str, str] = {}
    command: tuple[str, ...] = ()
    exit_code: int | None = None
    seconds: float = 0.0
    events: tuple[TraceEvent, ...] = ()
    calls: dict[str, dict[str, int]] = {}
    at_least: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    breaches: tuple[Breach, ...] = ()
    notices: tuple[Notice, ...] = ()
    cwd: str = ""
    started: float = 0.0
    runs: tuple[str, ...] = ()
    processes: int = 0
    forks: dict[str, str] = {}
    forked_at: dict[str, float] = {}
    complete: bool = True
    error: str | None = None
    excerpts: tuple[Excerpt, ...] = ()
    repairs: tuple[Repair, ...] = ()

    def __repr__(self) -> str:
        """In a line; the fields have the rest."""
        functions = len({(event.backend, event.function.key) for event in self.events})
        parts = [count_of(functions, "function"), count_of(len(self.events), "event"), duration(self.seconds)]
        return f"<traceonce.Recording: {', '.join(parts)}>"

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recording:
        """Read a recording, complete or damaged; `notices` describe the damage.

        Files that child processes left beside an unfinished recording (``NAME.part-<pid>``) are read with it.
        """
        file = Path(path)
        recording = cls.from_bytes(_read(file), str(file))
        parts = []
        for part in child_files(file):
            try:
                parts.append(cls.from_bytes(_read(part), str(part)))
            except RecordingError as error:
                notices = (*recording.notices, child_file_left_out(error))
                recording = msgspec.structs.replace(recording, notices=notices)
        return cls.merge([recording, *(part for part in parts if set(part.runs) & set(recording.runs))])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recording to a file, completely or not at all; `load` and ``traceonce report`` read it."""
        try:
            write_named(path, self.to_bytes())
        except OSError as error:
            raise RecordingError(f"{os.fspath(path)}: cannot be written: {error.strerror or error}.") from error

    def to_bytes(self) -> bytes:
        """The recording as one JSON document, for `from_bytes`."""
        return encode_plain(msgspec.structs.asdict(self)) + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "recording") -> Recording:
        """Read a recording from the bytes of a file called `name` (used in messages only)."""
        if not data.strip():
            again = quoted(["traceonce", "run", "--recording", as_file(name)])
            raise RecordingError(f"{name}: the file is empty. Record a run with: {again} …")
        document = _document(data, name)
        if document is not None:
            return document
        damage: list[Notice] = []
        return cls.from_entries(_read_lines(data, name, damage), damage, name)

    @classmethod
    def from_entries(
        cls, entries: Iterable[Entry], damage: Iterable[Notice] = (), name: str = "recording"
    ) -> Recording:
        """Combine the lines of a log, section by section."""
        runs: dict[str, _Run] = {}
        run: _Run | None = None
        unwritten: list[Notice] = []  # before any section: the line that stands for what could not be written
        for entry in entries:
            if isinstance(entry, Header):
                run = runs.setdefault(entry.run, _Run())
            if run is not None:
                run.add(entry)
            elif isinstance(entry, Notice):
                unwritten.append(entry)
        if not runs:
            raise RecordingError(
                f"{name}: has no readable header line, so it is not a recording (or no longer one). {AGAIN}"
            )
        merged = cls.merge([each.recording(bool(unwritten)) for each in runs.values()])
        notices = _bounded([*unwritten, *damage, *merged.notices])
        return msgspec.structs.replace(merged, notices=notices)

    @classmethod
    def merge(cls, recordings: Iterable[Recording]) -> Recording:
        """Merge recordings: those of one run side by side, those of different runs one after the other."""
        parts = _without_copies(recordings)
        if len(parts) == 1:
            return parts[0]
        separate = len({run for part in parts for run in part.runs}) > 1
        if separate:
            parts = [_label_processes(part, f"r{index}:") for index, part in enumerate(parts, 1)]
        codes = [part.exit_code for part in parts if part.exit_code is not None]
        return cls(
            environment=_join_environments(part.environment for part in parts),
            command=parts[0].command,
            exit_code=next((code for code in codes if code), codes[0] if codes else None),
            seconds=sum(part.seconds for part in parts) if separate else max(part.seconds for part in parts),
            events=tuple(sorted((e for part in parts for e in part.events), key=lambda e: e.start)),
            calls={process: counts for part in parts for process, counts in part.calls.items()},
            at_least=tuple(dict.fromkeys(key for part in parts for key in part.at_least)),
            findings=tuple(f for part in parts for f in part.findings),
            breaches=tuple(b for part in parts for b in part.breaches),
            notices=_bounded(n for part in parts for n in part.notices),
            cwd=parts[0].cwd,
            started=min(part.started for part in parts),
            runs=tuple(dict.fromkeys(run for part in parts for run in part.runs)),
            processes=sum(part.processes for part in parts),
            forks={child: parent for part in parts for child, parent in part.forks.items()},
            forked_at={child: clock for part in parts for child, clock in part.forked_at.items()},
            complete=all(part.complete for part in parts),
            error=next((part.error for part in parts if part.error), None),
            excerpts=tuple(dict.fromkeys(excerpt for part in parts for excerpt in part.excerpts)),
            repairs=tuple(repair for part in parts for repair in part.repairs),
        )


class _Run:
    """The lines of one run, being put together. A file may hold several: recordings were joined to one."""

    def __init__(self) -> None:
        self._sections: list[Section] = []
        self._ending: Exit | None = None
        self._beside: dict[Compiled | Excerpt | Repair, None] = {}  # each once, also where a file was joined to itself

    def add(self, entry: Entry) -> None:
        if isinstance(entry, Header):
            self._sections.append(Section(entry))
        elif isinstance(entry, Exit):
            self._ending = entry
        elif isinstance(entry, (Compiled, Excerpt, Repair)):
            self._beside[entry] = None
        else:
            section = self._sections[-1]
            if isinstance(entry, TraceEvent) and entry.id in section.events:  # another process; its header was damaged
                section = Section(lost_header(section.header))
                self._sections.append(section)
            section.add(entry)

    def recording(self, is_cut: bool) -> Recording:
        """`is_cut`: it is known that not all could be written, so that a missing end says nothing."""
        sections = each_once(self._sections)
        compilations = [entry for entry in self._beside if isinstance(entry, Compiled)]
        makers: dict[tuple[str | None, str], Section] = {}
        for section in sections:
            for graph in section.graphs if compilations else ():
                for process in (None, section.header.process):
                    makers.setdefault((process, graph), section)
        for compilation in compilations:  # graphs of different processes share names: it is one process's
            maker = makers.get((compilation.process, compilation.graph))
            if maker is not None:
                maker.compiled(compilation)
        return msgspec.structs.replace(
            _assemble(sections, self._ending, is_cut),
            excerpts=tuple(entry for entry in self._beside if isinstance(entry, Excerpt)),
            repairs=tuple(entry for entry in self._beside if isinstance(entry, Repair)),
        )


def _bounded(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Each once, and no more of them than somebody reads."""
    each = list(dict.fromkeys(notices))
    if len(each) <= NOTICES:
        return tuple(each)
    left_out = more_notices(len(each) - NOTICES, error=any(notice.error for notice in each[NOTICES:]))
    return (*each[:NOTICES], left_out)


def _assemble(sections: list[Section], ending: Exit | None, is_cut: bool) -> Recording:
    main = sections[0].header
    notices = [notice for section in sections for notice in section.notices]
    killed = [section.header.process for section in sections if section.end is None]
    if killed and not is_cut:
        notices.append(ended_without_closing(killed))
    last = max(section.last for section in sections)
    ended = next((section.end.seconds for section in sections if section.end), last - main.clock)
    return Recording(
        environment=_join_environments(_environments(sections)),
        command=main.command,
        exit_code=ending.code if ending else None,
        seconds=ending.seconds if ending else ended,
        events=tuple(sorted((e for s in sections for e in s.events.values()), key=lambda e: e.start)),
        calls={section.header.process: section.calls for section in sections if section.calls},
        at_least=tuple(dict.fromkeys(key for section in sections for key in section.at_least)),
        findings=tuple(finding for section in sections for finding in section.findings),
        breaches=tuple(breach for section in sections for breach in section.breaches),
        notices=tuple(notices),
        cwd=main.cwd,
        started=ending.began if ending is not None and ending.began is not None else main.clock,
        runs=tuple(dict.fromkeys(section.header.run for section in sections)),
        processes=len(sections),
        forks={s.header.process: s.header.forked_from for s in sections if s.header.forked_from},
        forked_at={s.header.process: s.header.forked_at for s in sections if s.header.forked_at},
        complete=ending is not None or sections[0].end is not None,
        error=next((section.end.error for section in sections if section.end and section.end.error), None),
    )


def _environments(sections: Iterable[Section]) -> Iterator[dict[str, str]]:
    """Of every process what it began with, then of all the libraries that were found to be traced."""
    kept = list(sections)
    yield from (section.header.environment for section in kept)
    yield from (section.end.libraries for section in kept if section.end is not None)


def _join_environments(environments: Iterable[dict[str, str]]) -> dict[str, str]:
    """What all processes had; the first has the say."""
    joined: dict[str, str] = {}
    for environment in environments:
        joined |= {key: value for key, value in environment.items() if key not in joined}
    return joined


def _without_copies(recordings: Iterable[Recording]) -> list[Recording]:
    """A run that is given twice (a recording and its own JSON report) counts once."""
    kept: dict[tuple[tuple[str, ...], frozenset[tuple[str, int]]], Recording] = {}
    for recording in recordings:
        events = frozenset((event.process, event.id) for event in recording.events)
        kept.setdefault((recording.runs, events) if recording.runs else ((str(len(kept)),), events), recording)
    return list(kept.values())


def _label_processes(recording: Recording, prefix: str) -> Recording:
    """Keep the process numbers of different runs apart."""
    replace = msgspec.structs.replace
    return replace(
        recording,
        events=tuple(replace(event, process=prefix + event.process) for event in recording.events),
        calls={prefix + process: counts for process, counts in recording.calls.items()},
        findings=tuple(replace(finding, process=prefix + finding.process) for finding in recording.findings),
        breaches=tuple(replace(breach, process=prefix + breach.process) for breach in recording.breaches),
        forks={prefix + child: prefix + parent for child, parent in recording.forks.items()},
        forked_at={prefix + child: clock for child, clock in recording.forked_at.items()},
    )


def child_files(file: Path) -> list[Path]:
    """The files that child processes of an unfinished run left beside it."""
    if not file.parent.is_dir():
        return []
    prefix = file.name + PART
    return sorted(
        other
        for other in file.parent.iterdir()
        if other.name.startswith(prefix) and other.name[len(prefix) :].isdigit()
    )


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise RecordingError(f"{file}: no such recording. `traceonce report --latest` shows the last one.") from None
    except IsADirectoryError:
        raise RecordingError(f"{file}: is a directory; name the recording file inside it.") from None
    except OSError as error:
        raise RecordingError(f"{file}: cannot be read: {error.strerror or error}.") from None


def _document(data: bytes, name: str) -> Recording | None:
    """The JSON report as one document, or None where the file is a log of lines."""
    if b'"entry":"header"' in data[:400] or data.lstrip().startswith(b'{"entry":'):
        return None
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    except RecursionError:
        raise RecordingError(f"{name}: is nested too deeply to be a recording. {AGAIN}") from None
    _check_schema(raw, name)
    try:
        return msgspec.convert(raw, Recording)
    except msgspec.ValidationError as error:
        raise RecordingError(f"{name}: is not a valid recording: {error}. {AGAIN}") from None


def _check_schema(raw: Any, name: str) -> None:
    schema = raw.get("schema") if isinstance(raw, dict) else None
    if schema == SCHEMA:
        return
    if isinstance(schema, str) and schema.startswith("traceonce.recording/"):
        raise RecordingError(
            f"{name}: field 'schema' is {schema!r}; this traceonce reads {SCHEMA!r}. "
            "Use the version that wrote it, or record again."
        )
    raise RecordingError(f"{name}: is not a traceonce recording (field 'schema' should be {SCHEMA!r}). {AGAIN}")


def _read_lines(data: bytes, name: str, damage: list[Notice]) -> Iterator[Entry]:
    """The lines one by one; what is wrong with others is added to `damage`."""
    damaged, first = 0, True
    shared = Shared()
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.strip():
            continue
        try:
            entry = decode_line(line)
        except (msgspec.DecodeError, msgspec.ValidationError, RecursionError, UnicodeDecodeError) as error:
            if first:
                raise RecordingError(
                    f"{name}: is not a traceonce recording (its first line is not a header). {AGAIN}"
                ) from None
            damaged += 1
            if not line.endswith(b"\n"):
                damage.append(line_cut_short(name, number))
            elif damaged <= DAMAGED:
                damage.append(line_damaged(name, number, error))
            continue
        first = False
        if isinstance(entry, Header):
            _check_schema({"schema": entry.schema}, name)
        if isinstance(entry, TraceEvent):
            shared.share(entry)
        yield entry
    if damaged > len(damage):
        damage.append(more_lines_damaged(name, damaged - len(damage)))
