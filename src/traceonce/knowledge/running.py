"""Ask a process that runs trials for measurements. Which process that is, the caller says: no framework is run here."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence

import msgspec

from traceonce.errors import RecordError
from traceonce.knowledge.measurement import Measurement

LIMIT = 120.0  # seconds that a trial may take
GRACE = 60.0  # and what the process that runs it may take on top before it counts as lost


class Request(msgspec.Struct, frozen=True):
    """A trial to be run: a function of a module, in one of its situations."""

    module: str
    trial: str
    case: str | None = None
    limit: float = LIMIT


class TrialProcess:
    """A process that has imported a framework, and runs trials one after the other. Lost, it is started again."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command, self._environment = command, environment
        self._process: subprocess.Popen[bytes] | None = None
        self.framework = Measurement()
        self._start()

    def measure(self, request: Request) -> Measurement:
        """Run one trial; a measurement comes back in any case, and says so where it is `broken`."""
        if self._process is None:
            self._start()
        answer = self._ask(msgspec.json.encode(request) + b"\n", request.limit + GRACE)
        if answer:
            return msgspec.json.decode(answer, type=Measurement)
        self.close()
        return msgspec.structs.replace(self.framework, broken="the process that runs the trials was lost")

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
            self._errors.close()

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in `close`
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(self._environment),
        )
        answer = self._ask(b"", 600.0)
        if not answer:
            self._errors.seek(0)
            told = self._errors.read().decode(errors="replace").strip().splitlines()
            self.close()
            raise RecordError(
                f"{' '.join(self._command)}: the framework could not be imported: {told[-1] if told else 'no message'}"
            )
        self.framework = msgspec.json.decode(answer, type=Measurement)

    def _ask(self, line: bytes, limit: float) -> bytes:
        """The answer to a line; empty where the process was lost, or had to be killed."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(limit, process.kill)
        timer.start()
        try:
            process.stdin.write(line)
            process.stdin.flush()
            return process.stdout.readline()
        except BrokenPipeError:
            return b""
        finally:
            timer.cancel()
