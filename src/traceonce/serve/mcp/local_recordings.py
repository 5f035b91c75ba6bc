"""The user's own recordings, where `traceonce run` puts them, as agents on this machine ask about them."""

from __future__ import annotations

import datetime
import os
import stat
from pathlib import Path
from typing import NamedTuple

from anyio.to_thread import run_sync

from traceonce.errors import UsageError
from traceonce.facts.command_line import as_file, quoted
from traceonce.facts.recording import child_files
from traceonce.home import latest_recording, recordings_folder
from traceonce.serve import jobs
from traceonce.serve.computation_budget import LOOK, reading_budget
from traceonce.serve.digest import DigestedRecording
from traceonce.serve.mcp.contract import RecordingLine, RecordingsFound
from traceonce.serve.mcp.desk import LATEST
from traceonce.serve.queries import run_job
from traceonce.serve.request_errors import NotFoundError, TooLargeError
from traceonce.serve.shared_cache import Cache
from traceonce.serve.worker_pools import WorkerPools

LARGEST = 512 << 20  # bytes of a recording
KEPT = 16 << 20  # bytes of what was found in recordings
NAMED = 5  # recordings, where one was asked for that is not there


class LocalRecording(NamedTuple):
    """A recording in a file. `name` means the same one later; `state` tells it from what the file held before."""

    path: Path
    name: str
    size: int
    state: tuple[tuple[str, int, int], ...]


class LocalRecordings:
    """Recordings in files, each named by its file in the user's folder, or by a path to another one.

    They are only read, by workers and each within its budget: `traceonce run` makes them, and drops the oldest.
    """

    def __init__(self, pools: WorkerPools) -> None:
        self._pools = pools
        self._kept: Cache[DigestedRecording] = Cache(KEPT, lambda kept: len(kept.digest) + len(kept.causes))

    async def list(self, search: str, limit: int) -> RecordingsFound:
        """Those in the user's folder whose name has all the words, the newest first. None is read for that."""
        return await run_sync(_list, search, limit)

    async def findings(self, recording: str, function: str | None) -> jobs.Told:
        found = await run_sync(look_up, recording)
        digest = await self._digest(found)
        return await run_job(self._pools.look(0), LOOK, found.name, jobs.tell_findings, digest, found.name, function)

    async def proposals(self, recording: str, function: str) -> jobs.Told:
        found = await run_sync(look_up, recording)
        digest = await self._digest(found)
        return await run_job(self._pools.look(0), LOOK, found.name, jobs.tell_proposals, digest, found.name, function)

    async def _digest(self, found: LocalRecording) -> bytes:
        async def make() -> DigestedRecording:
            budget = reading_budget(found.size, self._pools.most_seconds)
            return await run_job(
                self._pools.read(found.size), budget, str(found.path), jobs.understand_file, str(found.path)
            )

        return (await self._kept.get(found.state, make)).digest


def look_up(reference: str) -> LocalRecording:
    """The recording that somebody means."""
    path = latest_recording() if reference == LATEST else _find(reference)
    state = _state(path)
    return LocalRecording(path, _name_of(path), sum(size for _, _, size in state), state)


def _list(search: str, limit: int) -> RecordingsFound:
    words = search.casefold().split()
    files = [file for file in _newest_first() if all(word in file.name.casefold() for word in words)]
    return RecordingsFound(total=len(files), recordings=[_line(file) for file in files[:limit]], left_out=[])


def _line(file: _File) -> RecordingLine:
    written = datetime.datetime.fromtimestamp(file.written, datetime.timezone.utc).isoformat(timespec="seconds")
    return RecordingLine(recording=file.name, name=file.name, written=written, size=file.size)


def _find(reference: str) -> Path:
    inside = recordings_folder() / reference
    is_name = Path(reference).name == reference
    for path in [*([inside, inside.with_name(f"{reference}.jsonl")] if is_name else []), Path(reference).expanduser()]:
        try:
            if path.exists():
                return path
        except (OSError, ValueError):  # a name that is too long, or has NUL in it
            continue
    names = [file.name for file in _newest_first()[:NAMED]]
    there = f"The newest there: {', '.join(names)}" if names else "There are none yet"
    raise NotFoundError(
        f"There is no recording {reference[:200]!r}, neither in {recordings_folder()} nor as a path from "
        f"{Path.cwd()}. {there}. Make one with: traceonce run --recording run.jsonl SCRIPT"
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


class _File(NamedTuple):
    written: float
    name: str
    size: int


def _newest_first() -> list[_File]:
    files: list[_File] = []
    for path in recordings_folder().glob("*.jsonl"):
        try:
            known = path.stat()
        except OSError:  # another run tidies up
            continue
        files.append(_File(known.st_mtime, path.name, known.st_size))
    return sorted(files, reverse=True)
