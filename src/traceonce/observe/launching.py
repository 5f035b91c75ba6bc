"""Run a program as `python` would, in a process of its own, watched.

The script runs in an ordinary Python process: nothing of ours is in its tracebacks, its `__main__` or its arguments.
This process waits, passes signals on, and puts the recording together afterwards, whatever the script's end was.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import msgspec

from traceonce.backends.discovery import known_backends, load_backend
from traceonce.errors import ScriptError, UsageError
from traceonce.facts import Compiled, Exit, Notice
from traceonce.facts.entries import encode_line
from traceonce.facts.recording import child_files
from traceonce.observe.child import VARIABLE, Orders
from traceonce.observe.errors_tap import ErrorsTap
from traceonce.observe.recorder import make_header

BOOTSTRAP = Path(__file__).with_name("bootstrap")
KEPT = 100  # recordings kept in the default folder


class Target(NamedTuple):
    """What to run: a script, a module (``-m``) or code (``-c``), and its arguments."""

    kind: str
    name: str
    arguments: tuple[str, ...]

    def command(self) -> list[str]:
        flag = {"module": ["-m"], "code": ["-c"], "script": []}[self.kind]
        return [*flag, self.name, *self.arguments]


def check_target(target: Target) -> None:
    """Say what is wrong with a script before anything is started."""
    if target.kind != "script" or target.name == "-":
        return
    path = Path(target.name)
    if path.is_dir():
        if not (path / "__main__.py").is_file():
            raise ScriptError(f"{path}: is a directory without a __main__.py; name the script inside it.")
    elif not path.exists():
        raise ScriptError(f"{path}: there is no such script. Check the path (the working directory is {os.getcwd()}).")
    elif not os.access(path, os.R_OK):
        raise ScriptError(f"{path}: cannot be read; check its permissions.")


def launch(target: Target, recording: Path, *, compilations: bool = False) -> int:
    """Run the program to its end and return its exit status, negative for a signal. The recording is complete then."""
    check_target(target)
    _check_recording(recording)
    backends = known_backends()
    run = uuid.uuid4().hex
    environment = dict(os.environ)
    paths = [str(BOOTSTRAP), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    orders = Orders(str(recording.resolve()), run, os.getpid(), tuple(backends), compilations)
    environment[VARIABLE] = msgspec.json.encode(orders).decode()
    log = _CompilationLog(environment) if compilations else None
    began = time.perf_counter()
    code = _run([sys.executable, *_interpreter_flags(), *target.command()], environment, log)
    seconds = time.perf_counter() - began
    _complete(recording, run, target, log.found if log else [], Exit(code, round(seconds, 6)))
    return code


class _CompilationLog:
    """Reads the program's standard error for compilations, with every backend that tells of them there."""

    def __init__(self, environment: dict[str, str]) -> None:
        readers = [load_backend(known).read_compilations(environment) for known in known_backends()]
        self._readers = [reader for reader in readers if reader is not None]
        self.found: list[Compiled] = []
        self.tap = ErrorsTap(self._take)

    def _take(self, line: bytes) -> bool:
        for reader in self._readers:
            taken = reader.take(line)
            if isinstance(taken, Compiled):
                self.found.append(taken)
            if taken:
                return True
        return False


def _run(command: list[str], environment: dict[str, str], log: _CompilationLog | None) -> int:
    errors = log.tap.writer if log is not None else None
    process = subprocess.Popen(command, env=environment, stderr=errors, preexec_fn=_die_with_launcher())

    def forward(number: int, frame: FrameType | None) -> None:
        # A terminal sends Ctrl-C to the script as well: passing it on would interrupt the script twice.
        if number != signal.SIGINT or not os.isatty(0):
            process.send_signal(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, forward) for number in numbers}
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if log is not None:
            log.tap.close()


def _die_with_launcher() -> Callable[[], object] | None:
    """On Linux, have the script killed when we are: `kill -9` of a run must not leave its script behind."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    set_parent_death_signal = 1
    return lambda: libc.prctl(set_parent_death_signal, signal.SIGKILL)


def _interpreter_flags() -> list[str]:
    """The options that this interpreter was started with (``-X dev``, ``-W error``…), for the script's."""
    flags: list[str] = []
    words = iter(sys.orig_argv[1:])
    for word in words:
        if not word.startswith("-") or word in ("-m", "-c", "-"):
            break
        flags.append(word)
        if word in ("-X", "-W"):
            flags.append(next(words, ""))
    return flags


def _check_recording(recording: Path) -> None:
    """Refuse to overwrite what is not a recording; clear what is."""
    if recording.is_dir():
        raise UsageError(f"--recording {recording}: is a directory; name a file.")
    if not recording.parent.is_dir():
        raise UsageError(f"--recording {recording}: there is no folder {recording.parent}; make it first.")
    if recording.exists():
        with recording.open("rb") as file:
            beginning = file.read(400)
        if beginning and b"traceonce.recording/" not in beginning:
            raise UsageError(
                f"--recording {recording}: exists and is not a recording; it was left alone. Name another file."
            )
        recording.unlink()
    try:
        recording.touch()
        recording.unlink()
    except OSError as error:
        raise UsageError(f"--recording {recording}: cannot be written: {error.strerror or error}.") from None
    for part in child_files(recording):
        part.unlink()


def _complete(recording: Path, run: str, target: Target, compiled: list[Compiled], ending: Exit) -> None:
    """Gather the sections of child processes and write down how the run ended."""
    lines: list[bytes] = []
    if not recording.exists():
        header = make_header(run)
        lines.append(encode_line(msgspec.structs.replace(header, command=tuple(target.command()))))
        lines.append(encode_line(Notice("the main process never imported a framework that traceonce can watch")))
        lines.append(b'{"entry":"end","seconds":%.6f}' % ending.seconds)
    finished = [part for part in child_files(recording) if not _is_running(part)]
    data = [part.read_bytes().rstrip(b"\n") for part in finished]
    with recording.open("ab") as file:
        file.write(
            b"".join(line + b"\n" for line in [*lines, *data, *map(encode_line, compiled), encode_line(ending)] if line)
        )
    for part in finished:
        part.unlink()


def _is_running(part: Path) -> bool:
    """Is the child that writes this file still at it? Then leave it be: `traceonce report` reads it with the rest."""
    try:
        os.kill(int(part.suffix[1:]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def default_recording(target: Target) -> Path:
    """A fresh file name in the folder for recordings."""
    folder = recordings_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be made ({error.strerror or error}); name a file with --recording or set TRACEONCE_HOME."
        ) from None
    for old in sorted(folder.glob("*.jsonl"), key=_modified)[:-KEPT]:
        old.unlink(missing_ok=True)
    stem = Path(target.name).stem if target.kind == "script" else target.kind
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{stem or 'run'}-{os.getpid()}.jsonl"


def recordings_folder() -> Path:
    home = os.environ.get("TRACEONCE_HOME")
    if home:
        return Path(home) / "recordings"
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(state) / "traceonce" / "recordings"


def latest_recording() -> Path:
    recordings = sorted(recordings_folder().glob("*.jsonl"), key=_modified)
    if not recordings:
        raise UsageError(f"{recordings_folder()}: no recordings yet. Make one with: traceonce run SCRIPT")
    return recordings[-1]


def _modified(path: Path) -> float:
    return path.stat().st_mtime
