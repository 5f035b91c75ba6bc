"""One run of the user's program, inside its own process: watch it, keep its results, and write them down at the end."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import importlib.machinery
import os
import runpy
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from traceonce.atomic_files import atomic_write
from traceonce.facts.replay import Cut, ReplayResult
from traceonce.frameworks.base.arrival import Arrivals
from traceonce.frameworks.base.backend import RunningReplay
from traceonce.frameworks.base.registry import known_backends, known_frameworks, load_backend
from traceonce.observe.hub import hub
from traceonce.observe.recorder import FileRecorder
from traceonce.prove import clocks
from traceonce.prove.copied_modules import CopiedModules
from traceonce.prove.order import ERRORS, IMPORTED, PRINTED, PROBES, RECORDING, REPLAY, Order

TOO_LATE = "too-late"
STALLED = 20.0  # seconds for one call beyond the run
CONFIGURING = ("CUDA_", "MKL_", "NVIDIA_", "OMP_")  # variables that frameworks read through others


def perform(order: Order, preloaded: Sequence[str]) -> None:
    """Become the program. This returns where the program has come to its end; the interpreter's own end follows."""
    os.setsid()
    results = Path(order.results)
    _redirect(order, results)
    os.chdir(order.cwd)
    os.environ["TMPDIR"] = tempfile.tempdir = order.temporary
    _move_paths(order)
    if preloaded and any(name in sys.modules for name in order.libraries):
        (results / TOO_LATE).write_text("import", encoding="utf-8")  # a framework has brought the installed one along
        return
    CopiedModules(order.libraries, order.moved, results / IMPORTED).install()
    if order.clock != 1.0:
        clocks.hurry(order.clock)
    if preloaded:
        _watch_environment(results / TOO_LATE, preloaded)
    _ObservedRun(order, results).begin()
    _run(order)


