"""Where recordings lie: the folder for them, the file of a run, and putting it together at the end."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

from traceonce.errors import UsageError
from traceonce.facts import Compiled, Entry, Exit
from traceonce.facts.entries import encode_line
from traceonce.facts.recording import child_files

KEPT = 100  # recordings kept in the default folder
_RECORDING = re.compile(rb'\s*\{\s*("entry":\s*"header"|"schema":\s*"traceonce\.recording/)')


def recordings_folder() -> Path:
    home = os.environ.get("TRACEONCE_HOME")
    if home:
        return Path(home) / "recordings"
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(state) / "traceonce" / "recordings"


def default_recording(name: str) -> Path:
    """A fresh file name in the folder for recordings, for a program of this name; the oldest ones are dropped."""
    folder = recordings_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in _by_age(folder)[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be used ({error.strerror or error}); name a file with --recording or set TRACEONCE_HOME."
        ) from None
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}-{os.getpid()}.jsonl"


def remember(recording: Path) -> None:
    """Take down where the last recording lies, also when it lies elsewhere; best effort."""
    with contextlib.suppress(OSError):
        recordings_folder().mkdir(parents=True, exist_ok=True)
        _pointer().write_text(str(recording.absolute()), encoding="utf-8", errors="replace")


def _pointer() -> Path:
    return recordings_folder().with_name("latest")


def latest_recording() -> Path:
    with contextlib.suppress(OSError, ValueError):
        named = Path(_pointer().read_text(encoding="utf-8"))
        if named.is_file():
            return named
    recordings = _by_age(recordings_folder())
    if not recordings:
        raise UsageError(f"{recordings_folder()}: no recordings yet. Make one with: traceonce run SCRIPT")
    return recordings[-1]


def _by_age(folder: Path) -> list[Path]:
    """The recordings of a folder, oldest first; one that vanishes meanwhile (another run tidies up) is left out."""
    ages: list[tuple[float, Path]] = []
    for path in folder.glob("*.jsonl"):
        try:
            ages.append((path.stat().st_mtime, path))
        except OSError:
            continue
    return [path for _, path in sorted(ages)]


def clear(recording: Path) -> None:
    """Make room for a new recording; refuse where something lies there that is not one."""
    name = f"--recording {recording}"
    if recording.is_dir():
        raise UsageError(f"{name}: is a directory; name a file.")
    if not recording.parent.is_dir():
        raise UsageError(f"{name}: there is no folder {recording.parent}; make it first.")
    if recording.exists() or recording.is_symlink():
        if not recording.is_file():
            raise UsageError(f"{name}: is not a plain file; it was left alone. Name another file.")
        if not _is_recording(recording) and recording.stat().st_size:
            raise UsageError(f"{name}: exists and is not a recording; it was left alone. Name another file.")
    try:
        recording.unlink(missing_ok=True)
        recording.touch()
        recording.unlink()
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {error.strerror or error}.") from None
    for part in child_files(recording):
        if _is_recording(part):
            part.unlink()


def _is_recording(path: Path) -> bool:
    with path.open("rb") as file:
        return _RECORDING.match(file.read(400)) is not None


def complete(recording: Path, opening: list[Entry], compiled: list[Compiled], ending: Exit) -> None:
    """Gather the sections of child processes and write down how the run ended.

    `opening` is for a run whose main process wrote nothing.
    """
    finished = [part for part in child_files(recording) if _is_recording(part) and not _is_running(part)]
    sections = [part.read_bytes() for part in finished]
    written = recording.read_bytes() if recording.exists() else _lines(opening)
    whole = b"".join(part if part.endswith(b"\n") else part + b"\n" for part in (written, *sections))
    temporary = recording.with_name(f".{recording.name}.{os.getpid()}.tmp")
    temporary.write_bytes(whole + _lines([*compiled, ending]))
    temporary.replace(recording)
    for part in finished:
        part.unlink()


def add(recording: Path, entries: Iterable[Entry]) -> None:
    """Write more lines into a complete recording; best effort."""
    with contextlib.suppress(OSError), recording.open("ab") as file:
        file.write(_lines(list(entries)))


def _lines(entries: list[Entry]) -> bytes:
    return b"".join(encode_line(entry) + b"\n" for entry in entries)


def _is_running(part: Path) -> bool:
    """Is the child that writes this file still at it? Then leave it be: `traceonce report` reads it with the rest."""
    try:
        os.kill(int(part.name.rpartition("-")[2]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
