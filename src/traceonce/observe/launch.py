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
from typing import NamedTuple

import msgspec

from traceonce.errors import ScriptError, UsageError
from traceonce.facts import Compiled, End, Entry, Exit, Note
from traceonce.facts.command_line import as_file, quoted
from traceonce.facts.recording import AGAIN
from traceonce.frameworks.base.places import working_folder
from traceonce.frameworks.base.registry import how_to_install, known_backends, load_backend, not_installed
from traceonce.observe import recording_store
from traceonce.observe.bystander import Bystander
from traceonce.observe.errors_tap import ErrorsTap
from traceonce.observe.process_start import VARIABLE, write_orders
from traceonce.observe.recorder import make_header
from traceonce.parent import prepare_to_end_with_parent
from traceonce.words.notes.notices import NOTHING_WATCHED, NOTHING_WATCHED_OR_INSTALLED
from traceonce.words.sentence import noticed

BOOTSTRAP = Path(__file__).with_name("bootstrap")
PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
PATIENCE = 0.5  # seconds between two looks at the program, should its end not be signalled


class Target(NamedTuple):
    """What to run: a script, a module (``-m``) or code (``-c``), and its arguments."""

    kind: str
    name: str
    arguments: tuple[str, ...]
    glued: bool = False  # written as one word: -mMODULE

    def command(self) -> list[str]:
        if self.kind == "script":
            odd = self.name.startswith("-") and self.name != "-"
            return [*(["--"] if odd else []), self.name, *self.arguments]
        flag = "-m" if self.kind == "module" else "-c"
        return [*([flag + self.name] if self.glued else [flag, self.name]), *self.arguments]

    @property
    def title(self) -> str:
        """A short name for files about it."""
        return (Path(self.name).stem if self.kind == "script" else self.kind).strip("-") or "run"


def check_target(target: Target) -> None:
    """Say what is wrong with a script before anything is started."""
    if target.kind != "script" or target.name == "-":
        return
    path = Path(target.name)
    try:
        exists, is_folder = path.exists(), path.is_dir()
    except ValueError as error:
        raise ScriptError(f"{target.name!r}: is not a file name ({error}).") from None
    if is_folder and not (path / "__main__.py").is_file():
        raise ScriptError(f"{path}: is a directory without a __main__.py; name the script inside it.")
    if exists and target.name.endswith(".ipynb"):
        raise ScriptError(
            f"{target.name}: is a notebook, not a script. Use traceonce.watch() inside the notebook, or export it: "
            + quoted(["jupyter", "nbconvert", "--to", "script", as_file(target.name)])
        )
    if not exists:
        raise ScriptError(f"{path}: no such script. Check the path; the working directory is {working_folder()}.")
    if not os.access(path, os.R_OK):
        raise ScriptError(f"{path}: cannot be read; check its permissions.")


class Launched(NamedTuple):
    """The exit status of the program, negative for a signal; and why its recording could not be completed, if so."""

    code: int
    unwritten: str | None


def launch(target: Target, recording: Path, inside: str, settings: str, *, compilations: bool = False) -> Launched:
    """Run the program to its end. The recording is complete then.

    `inside` (``module:function``) is what each process of the program calls when it has imported a framework, with
    the `settings`.
    """
    check_target(target)
    if not hasattr(signal, "pthread_sigmask"):
        raise UsageError("traceonce run needs a POSIX system; here, use traceonce.watch() inside the program.")
    if sys.flags.isolated or sys.flags.ignore_environment or sys.flags.no_site:
        raise UsageError("python -I, -E or -S keeps traceonce out of the program; start traceonce without it.")
    recording_store.make_room(recording)
    backends = known_backends()
    run = uuid.uuid4().hex
    environment = dict(os.environ)
    paths = [str(BOOTSTRAP), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    environment[VARIABLE] = write_orders(str(recording.absolute()), run, os.getpid(), backends, inside, settings)
    log = _CompilationWatch(environment) if compilations else None
    nothing = msgspec.structs.replace(make_header(run), command=tuple(target.command()))
    clock, began = time.time(), time.perf_counter()
    code = _run([sys.executable, *_interpreter_flags(), *target.command()], environment, log)
    seconds = round(time.perf_counter() - began, 6)
    opening: list[Entry] = [nothing, noticed(_why_nothing_is_known(code)), End(seconds)]
    try:
        recording_store.complete(recording, opening, log.found if log else [], Exit(code, seconds, clock))
    except OSError as error:
        return Launched(code, f"the recording {recording} cannot be completed: {error.strerror or error}. {AGAIN}")
    return Launched(code, None)


def _why_nothing_is_known(code: int) -> Note:
    """Said where no process of the program was watched; what could be missing, where it may be for that."""
    missing = not_installed()
    if missing and (code or len(missing) == len(known_backends())):
        hints = "; ".join(f"{known.name}: {how_to_install(known)}" for known in missing)
        return NOTHING_WATCHED_OR_INSTALLED(hints=hints)
    return NOTHING_WATCHED()


class _CompilationWatch:
    """Reads the program's standard error for compilations, with every backend that tells of them there."""

    def __init__(self, environment: dict[str, str]) -> None:
        readers = [load_backend(known).request_compilations(environment) for known in known_backends()]
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


def _run(command: list[str], environment: dict[str, str], log: _CompilationWatch | None) -> int:
    """Start the program and wait for its end; a signal that somebody sends to us alone is meant for it.

    Signals are held back and taken one by one, so that none is lost while the program starts.
    """
    numbers = {int(getattr(signal, name)) for name in PASSED_ON if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*numbers, signal.SIGCHLD})
    bystander = Bystander(numbers)
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stderr=log.tap.writer if log is not None else None,
            close_fds=False,  # the program inherits what a shell opened for it; our own files are not inheritable
            preexec_fn=_prepare_program(before),
        )
        while process.poll() is None:
            sent = _next_signal({*numbers, signal.SIGCHLD})
            if sent in numbers and not bystander.also_got(sent):
                process.send_signal(sent)
    finally:
        bystander.leave()
        _drop_signals(numbers)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if log is not None:
            log.tap.close()
    return process.returncode


def _next_signal(numbers: set[int]) -> int:
    """Wait for a signal; 0 where none has come for a while."""
    if not hasattr(signal, "sigtimedwait"):  # macOS
        return int(signal.sigwait(numbers))
    info = signal.sigtimedwait(numbers, PATIENCE)
    return info.si_signo if info is not None else 0


def _drop_signals(numbers: set[int]) -> None:
    """Forget what came for the program while it ended: we end as it has ended, not of what was meant for it."""
    while pending := signal.sigpending() & numbers:
        signal.sigwait(pending)


def _prepare_program(mask: set[signal.Signals | int]) -> Callable[[], object]:
    """What the program's process does before it becomes the program.

    It takes signals again. On Linux it asks to be killed when we are: `kill -9` of a run must not leave its script.
    """
    end_with_parent = prepare_to_end_with_parent()

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        end_with_parent()

    return prepare


def _interpreter_flags() -> list[str]:
    """The options that this interpreter was started with (``-X dev``, ``-W error``…), for the script's."""
    flags: list[str] = []
    words = iter(sys.orig_argv[1:])
    for word in words:
        if not word.startswith("-") or word == "-":
            break
        if not word.startswith("--") and word[-1] in "mc":  # -m, or several in one: -um
            flags += [word[:-1]] if len(word) > 2 else []
            break
        flags.append(word)
        if word in ("-X", "-W", "--check-hash-based-pycs"):
            flags.append(next(words, ""))
    return flags
