"""The process that runs trials: it imports a framework once, and forks for every trial it is asked for.

Started as ``python -m traceonce.commands.trials FRAMEWORK`` in the environment whose framework is to be tried. Requests
come as lines of JSON on standard input, measurements go as lines of JSON to standard output. The framework is imported
but never used in this process, so that every trial starts from the same clean state, without the seconds that the
import takes. A trial gets a folder of its own to work in, and a time limit.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import platform
import re
import shutil
import signal
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from types import ModuleType

import msgspec

from traceonce.backends.discovery import find_backend, framework_of
from traceonce.commands.trial import ENDED, LOG, MODULE, RECORDING, TEMPORARY, Ended, run_and_exit
from traceonce.diagnosis import diagnose_with_events
from traceonce.facts import Compiled, Recording
from traceonce.facts.entries import Exit
from traceonce.fix.suggesting import suggest
from traceonce.knowledge.linking import link_records
from traceonce.knowledge.measurement import Measurement, SeenCause, SeenFunction
from traceonce.knowledge.running import Request
from traceonce.observe.shelf import complete
from traceonce.report.base import Material
from traceonce.report.text import render_text

PREFIX = "traceonce-trial-"
# Frames below the trial, where TensorFlow prints the whole stack, or JAX its last frames: a program of the user's does
# not have them.
_OUR_FRAMES = re.compile(
    r'^\s*File "(?:<frozen runpy>|[^"]*traceonce/commands/trials?\.py)", line .*\n(?:\n|    .*\n)?'
    r"|^\s*(?:<frozen runpy>|\S*traceonce/commands/trials?\.py):\d+\S* \(\S+\)\n",
    re.M,
)
# PyTorch cuts the front of a path off, and tells that of its own files from the folder it was started in.
_SHORTENED = re.compile(rf"[^\s\"'(]*{PREFIX}\w+/(?={re.escape(MODULE)})|[^\s\"'(]*lib/python[\d.]+/(?=site-packages/)")
LOG_KEPT = 200_000  # bytes of what a trial prints


def main() -> None:
    framework = sys.argv[1]
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever the framework prints must not get among the answers
    module = importlib.import_module(framework)
    for name in framework_of(framework).along:  # a second or more, which every trial would pay again
        importlib.import_module(name)
    gc.freeze()  # else the collector looks at all of it in every fork, and so copies its memory: a second each
    facts = Measurement(framework=framework, version=_version(module), python=platform.python_version())
    answers.write(msgspec.json.encode(facts) + b"\n")
    for line in sys.stdin.buffer:
        answers.write(msgspec.json.encode(measure(msgspec.json.decode(line, type=Request), facts)) + b"\n")


def _version(module: ModuleType) -> str:
    """The version, without the build of it (``2.13.0+cpu``)."""
    return str(module.__version__).partition("+")[0]


def measure(request: Request, facts: Measurement) -> Measurement:
    """Run one trial in a process of its own."""
    scratch = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
    try:
        shutil.copy(request.module, scratch / MODULE)
        began = time.perf_counter()
        child = os.fork()
        if child == 0:
            run_and_exit(request, scratch)
        status = _wait(child, request.limit)
        return _read(request, scratch, status, time.perf_counter() - began, facts)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _wait(child: int, limit: float) -> int | None:
    """The exit status, negative for a signal; None where time ran out. Whatever the trial started ends with it."""
    end = time.monotonic() + limit
    status: int | None = None
    while status is None and time.monotonic() < end:
        done, code = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
        time.sleep(0.005)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return status


def _read(request: Request, scratch: Path, status: int | None, seconds: float, facts: Measurement) -> Measurement:
    """What the trial left behind."""
    log = (scratch / LOG).read_bytes()[:LOG_KEPT] if (scratch / LOG).exists() else b""
    log, compiled = _without_compilations(log, facts.framework)
    recording = Recording()
    if (scratch / RECORDING).exists():
        complete(scratch / RECORDING, [], compiled, Exit(status or 0, seconds))
        recording = Recording.load(scratch / RECORDING)
    diagnoses = link_records(suggest(diagnose_with_events(recording), recording.environment))
    ours = {MODULE, LOG, ENDED, RECORDING, TEMPORARY, "__pycache__"}
    seen = msgspec.structs.replace(
        facts,
        seconds=round(seconds, 4),
        functions=tuple(
            SeenFunction(
                name=diagnosis.function.name,
                traces=diagnosis.traces,
                verdict=diagnosis.verdict.value,
                graph_breaks=len(diagnosis.graph_breaks),
                causes=tuple(SeenCause(code=cause.code.value, path=cause.path) for cause in diagnosis.causes),
                records=diagnosis.records,
            )
            for diagnosis in diagnoses
        ),
        compilations=max(len(compiled), sum(diagnosis.compiles for diagnosis in diagnoses)),
        log=_without_places(log.decode(errors="replace"), scratch),
        report=_without_places(render_text(Material(recording, diagnoses)), scratch) if diagnoses else "",
        wrote=tuple(sorted(path.name for path in scratch.iterdir() if path.name not in ours)),
    )
    if status is None:
        return msgspec.structs.replace(seen, broken=f"it ran longer than {request.limit:g} s and was stopped")
    if status < 0:
        return msgspec.structs.replace(seen, broken=f"it was ended by {signal.Signals(-status).name}")
    if not (scratch / ENDED).exists():
        told = seen.log.strip().splitlines()
        why = f"; it said: {told[-1][:300]}" if told else ""
        return msgspec.structs.replace(seen, broken=f"it ended with status {status} before it was measured{why}")
    ended = msgspec.json.decode((scratch / ENDED).read_bytes(), type=Ended)
    error = ended.error
    if error is not None:
        error = msgspec.structs.replace(
            error,
            message=_without_places(error.message, scratch),
            traceback=_without_places(error.traceback, scratch),
        )
    return msgspec.structs.replace(
        seen,
        outputs=ended.outputs,
        error=error,
        seconds=ended.seconds,
        grown_mib=ended.grown_mib,
        retraces_logged=tuple(_without_places(line, scratch) for line in ended.retraces_logged),
    )


def _without_compilations(log: bytes, framework: str) -> tuple[bytes, list[Compiled]]:
    """The log as the user would see it, and the compilations that were in it."""
    backend = find_backend(framework)
    reader = backend.request_compilations({}) if backend is not None else None
    if reader is None:
        return log, []
    kept: list[bytes] = []
    compiled: list[Compiled] = []
    for line in log.splitlines(keepends=True):
        taken = reader.take(line)
        if isinstance(taken, Compiled):
            # Read long after: the order is that of the log. And a fork logs the thread number of its parent.
            clock = (compiled[-1].clock if compiled else 0.0) + taken.seconds
            compiled.append(msgspec.structs.replace(taken, process=None, clock=clock))
        elif not taken:
            kept.append(line)
    return b"".join(kept), compiled


def _without_places(text: str, scratch: Path) -> str:
    """Folders of this machine mean nothing elsewhere."""
    places = {
        f"{scratch}/{TEMPORARY}": "/tmp",
        f"{scratch}/": "",
        sysconfig.get_path("purelib"): "site-packages",
        sysconfig.get_path("stdlib"): "python",
    }
    for place, name in places.items():
        text = text.replace(place, name)
    return _OUR_FRAMES.sub("", _SHORTENED.sub("", text))


if __name__ == "__main__":
    main()
