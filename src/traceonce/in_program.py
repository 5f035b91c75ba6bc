"""The watched side of `traceonce run`: begins when a process of the program has imported a framework."""

from __future__ import annotations

import atexit
import sys

import msgspec

from traceonce.config import Config
from traceonce.frameworks.base.arrival import Arrivals
from traceonce.integrations import listeners as listeners  # enters itself
from traceonce.observe.hub import hub
from traceonce.observe.process_start import Orders
from traceonce.observe.recorder import FileRecorder
from traceonce.startup import put_in_force

BEGIN = f"{__name__}:begin"


class ProgramSettings(msgspec.Struct, frozen=True):
    """What `traceonce run` was told that concerns the program's own processes."""

    compilations: bool
    config: Config


def begin(orders: Orders) -> None:
    """Watch this process and record it in a file, with the limits of the run in force."""
    settings = msgspec.json.decode(orders.settings, type=ProgramSettings)
    recorder = FileRecorder(orders.recording, orders.run, main=orders.is_main)

    def finish() -> None:
        if recorder.is_open:
            hub.settle()
            recorder.close()

    def finish_with_multiprocessing(_: object) -> None:
        # Processes of multiprocessing leave by os._exit, which runs its own finalizers and no atexit handler.
        sys.modules["multiprocessing.util"].Finalize(None, finish, exitpriority=-1000)

    def multiprocessing_arrived(name: str) -> None:
        sys.modules[name].register_after_fork(recorder, finish_with_multiprocessing)
        if getattr(sys.modules.get("multiprocessing.process"), "parent_process", lambda: None)() is not None:
            finish_with_multiprocessing(None)

    hub.join(recorder, compilations=settings.compilations)
    put_in_force(settings.config)
    atexit.register(finish)
    Arrivals(["multiprocessing.util"], multiprocessing_arrived).start()
