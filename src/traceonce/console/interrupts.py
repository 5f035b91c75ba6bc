"""Ctrl-C and its like, for a command that has something to tell of what it has done so far."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

INTERRUPTED = 130  # the exit status
_ASKING = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def catch_interrupts(ask: Callable[[], None], leftovers: Sequence[Path], *, quiet: bool) -> None:
    """The first signal asks for an end (`ask`), the second one is the end: nothing is left but what was whole by then.

    A signal that is ignored stays ignored, as under `nohup`.
    """
    asked = False

    def handle(number: int, _: object) -> None:
        nonlocal asked
        if asked:
            for folder in leftovers:
                shutil.rmtree(folder, ignore_errors=True)
            os._exit(INTERRUPTED)
        asked = True
        if not quiet:
            _say_from_a_handler(b"traceonce: interrupted; stopping (interrupt again to leave at once)\n")
        ask()

    for number in _ASKING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handle)


def _say_from_a_handler(line: bytes) -> None:
    """Past Python's stream, which refuses to be written to while it is being written to."""
    with contextlib.suppress(OSError):  # nobody reads it any more
        os.write(2, line)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals wait until this is over."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ASKING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
