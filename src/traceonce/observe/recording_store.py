"""The file of a recording: a fresh one for a run, and putting it together at the end."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

from traceonce.atomic_files import atomic_write
from traceonce.errors import UsageError
from traceonce.facts import Compiled, Entry, Exit
from traceonce.facts.entries import encode_line
from traceonce.facts.recording import child_files
from traceonce.home import recordings, recordings_folder
from traceonce.observe.reserve import BLANK, SIZE

KEPT = 100  # recordings kept in the default folder
_RECORDING = re.compile(rb'\s*\{\s*("entry":\s*"(header|notice)"|"schema":\s*"traceonce\.recording/)|\s*$')


def default_recording(name: str) -> Path:
    """A fresh file name in the folder for recordings, for a program of this name; the oldest ones are dropped."""
    folder = recordings_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in recordings()[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be used ({error.strerror or error}); name a file with --recording or set TRACEONCE_HOME."
        ) from None
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}-{os.getpid()}.jsonl"


def make_room(recording: Path) -> None:
    """Begin a new recording with its reserved line; refuse where something lies there that is not one."""
    name = f"--recording {recording}"
    if recording.is_dir():
        raise UsageError(f"{name}: is a directory; name a file.")
    if not recording.parent.is_dir():
        raise UsageError(f"{name}: no folder {recording.parent}; create it first.")
    if recording.exists() or recording.is_symlink():
        if not recording.is_file():
            raise UsageError(f"{name}: is not a regular file and was not changed. Name another file.")
        if not _is_recording(recording) and recording.stat().st_size:
            raise UsageError(f"{name}: exists and is not a recording; it was not changed. Name another file.")
    try:
        recording.unlink(missing_ok=True)
        recording.write_bytes(BLANK)
    except OSError as error:
        with contextlib.suppress(OSError):
            recording.unlink(missing_ok=True)
        raise UsageError(
            f"{name}: cannot be written: {error.strerror or error}. Name another file with --recording."
        ) from None
    for part in child_files(recording):
        if _is_recording(part):
            part.unlink()


def _is_recording(path: Path) -> bool:
    with path.open("rb") as file:
        return _RECORDING.match(file.read(SIZE + 400)) is not None


def complete(recording: Path, opening: list[Entry], compiled: list[Compiled], ending: Exit) -> None:
    """Gather the sections of child processes and write down how the run ended; all of it, or nothing.

    `opening` is for a run whose main process wrote nothing.
    """
    finished = [part for part in child_files(recording) if _is_recording(part) and not _is_running(part)]
    sections = [part.read_bytes() for part in finished]
    written = recording.read_bytes() if recording.exists() else b""
    if len(written) <= SIZE:
        written += _lines(opening)
    whole = b"".join(part if part.endswith(b"\n") else part + b"\n" for part in (written.lstrip(), *sections))
    atomic_write(recording, whole + _lines([*compiled, ending]))
    for part in finished:
        part.unlink()


def add(recording: Path, entries: Iterable[Entry]) -> None:
    """Write more lines into a complete recording; all of them, or none."""
    with contextlib.suppress(OSError), recording.open("r+b", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        lines = _lines(list(entries))
        if file.write(lines) < len(lines):
            file.truncate(end)


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
