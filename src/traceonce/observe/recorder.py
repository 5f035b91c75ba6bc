"""Where what was seen goes: memory for `watch()`, a file for `traceonce run`."""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import sys
import threading
import time
import traceback
import uuid
from typing import Protocol

import msgspec

from traceonce.facts import SCHEMA, End, Entry, Header, Recording, TraceEvent
from traceonce.facts.command_line import quoted
from traceonce.facts.entries import encode_line
from traceonce.facts.error_text import shorten_error
from traceonce.facts.printable import MESSAGE, in_line
from traceonce.facts.recording import PART
from traceonce.frameworks.base.after_fork import after_fork
from traceonce.frameworks.base.places import working_folder
from traceonce.frameworks.base.registry import framework_of, known_backends
from traceonce.observe.reserve import SIZE, write_reserved

UNWRITTEN = "the recording ends there; make room, or name another file with --recording, and run the program again"


class Recorder(Protocol):
    """Takes entries, from any thread, and never raises."""

    def write(self, entry: Entry) -> None: ...


def make_header(run: str, forked_from: str | None = None, forked_at: float | None = None) -> Header:
    return Header(
        schema=SCHEMA,
        run=run,
        process=str(os.getpid()),
        clock=time.time(),
        environment=describe_environment(),
        command=tuple(getattr(sys, "orig_argv", sys.argv)[1:]),
        cwd=working_folder(),
        forked_from=forked_from,
        forked_at=forked_at,
    )


def describe_environment() -> dict[str, str]:
    """Python, the platform, and the version of every watched framework that is loaded."""
    found = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    loaded = [known for known in known_backends() if sys.modules.get(known.module) is not None]
    for name in dict.fromkeys(
        name for known in loaded for name in (known.module, *framework_of(known.name).companions)
    ):
        version = _version(name)
        if version is not None:
            found[name] = version
    return found


def _version(name: str) -> str | None:
    """Of a loaded module; while it is still being imported, of what is installed."""
    module = sys.modules.get(name)
    if module is None:
        return None
    with contextlib.suppress(Exception):  # a module may do anything when it is asked, and metadata be broken
        version = getattr(module, "__version__", None)
        return str(version) if isinstance(version, str) else _installed_version(name)  # it may be a subclass
    return None


def _installed_version(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # it is installed under another name than it is imported by
        owners = set(metadata.packages_distributions().get(name, ()))
        return metadata.version(owners.pop()) if len(owners) == 1 else None


class _Libraries:
    """The installed packages whose functions were traced."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def note(self, entry: Entry) -> None:
        if isinstance(entry, TraceEvent) and entry.function.package is not None:
            self._names.add(entry.function.package)

    def versions(self) -> dict[str, str]:
        known = {name: _version(name) for name in sorted(self._names)}
        return {name: version for name, version in known.items() if version is not None}


class MemoryRecorder:
    """Keeps entries as encoded bytes: data, not objects, so that a program that counts its objects sees no change."""

    def __init__(self) -> None:
        self._libraries = _Libraries()
        self._header = make_header(uuid.uuid4().hex)
        self._lines: list[bytes] = []
        self._began = time.perf_counter()
        self._ended: float | None = None

    def write(self, entry: Entry) -> None:
        self._libraries.note(entry)
        self._lines.append(encode_line(entry))

    @property
    def is_closed(self) -> bool:
        return self._ended is not None

    def close(self) -> None:
        self._ended = time.perf_counter() - self._began

    def recording(self) -> Recording:
        seconds = self._ended if self._ended is not None else time.perf_counter() - self._began
        header = msgspec.structs.replace(self._header, environment=describe_environment())
        end = End(round(seconds, 6), libraries=self._libraries.versions())
        lines = [encode_line(header), *self._lines, encode_line(end)]
        return Recording.from_bytes(b"\n".join(lines))


class FileRecorder:
    """Appends each entry to a file in one write, so that a killed program loses at most the entry under way.

    The file is opened for each entry: a descriptor that stayed open would be the user's to close, by accident, and
    then somebody else's. A process that is not the main one, a forked one too, gets a file of its own.
    """

    def __init__(self, path: str, run: str, *, main: bool) -> None:
        self._path = path
        self._run = run
        self._main = main
        self._began = time.perf_counter()
        self._lock = threading.RLock()  # a signal handler of the user's may trace while we write
        self._file: str | None = None
        self._forked_from: str | None = None
        self._forked_at: float | None = None
        self._broken = False
        self._libraries = _Libraries()
        after_fork(self._forked)

    @property
    def is_open(self) -> bool:
        return self._file is not None

    def write(self, entry: Entry) -> None:
        if self._broken:
            return
        try:
            with self._lock:
                if self._file is None:
                    self._file = self._create()
                self._libraries.note(entry)
                _append(self._file, encode_line(entry) + b"\n")
        except Exception as error:  # a full disk is no reason to stop the user's program
            self._broken = True
            reason = f"{type(error).__name__}: {getattr(error, 'strerror', None) or error}"
            write_reserved(
                self._path, f"process {os.getpid()} could not write to its recording ({reason}): {UNWRITTEN}"
            )
            with contextlib.suppress(Exception):  # standard error may be on the same disk, or closed
                why = (
                    f"traceonce: cannot write {self._path}: {error}; no more events are recorded. "
                    f"Recorded so far: {quoted(['traceonce', 'report', self._path])}"
                )
                sys.stderr.write(f"{in_line(why, MESSAGE)}\n")

    def close(self) -> None:
        if self._file is not None:
            seconds = round(time.perf_counter() - self._began, 6)
            self.write(End(seconds, uncaught_error(), self._libraries.versions()))

    def _create(self) -> str:
        header = encode_line(make_header(self._run, self._forked_from, self._forked_at)) + b"\n"
        if self._main and _is_unused(self._path):  # else somebody took us for the launcher's child: an orphan's
            _append(self._path, header, os.O_CREAT)
            return self._path
        part = f"{self._path}{PART}{os.getpid()}"
        _append(part, header, os.O_CREAT)
        return part

    def _forked(self) -> None:
        self._lock = threading.RLock()
        self._main = False
        self._forked_from, self._forked_at = str(os.getppid()), time.time()
        self._began = time.perf_counter()
        self._file = None


def uncaught_error() -> str | None:
    """The exception by which this process ends, as Python has just printed it; None where it ends otherwise."""
    error = getattr(sys, "last_value", None)
    if not isinstance(error, Exception):
        return None
    try:
        return shorten_error("".join(traceback.format_exception_only(type(error), error)).strip())
    except Exception:  # it cannot even be printed
        return type(error).__name__


def _is_unused(path: str) -> bool:
    """Has no process written its section into this file yet?"""
    try:
        return os.path.getsize(path) <= SIZE
    except FileNotFoundError:
        return True


def _append(path: str, data: bytes, flags: int = 0) -> None:
    file = os.open(path, os.O_WRONLY | os.O_APPEND | flags, 0o644)
    try:
        written = os.write(file, data)
        if written < len(data):  # the disk is full: half a line must not be taken for a whole one
            os.write(file, b"\n")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)
