"""The process that rehearsals are forked from.

Started as ``python -m traceonce.prove.stage [FRAMEWORK]``. Orders come as lines of JSON on standard input, and a line
goes to standard output for each when it has ended. With a framework named it is imported once, and never used here, so
that every run starts from the same clean state without the seconds that the import takes. A program that configures the
framework through the environment before importing it needs a stage without: the answer says so (`too_late`).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
import time

import msgspec

from traceonce.prove.order import Ended, Order
from traceonce.prove.performing import TOO_LATE, perform

GRACE = 15.0  # seconds that a program has to end by itself when its time has run out


def main() -> None:
    _end_with_parent()
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    orders = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # whatever the framework prints must not get among the answers
    for framework in sys.argv[1:]:
        importlib.import_module(framework)
    gc.freeze()  # else the collector looks at all of it in every fork, and so copies its memory: a second each
    answers.write(b"ready\n")
    for line in orders:
        order = msgspec.json.decode(line, type=Order)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            answers.close()
            orders.close()
            perform(order, preloaded=sys.argv[1:])
            return
        answers.write(msgspec.json.encode(_wait(child, order)) + b"\n")


def _end_with_parent() -> None:
    """On Linux: be told when the prover is killed, and be given what a program leaves behind: nothing may run on."""
    if sys.platform.startswith("linux"):
        import ctypes

        set_parent_death_signal, set_child_subreaper = 1, 36
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
        ctypes.CDLL(None).prctl(set_child_subreaper, 1)


def _wait(child: int, order: Order) -> Ended:
    """Wait for the end; whatever the program started ends with it."""

    def give_up(*_: object) -> None:
        _kill(child)
        os._exit(1)

    signal.signal(signal.SIGTERM, give_up)
    began = time.monotonic()
    status: int | None = None
    while status is None and time.monotonic() - began < order.timeout + GRACE:
        done, code = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
        if status is None:
            time.sleep(0.01)
    _kill(child)
    if status is None:
        os.waitpid(child, 0)
    _kill_orphans()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    seconds = time.monotonic() - began
    try:
        with open(os.path.join(order.results, TOO_LATE), encoding="utf-8") as file:
            return Ended(status, seconds, file.read())
    except OSError:
        return Ended(status, seconds)


def _kill(child: int) -> None:
    for kill in (os.killpg, os.kill):  # it may not have become the leader of its group yet
        with contextlib.suppress(OSError):
            kill(child, signal.SIGKILL)


def _kill_orphans() -> None:
    """What the program started in sessions of their own has been given to us: there are no other children here."""
    for _ in range(100):  # those of the killed ones come next
        try:
            with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
                orphans = [int(number) for number in file.read().split()]
        except OSError:
            return
        if not orphans:
            return
        for orphan in orphans:
            _kill(orphan)
            with contextlib.suppress(OSError):
                os.waitpid(orphan, 0)


if __name__ == "__main__":
    main()
