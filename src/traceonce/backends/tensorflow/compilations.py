"""XLA compilations. TensorFlow tells of them in its C++ log only, so with ``--xla`` that log is read as it is written.

Two environment variables, set before TensorFlow is imported, make its compilation profiler speak; a pipe in the place
of standard error listens. Everything that is not about compilations is passed on, less what the user had silenced.
"""

from __future__ import annotations

import os
import re
import select
import sys
import threading
from collections.abc import Callable
from typing import Any

import msgspec

from traceonce.facts import FunctionId, Signature, TraceEvent

USERS_LEVEL = "TRACEONCE_TF_LOG_LEVEL"
_COMPILED = re.compile(rb"device_compilation_profiler\.cc:\d+\] Compiled (\S+) (\d+) times, compile time: (\d+) us")
_LOG_LINE = re.compile(rb"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: )?([IWEF])(\d{4} \d\d:\d\d:\d\d| )")
_PRELUDE = b"WARNING: All log messages before absl::InitializeLog()"
_LEVELS = {b"I": 0, b"W": 1, b"E": 2, b"F": 3}

Report = Callable[[FunctionId, Signature, int, float], None]


def prepare_environment(environment: dict[str, str]) -> None:
    """Make the profiler speak; the user's own log level is kept aside and honoured."""
    environment[USERS_LEVEL] = environment.get("TF_CPP_MIN_LOG_LEVEL", "0")
    environment["TF_CPP_MIN_LOG_LEVEL"] = "0"
    others = environment.get("TF_CPP_VMODULE")
    environment["TF_CPP_VMODULE"] = "device_compilation_profiler=1" + (f",{others}" if others else "")


def is_prepared() -> bool:
    return "device_compilation_profiler=" in os.environ.get("TF_CPP_VMODULE", "")


class Compilations:
    """Listens to the log, and knows which graph belongs to which function and what shapes it last ran with."""

    def __init__(self) -> None:
        self._tap = StandardErrorTap(self._line)
        self._report: Report | None = None
        self._graphs: dict[str, tuple[FunctionId, Signature]] = {}
        self._shapes: dict[str, list[Any]] = {}

    def start(self, report: Report) -> None:
        self._report = report

    def expect(self, concrete: Any, event: TraceEvent) -> Callable[[Any], None]:
        """Take note of a new compiled function; the result is to be called with the inputs of each of its runs."""
        name = concrete.name.decode() if isinstance(concrete.name, bytes) else str(concrete.name)
        self._graphs[name] = (event.function, event.served)

        def ran(inputs: Any) -> None:
            self._shapes[name] = [getattr(tensor, "shape", None) for tensor in inputs]

        return ran

    def stop(self) -> None:
        self._tap.stop()

    def _line(self, line: bytes) -> bool:
        """Handle a line of the log; False where it is to be passed on."""
        found = _COMPILED.search(line)
        if found:
            name = found[1].decode(errors="replace")
            known = self._graphs.get(name)
            if known and self._report:
                function, signature = known
                self._report(function, self._ran_with(name, signature), int(found[2]), int(found[3]) / 1e6)
            return True
        level = _LOG_LINE.match(line)
        users = os.environ.get(USERS_LEVEL, "0")
        wanted = int(users) if users.isdigit() else 0
        if level:
            return _LEVELS[level[2]] < wanted
        return wanted > 0 and line.startswith(_PRELUDE)

    def _ran_with(self, name: str, signature: Signature) -> Signature:
        """The signature with the shapes of the last run in the place of those that the trace left open."""
        shapes = iter(self._shapes.get(name, ()))
        leaves = []
        for leaf in signature.leaves:
            shape = next(shapes, None) if leaf.kind in ("tensor", "variable") else None
            known = shape is not None and shape.rank is not None and leaf.kind == "tensor"
            leaves.append(msgspec.structs.replace(leaf, shape=tuple(shape.as_list())) if known else leaf)
        return msgspec.structs.replace(signature, leaves=tuple(leaves))


class StandardErrorTap:
    """A pipe in the place of file descriptor 2. What `handle` does not take is passed on at once."""

    def __init__(self, handle: Callable[[bytes], bool]) -> None:
        self._handle = handle
        sys.stderr.flush()
        self._real = os.dup(2)
        self._reader, writer = os.pipe()
        os.dup2(writer, 2)
        os.close(writer)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="traceonce-stderr", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._stopping.is_set():
            return
        self._stopping.set()
        sys.stderr.flush()
        os.dup2(self._real, 2)  # closes the last writing end: the reader sees the end of the pipe
        self._thread.join(timeout=5)

    def _run(self) -> None:
        held = b""
        while True:
            ready, _, _ = select.select([self._reader], [], [], 0.05)
            if not ready:
                if held:  # no more came: not a log line after all (a prompt, a progress bar)
                    self._pass_on(held)
                    held = b""
                if self._stopping.is_set():
                    break
                continue
            data = os.read(self._reader, 65536)
            if not data:
                break
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                if not self._handle(line):
                    self._pass_on(line + b"\n")
        if held:
            self._pass_on(held)
        os.close(self._reader)

    def _pass_on(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._real, data) :]
