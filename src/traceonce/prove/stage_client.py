"""The prover's side of a replay: a stage that is kept, orders to it, and what comes back."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from traceonce.errors import TraceonceError
from traceonce.facts import Recording
from traceonce.facts.entries import Exit
from traceonce.facts.replay import Probed, ReplayResult, ReplaySettings
from traceonce.fork_server import ForkServer
from traceonce.observe.launch import Target
from traceonce.observe.recording_store import complete
from traceonce.prove.budget import Interruption
from traceonce.prove.framework_imports import foresee_frameworks
from traceonce.prove.order import ERRORS, GRACE, IMPORTED, PRINTED, PROBES, READY, RECORDING, REPLAY, Ended, Order
from traceonce.prove.scratch import Scratch

PRINTED_KEPT = 4 * 2**20  # bytes of what a program prints
LOST = 60.0  # seconds beyond those of a run after which the stage counts as lost


class Run(msgspec.Struct, frozen=True):
    """One run: its end, what was printed, what was recorded, what the user's functions returned.

    `replay` is None where the program left without saying goodbye (`os._exit`, a crash, a kill). `probes` are None
    where they were not finished. `imported` are the libraries whose copies it has imported.
    """

    status: int | None
    recording: Recording
    replay: ReplayResult | None
    printed: str
    errors: str
    seconds: float
    probes: tuple[Probed, ...] | None = None
    imported: tuple[str, ...] = ()

    @classmethod
    def nothing(cls) -> Run:
        """What is known before the first run."""
        return cls(None, Recording(), None, "", "", 0.0)


class Replays:
    """Runs one program again and again, each time in a fresh copy of its project; a context manager."""

    def __init__(
        self,
        target: Target,
        scratch: Scratch,
        *,
        timeout: float,
        stdin: Path | None = None,
        interruption: Interruption | None = None,
    ) -> None:
        self._interruption = interruption or Interruption()
        self._target = target
        self._scratch = scratch
        self._timeout = timeout
        self._stdin = stdin
        self._preload = foresee_frameworks(target, Path.cwd())
        self._stage: ForkServer | None = None

    @property
    def command(self) -> str:
        """What is run, as one would type it."""
        return shlex.join(self._target.command())

    def __enter__(self) -> Replays:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def run(
        self,
        changed: Mapping[str, bytes],
        settings: ReplaySettings,
        *,
        clock: float = 1.0,
        timeout: float | None = None,
    ) -> Run:
        """The program with these files changed, from its start to its end; `timeout` ends it sooner than usual."""
        seconds = self._timeout if timeout is None else min(timeout, self._timeout)
        ended = self._perform(changed, settings, clock, seconds)
        if ended.too_late is not None:  # it configures the framework before importing it: let it
            self._close()
            self._preload = []
            ended = self._perform(changed, settings, clock, seconds)
        return self._read(ended)

    def _perform(self, changed: Mapping[str, bytes], settings: ReplaySettings, clock: float, timeout: float) -> Ended:
        self._scratch.renew(changed)
        target = self._target
        name = target.name
        if target.kind == "script":
            name = str(self._scratch.copy_of(Path(os.path.abspath(name)).resolve()))
        order = Order(
            kind=target.kind,
            name=name,
            arguments=target.arguments,
            cwd=str(self._scratch.cwd),
            results=str(self._scratch.results),
            temporary=str(self._scratch.temporary),
            moved=self._scratch.trees,
            libraries=self._scratch.libraries,
            settings=settings,
            timeout=timeout,
            input=str(self._stdin.absolute()) if self._stdin is not None else None,
            clock=clock,
        )
        try:
            with self._interruption.waiting():
                answer = self._open().ask(msgspec.json.encode(order), timeout + GRACE + LOST)
        except BaseException:
            self._close()  # and with it what it runs
            raise
        if not answer:
            self._close()
            raise TraceonceError("the process that runs the program ended unexpectedly; is there enough memory?")
        return msgspec.json.decode(answer, type=Ended)

    def _open(self) -> ForkServer:
        if self._stage is None:
            # The copies are always in the same place, and so are hashes of strings: two runs of a program are alike.
            environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
            self._stage = ForkServer([sys.executable, "-m", "traceonce.prove.stage", *self._preload], environment)
            if self._stage.greeting != READY:
                self._close()
                if not self._preload:
                    raise TraceonceError("cannot start a process to run the program")
                self._preload = []  # no framework here that could be loaded before: the program will say
                return self._open()
        return self._stage

    def _close(self) -> None:
        if self._stage is not None:
            self._stage.close()
            self._stage = None

    def _read(self, ended: Ended) -> Run:
        results = self._scratch.results
        recording = Recording()
        if (results / RECORDING).exists():
            complete(results / RECORDING, [], [], Exit(ended.status or 0, ended.seconds))
            recording = Recording.from_bytes(self._scratch.as_seen_by_user((results / RECORDING).read_bytes()))
            recording = msgspec.structs.replace(recording, command=tuple(self._target.command()))
        replay = None
        if (results / REPLAY).exists():
            data = self._scratch.as_seen_by_user((results / REPLAY).read_bytes())
            replay = msgspec.json.decode(data, type=ReplayResult)
        return Run(
            status=ended.status,
            recording=recording,
            replay=replay,
            printed=_text(results / PRINTED),
            errors=self._scratch.with_own_names(_text(results / ERRORS)),
            seconds=ended.seconds,
            probes=self._read_probes(results / PROBES),
            imported=tuple(_text(results / IMPORTED).split()),
        )

    def _read_probes(self, path: Path) -> tuple[Probed, ...] | None:
        try:
            *lines, last = self._scratch.as_seen_by_user(path.read_bytes()).splitlines()
        except (OSError, ValueError):
            return None
        return tuple(msgspec.json.decode(line, type=Probed) for line in lines) if last == b"{}" else None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(PRINTED_KEPT).decode(errors="replace")
    except OSError:
        return ""
