"""XLA compilations. TensorFlow tells of them in its C++ log only, so with ``--xla`` that log is read.

Two environment variables, set before TensorFlow is imported, make its compilation profiler speak. The lines of the
profiler are taken out of the log; what the user had silenced stays silent; all the rest is passed on.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from traceonce.facts import Compiled, Inputs

_COMPILED = re.compile(
    rb"(?:\s(\d+) )?\S*device_compilation_profiler\.cc:\d+\] Compiled (\S+) (\d+) times, compile time: (\d+) us"
)
_LOG_LINE = re.compile(
    rb"^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: )?"  # a date, in older versions
    rb"([IWEF])(?:\d{4} \d\d:\d\d:\d\d\S*\s+\d+)? ?"  # the level; the time and the thread, in newer ones
    rb"\S+\.(?:cc|h|cpp|cu):\d+\]"
)
_PRELUDE = b"WARNING: All log messages before absl::InitializeLog()"
_CONTINUED = re.compile(rb"To enable the following|\s*\[\[\{\{node ")  # the second lines of its messages
_LEVELS = {b"I": 0, b"W": 1, b"E": 2, b"F": 3}


class CompilationLog:
    """Makes the profiler speak, in the environment of a program, and reads what it says."""

    def __init__(self, environment: dict[str, str]) -> None:
        level = environment.get("TF_CPP_MIN_LOG_LEVEL", "0")
        self._users_level = int(level) if level.isdigit() else 0
        environment["TF_CPP_MIN_LOG_LEVEL"] = "0"
        others = environment.get("TF_CPP_VMODULE")
        environment["TF_CPP_VMODULE"] = "device_compilation_profiler=1" + (f",{others}" if others else "")
        self._continues = False

    def take(self, line: bytes) -> Compiled | bool:
        """A compilation; or whether the line is to be kept from the user."""
        found = _COMPILED.search(line)
        if found:
            thread, graph, ordinal, microseconds = found.groups()
            name = graph.decode(errors="replace")
            seconds = int(microseconds) / 1e6
            return Compiled("tensorflow", name, int(ordinal), seconds, time.time(), _process_of(thread))
        level = _LOG_LINE.match(line)
        if level:
            self._continues = _LEVELS[level[1]] < self._users_level
            return self._continues
        if line.startswith(_PRELUDE):
            return self._users_level > 0
        self._continues = self._continues and _CONTINUED.match(line) is not None
        return self._continues


def _process_of(thread: bytes | None) -> str | None:
    """The process that a thread belongs to, where the log names the thread and the system knows it."""
    try:
        with open(f"/proc/{int(thread or b'')}/status", "rb") as file:
            return next(line.split()[1].decode() for line in file if line.startswith(b"Tgid:"))
    except (OSError, ValueError, StopIteration):
        return None


class InputShapes:
    """Writes down each new combination of shapes that a compiled function runs with."""

    def __init__(self, write: Callable[[Inputs], None]) -> None:
        self._write = write

    def expect(self, event: int) -> Callable[[Any], None]:
        """The result is to be called with the inputs of each run of the function that `event` traced."""
        seen: set[tuple[str, ...]] = set()

        def ran(inputs: Any) -> None:
            shapes = [getattr(tensor, "shape", None) for tensor in inputs]
            key = tuple(map(str, shapes))
            if key not in seen:
                seen.add(key)
                known = [tuple(s.as_list()) if s is not None and s.rank is not None else None for s in shapes]
                self._write(Inputs(event, tuple(known)))

        return ran
