"""Ask a process that runs trials for measurements. Which process that is, the caller says: no framework is run here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from traceonce.errors import RecordError
from traceonce.fork_server import ForkServer
from traceonce.knowledge.measurement import TrialMeasurement

LIMIT = 120.0  # seconds that a trial may take
GRACE = 60.0  # and what the process that runs it may take on top before it counts as lost


class TrialRequest(msgspec.Struct, frozen=True):
    """A trial to be run: a function of a module, in one of its situations."""

    module: str
    trial: str
    case: str | None = None
    limit: float = LIMIT


class TrialProcess:
    """A process that has imported a framework, and runs trials one after the other. Lost, it is started again."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command, self._environment = command, environment
        self._server: ForkServer | None = None
        self.framework = TrialMeasurement()
        self._start()

    def measure(self, request: TrialRequest) -> TrialMeasurement:
        """Run one trial; a measurement comes back in any case, and says so where it is `broken`."""
        server = self._server or self._start()
        answer = server.ask(msgspec.json.encode(request), request.limit + GRACE)
        if answer:
            return msgspec.json.decode(answer, type=TrialMeasurement)
        self.close()
        return msgspec.structs.replace(self.framework, broken="the process that runs the trials was lost")

    def close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()

    def _start(self) -> ForkServer:
        self._server = server = ForkServer(self._command, self._environment)
        if not server.greeting:
            told = server.last_words or "no message"
            self.close()
            raise RecordError(f"{' '.join(self._command)}: the framework could not be imported: {told}")
        self.framework = msgspec.json.decode(server.greeting, type=TrialMeasurement)
        return server
