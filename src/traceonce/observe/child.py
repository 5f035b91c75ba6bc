"""The watched side of `traceonce run`: set up at the start of each Python process of the run, before the script."""

from __future__ import annotations

import atexit
import os
import sys

import msgspec

from traceonce.backends.discovery import Known
from traceonce.observe.arrival import Arrivals
from traceonce.observe.hub import Hub
from traceonce.observe.recorder import FileRecorder

VARIABLE = "TRACEONCE_RUN"


class Orders(msgspec.Struct, frozen=True):
    """What the launcher tells the processes of a run, in the environment variable `TRACEONCE_RUN`."""

    recording: str
    run: str
    launcher: int
    backends: tuple[Known, ...]
    compilations: bool = False


def start() -> None:
    """Begin to watch this process, if it belongs to a run."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    orders = msgspec.json.decode(text, type=Orders)
    main = os.getppid() == orders.launcher
    recorder = FileRecorder(orders.recording, orders.run, main=main)
    hub = Hub(list(orders.backends))

    def finish() -> None:
        if recorder.is_open:
            hub.settle()
            recorder.close()

    def finish_with_multiprocessing(_: object) -> None:
        # Processes of multiprocessing leave by os._exit, which runs its own finalizers and no atexit handler.
        sys.modules["multiprocessing.util"].Finalize(None, finish, exitpriority=-1000)

    def multiprocessing_arrived(name: str) -> None:
        sys.modules[name].register_after_fork(recorder, finish_with_multiprocessing)

    hub.join(recorder, compilations=orders.compilations)
    atexit.register(finish)
    Arrivals(["multiprocessing.util"], multiprocessing_arrived).start()


def complain(error: Exception) -> None:
    sys.stderr.write(f"traceonce: this process is not watched: {type(error).__name__}: {error}\n")
