"""The user's own recordings, where `traceonce run` puts them, for whoever asks `Questions` on this machine."""

from __future__ import annotations

import datetime
import hashlib
import os
import stat
from pathlib import Path

import msgspec

from traceonce.errors import UsageError
from traceonce.facts import Recording
from traceonce.facts.command_line import as_file, quoted
from traceonce.facts.recording import child_files
from traceonce.observe.shelf import latest_recording, recordings_folder
from traceonce.serve.cache import Cache
from traceonce.serve.describing import describe_recording
from traceonce.serve.mcp.answers import LATEST, Run
from traceonce.serve.models import RecordingList, Summary
from traceonce.serve.queries import Upload, understand
from traceonce.serve.refusals import NotFoundError, TooLargeError

LARGEST = 512 << 20  # bytes of a recording
KEPT = 64 << 20  # bytes of recordings of which is kept what was found in them
NAMED = 5  # recordings, where one was asked for that is not there


class LocalRecordings:
    """Recordings in files, each named by its file in the user's folder, or by a path to another one.

    They are only read: `traceonce run` makes them, and drops the oldest.
    """

    def __init__(self) -> None:
        self._understood: Cache[Run] = Cache(KEPT, lambda run: len(run.material.recording.events) * 1_000)

    def look_up(self, reference: str) -> Run:
        """The recording that somebody means, under a name that means the same one later."""
        path = latest_recording() if reference == LATEST else _find(reference)
        return self._understood.get(_state(path), lambda: Run(_name_of(path), understand(_read(path), str(path))))

    def find(self, sha256: str) -> Summary | None:
        return None

    def add(self, upload: Upload) -> tuple[Summary, bool]:
        raise UsageError("recordings are not uploaded here; make one with: traceonce run SCRIPT")

    def delete(self, id: str) -> None:
        raise UsageError("recordings are not deleted here; they are files of the user.")

    def page(self, search: str, limit: int, offset: int) -> RecordingList:
        """Those in the user's folder whose name has all the words, the newest first."""
        words = search.casefold().split()
        names = [name for name in _newest_first() if all(word in name.casefold() for word in words)]
        chosen = names[offset : offset + limit]
        return RecordingList(total=len(names), recordings=[self.summary(name) for name in chosen])

    def summary(self, id: str) -> Summary:
        name, material = self.look_up(id)
        path = _find(name)
        written = datetime.datetime.fromtimestamp(_check(path).st_mtime, datetime.timezone.utc)
        data = _read(path)
        return Summary(
            id=name,
            uploaded=written.isoformat(timespec="microseconds"),
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            **describe_recording(material.recording, material.diagnoses, path.name).model_dump(),
        )

    def raw(self, id: str) -> bytes:
        return _read(latest_recording() if id == LATEST else _find(id))


def _find(reference: str) -> Path:
    inside = recordings_folder() / reference
    is_name = Path(reference).name == reference
    for path in [*([inside, inside.with_name(f"{reference}.jsonl")] if is_name else []), Path(reference).expanduser()]:
        try:
            if path.exists():
                return path
        except (OSError, ValueError):  # a name that is too long, or has NUL in it
            continue
    names = _newest_first()[:NAMED]
    there = f"The newest there: {', '.join(names)}" if names else "There are none yet"
    raise NotFoundError(
        f"There is no recording {reference[:200]!r}, neither in {recordings_folder()} nor as a path from {Path.cwd()}. "
        f"{there}. Make one with: traceonce run --recording run.jsonl SCRIPT"
    )


def _name_of(path: Path) -> str:
    path = path.absolute()
    return path.name if path.parent == recordings_folder().absolute() else str(path)


def _state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """What tells a recording from what the same file held before: a run goes on, or was made again."""
    stats = [(path, _check(path)), *((part, _check(part)) for part in child_files(path))]
    return tuple((str(part), known.st_mtime_ns, known.st_size) for part, known in stats)


def _check(path: Path) -> os.stat_result:
    """Only plain files are read, and none without end."""
    try:
        known = path.stat()
    except OSError as error:
        raise NotFoundError(f"{path}: cannot be read: {error.strerror or error}.") from None
    if not stat.S_ISREG(known.st_mode):
        raise UsageError(f"{path}: is not a file; name a recording that `traceonce run` made.")
    if known.st_size > LARGEST:
        raise TooLargeError(
            f"{path}: is larger than {LARGEST >> 20} MiB; use this instead: "
            + quoted(["traceonce", "report", as_file(path)])
        )
    return known


def _read(path: Path) -> bytes:
    """The bytes of a recording. While a run goes on, its child processes write to files of their own: these, too."""
    _check(path)
    try:
        if not child_files(path):
            return path.read_bytes()
    except OSError as error:
        raise NotFoundError(f"{path}: cannot be read: {error.strerror or error}.") from None
    recording = Recording.load(path)
    return msgspec.json.encode({"schema": recording.schema, **msgspec.to_builtins(recording)})


def _newest_first() -> list[str]:
    dated: list[tuple[float, str]] = []
    for path in recordings_folder().glob("*.jsonl"):
        try:
            dated.append((path.stat().st_mtime, path.name))
        except OSError:  # another run tidies up
            continue
    return [name for _, name in sorted(dated, reverse=True)]
