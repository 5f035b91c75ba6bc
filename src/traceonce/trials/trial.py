"""One trial, inside its own process: watch it, run it, and write down what came out."""

from __future__ import annotations

import importlib.util
import logging
import math
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from traceonce.config import Config
from traceonce.knowledge.measurement import Failed
from traceonce.knowledge.trial_runner import TrialRequest
from traceonce.observe.hub import hub
from traceonce.observe.recorder import FileRecorder
from traceonce.startup import put_in_force

MODULE, RECORDING, LOG, ENDED, TEMPORARY = "train.py", ".recording.jsonl", ".log", ".ended.json", ".tmp"
LOGGER = "traceonce"  # the log of retraces, as a user configures it
DEPTH = 20  # of the nesting of outputs


class TrialEnd(msgspec.Struct):
    """What the process can say at its end."""

    outputs: Any
    error: Failed | None
    seconds: float
    grown_mib: float
    retraces_logged: list[str]


def run_and_exit(request: TrialRequest, scratch: Path) -> None:
    """Run the trial in this folder and leave the process; nothing of the parent's is run on the way out."""
    status = 1
    try:
        os.setsid()
        log = os.open(scratch / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(scratch)
        temporary = scratch / TEMPORARY
        temporary.mkdir()
        os.environ.update(HOME=str(scratch), TMPDIR=str(temporary))
        tempfile.tempdir = str(temporary)  # it was asked for, and remembered, before the fork
        (scratch / ENDED).write_bytes(msgspec.json.encode(_run(request, scratch)))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


def _run(request: TrialRequest, scratch: Path) -> TrialEnd:
    lines = _Lines()
    logging.getLogger(LOGGER).addHandler(lines)
    recorder = FileRecorder(str(scratch / RECORDING), run="trial", main=True)
    hub.join(recorder, compilations=True)
    put_in_force(Config(log_retraces=True))
    trial = getattr(_load(scratch / MODULE), request.trial)
    arguments = () if request.case is None else (request.case,)
    outputs, failed = None, None
    before, began = _resident_mib(), time.perf_counter()
    try:
        outputs = plain(trial(*arguments))
    except Exception as error:
        failed = _describe(error)
    seconds, grown = time.perf_counter() - began, _resident_mib() - before
    hub.settle()
    recorder.close()
    return TrialEnd(outputs, failed, round(seconds, 4), round(grown, 1), lines.seen)


class _Lines(logging.Handler):
    """Keeps the lines of our log of retraces, as the standard configuration of `logging` would print them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(self.format(record))


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _describe(error: Exception) -> Failed:
    """The error as the trial's own code would show it: the first frame is ours."""
    names = tuple(kind.__name__ for kind in type(error).__mro__ if issubclass(kind, Exception))
    outer = error.__traceback__.tb_next if error.__traceback__ is not None else None
    lines = traceback.format_exception(type(error), error, outer)
    return Failed(types=names, message=str(error), traceback="".join(lines))


def _resident_mib() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # the peak, where the present is not told
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def plain(value: Any, depth: int = DEPTH) -> Any:
    """Outputs as JSON can hold them: numbers, strings, lists and dictionaries, whatever the framework calls them."""
    if type(value) is float and not math.isfinite(value):
        return str(value)  # JSON has no word for it
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if depth == 0:
        return str(value)
    for method in ("to_list", "numpy", "tolist"):  # ragged tensors; tensors and variables; arrays
        if callable(convert := getattr(value, method, None)):
            try:
                return plain(convert(), depth - 1)
            except Exception:
                return f"<{type(value).__name__}>"  # a symbolic tensor has no value
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, depth - 1) for item in value]
    return str(value)