def _redirect(order: Order, results: Path) -> None:
    os.dup2(os.open(order.input or os.devnull, os.O_RDONLY), 0)
    for name, number in ((PRINTED, 1), (ERRORS, 2)):
        os.dup2(os.open(results / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    # As for any program whose output goes to a file; those of the parent are not to be flushed twice.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # for the rest of the process
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]


def _move_paths(order: Order) -> None:
    """Where Python would look into the user's folders, it looks into their copies."""

    def moved(path: str) -> str:
        for folder, copy in order.moved.items():
            if path == folder or path.startswith(folder + os.sep):
                return copy + path[len(folder) :]
        return path

    first = {"script": os.path.dirname(order.name), "module": order.cwd, "code": ""}[order.kind]
    sys.path[:] = [first, *(moved(path) for path in sys.path[1:])]
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.pathsep.join(map(moved, os.environ["PYTHONPATH"].split(os.pathsep)))


def _watch_environment(note: Path, preloaded: Sequence[str]) -> None:
    """Take down where the program configures a framework that has been loaded already."""
    modules = (sys.modules.get(name.partition(".")[0]) for name in preloaded)
    frameworks = tuple({os.path.dirname(module.__file__ or "?") + os.sep for module in modules if module is not None})
    known = known_frameworks()
    configuring = (*CONFIGURING, *(prefix for each in known for prefix in each.configured_by))
    logging = tuple(prefix for each in known for prefix in each.logged_by)

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.putenv":
            name = arguments[0].decode(errors="replace") if isinstance(arguments[0], bytes) else str(arguments[0])
            told = name.startswith(configuring) and not name.startswith(logging)
            if told and not note.exists() and not _set_by(frameworks, sys._getframe(1)):
                note.write_text(name, encoding="utf-8")

    sys.addaudithook(audit)


def _set_by(frameworks: tuple[str, ...], frame: types.FrameType | None) -> bool:
    """Does a framework set it for itself? The first frames are those of `os.environ`."""
    while frame is not None and frame.f_code.co_filename.startswith("<frozen"):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(frameworks)


class _ObservedRun:
    """What is in place while the program runs, and what is written down when it ends, or is ended."""

    def __init__(self, order: Order, results: Path) -> None:
        self._order = order
        self._results = results
        self._process = os.getpid()
        self._recorder = FileRecorder(str(results / RECORDING), run="replay", main=True)
        self._replaying: list[RunningReplay] = []
        self._problems: list[str] = []
        self._ending = threading.Lock()

    def begin(self) -> None:
        hub.join(self._recorder)
        known = {backend.module: backend for backend in known_backends()}

        def arrived(name: str) -> None:
            try:
                backend = load_backend(known[name])
                self._replaying.append(backend.replay(self._order.settings, self._enough))
            except Exception as error:
                self._problems.append(f"{name} cannot be replayed: {type(error).__name__}: {error}")
            # The last to come is the first to go: a framework that takes itself down must still be whole at our end.
            atexit.unregister(self._finish)
            atexit.register(self._finish, None)

        Arrivals(list(known), arrived).start()
        sys.stdout = _Apart(sys.stdout, self._is_tracing)
        atexit.register(self._finish, None)
        timer = threading.Timer(self._order.timeout, self._time_is_up)
        timer.daemon = True
        timer.start()

    def _is_tracing(self) -> bool:
        return any(replaying.is_tracing() for replaying in self._replaying)

    def _enough(self) -> None:
        self._leave("calls")

    def _time_is_up(self) -> None:
        self._leave("timeout")

    def _leave(self, cut: Cut) -> None:
        """End the program here and now; its own clearing up is left out, as its folder is thrown away anyway."""
        if os.getpid() == self._process:
            self._finish(cut)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(0)

    def _finish(self, cut: Cut | None) -> None:
        if os.getpid() != self._process or not self._ending.acquire(blocking=False):
            return  # a forked process; or the end has begun in another thread
        hub.leave(self._recorder)  # what is called from here on is no call of the program's
        self._recorder.close()
        replay = join_replays([replaying.result() for replaying in self._replaying])
        done = msgspec.structs.replace(replay, cut=cut, problems=(*replay.problems, *self._problems))
        atomic_write(self._results / REPLAY, msgspec.json.encode(done))
        sys.stdout.flush()
        if cut != "timeout":
            self._probe()

    def _probe(self) -> None:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # what probes print is no output
        stalled = _end_when_stalled()
        with open(self._results / PROBES, "wb", buffering=0) as file:
            for replaying in self._replaying:
                for probed in replaying.probe():
                    stalled.cancel()
                    stalled = _end_when_stalled()
                    file.write(msgspec.json.encode(probed) + b"\n")
            stalled.cancel()
            file.write(b"{}\n")  # all done


def _end_when_stalled() -> threading.Timer:
    """A call with another argument may never end (a loop that waits for a value): what is known by then counts."""
    timer = threading.Timer(STALLED, os._exit, [0 if getattr(sys, "last_value", None) is None else 1])
    timer.daemon = True
    timer.start()
    return timer


def join_replays(seen: Sequence[ReplayResult]) -> ReplayResult:
    """Those of several frameworks as one. Results are compared function by function, so their order does not matter."""
    return ReplayResult(
        returned=tuple(each for one in seen for each in one.returned),
        variables=tuple(each for one in seen for each in one.variables),
        makings=tuple(each for one in seen for each in one.makings),
        sites=tuple(each for one in seen for each in one.sites),
        seconds=max((one.seconds for one in seen), default=0.0),
        drawn=any(one.drawn for one in seen),
        problems=tuple(each for one in seen for each in one.problems),
    )


class _Apart:
    """Standard output without what is printed while tracing: a repaired program prints that less often."""

    def __init__(self, stream: Any, is_tracing: Callable[[], bool]) -> None:
        self._stream = stream
        self._is_tracing = is_tracing

    def write(self, text: str) -> int:
        return len(text) if self._is_tracing() else int(self._stream.write(text))

    def writelines(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.write(line)

    def __iter__(self) -> Any:
        return iter(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _run(order: Order) -> None:
    sys.argv = [order.name, *order.arguments]
    if order.kind == "script" and os.path.isfile(order.name):
        _run_script(order.name)
    elif order.kind == "script":
        runpy.run_path(order.name, run_name="__main__")  # a folder with a __main__.py
    elif order.kind == "module":
        runpy.run_module(order.name, run_name="__main__", alter_sys=True)
    else:
        sys.argv[0] = "-c"
        exec(compile(order.name, "<string>", "exec"), _new_main().__dict__)


def _run_script(path: str) -> None:
    main = _new_main()
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __loader__=loader, __cached__=None)
    exec(loader.source_to_code(loader.get_data(path), path), main.__dict__)


def _new_main() -> types.ModuleType:
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __package__=None)
    sys.modules["__main__"] = main
    return main
