"""The process that runs trials: it imports a framework once, and forks for every trial it is asked for.

Started as ``python -m traceonce.trials.trial_server FRAMEWORK`` in the environment whose framework is to be tried.
Requests and measurements are lines of JSON (`fork_server`). A trial gets a folder of its own to work in, and a time
limit.
"""

from __future__ import annotations

import platform
import re
import shutil
import signal
import sys
import sysconfig
import tempfile
from pathlib import Path

import msgspec

from traceonce.analysis.diagnoses import diagnose_with_fixes
from traceonce.facts import Compiled, Recording
from traceonce.facts.entries import Exit
from traceonce.fork_server import serve
from traceonce.frameworks.base.registry import find_backend, framework_of
from traceonce.knowledge.cause_records import link_records
from traceonce.knowledge.measurement import SeenCause, SeenFunction, TrialMeasurement
from traceonce.knowledge.trial_runner import TrialRequest
from traceonce.observe.recording_store import complete
from traceonce.report.base import Material
from traceonce.report.text import render_text
from traceonce.trials.trial import ENDED, LOG, MODULE, RECORDING, TEMPORARY, TrialEnd, run_and_exit

PREFIX = "traceonce-trial-"
# Frames below the trial, where a framework prints the whole stack, or its last frames: a program of the user's does
# not have them.
_OUR_FRAMES = re.compile(
    r'^\s*File "(?:<frozen runpy>|[^"]*traceonce/(?:fork_server|trials/\w+)\.py)", line .*\n(?:\n|    .*\n)?'
    r"|^\s*(?:<frozen runpy>|\S*traceonce/(?:fork_server|trials/\w+)\.py):\d+\S* \(\S+\)\n",
    re.M,
)
# A framework may cut the front of a path off, and name its own files from the folder that it was started in.
_SHORTENED = re.compile(rf"[^\s\"'(]*{PREFIX}\w+/(?={re.escape(MODULE)})|[^\s\"'(]*lib/python[\d.]+/(?=site-packages/)")
LOG_KEPT = 200_000  # bytes of what a trial prints


class TrialJob:
    """One trial, in a folder of its own."""

    def __init__(self, line: bytes, facts: TrialMeasurement) -> None:
        self._request = msgspec.json.decode(line, type=TrialRequest)
        self._facts = facts
        self.limit = self._request.limit
        self._scratch = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()

    def run(self) -> None:
        shutil.copy(self._request.module, self._scratch / MODULE)
        run_and_exit(self._request, self._scratch)

    def answer(self, status: int | None, seconds: float) -> bytes:
        try:
            return msgspec.json.encode(_read(self._request, self._scratch, status, seconds, self._facts))
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)


def _facts_about(framework: str) -> TrialMeasurement:
    """What every measurement says of the framework: its version, without the build of it (``2.13.0+cpu``)."""
    version = str(sys.modules[framework].__version__).partition("+")[0]
    return TrialMeasurement(framework=framework, version=version, python=platform.python_version())


def _read(
    request: TrialRequest, scratch: Path, status: int | None, seconds: float, facts: TrialMeasurement
) -> TrialMeasurement:
    """What the trial left behind."""
    log = (scratch / LOG).read_bytes()[:LOG_KEPT] if (scratch / LOG).exists() else b""
    log, compiled = _without_compilations(log, facts.framework)
    recording = Recording()
    if (scratch / RECORDING).exists():
        complete(scratch / RECORDING, [], compiled, Exit(status or 0, seconds))
        recording = Recording.load(scratch / RECORDING)
    diagnoses = link_records(diagnose_with_fixes(recording))
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
        return msgspec.structs.replace(seen, broken=f"it was killed by {signal.Signals(-status).name}")
    if not (scratch / ENDED).exists():
        told = seen.log.strip().splitlines()
        why = f"; its last message: {told[-1][:300]}" if told else ""
        return msgspec.structs.replace(seen, broken=f"it exited with status {status} before it was measured{why}")
    ended = msgspec.json.decode((scratch / ENDED).read_bytes(), type=TrialEnd)
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


def main() -> None:
    name = sys.argv[1]
    modules = (name, *framework_of(name).along)  # a second or more, which every trial would pay again
    serve(modules, lambda: msgspec.json.encode(_facts_about(name)), lambda line: TrialJob(line, _facts_about(name)))


if __name__ == "__main__":
    main()
