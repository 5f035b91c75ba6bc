"""The process that computes: one job at a time, each within its budget, until the server closes the pipe or is gone.

A job may hold Python's lock in an endless loop of C code, where neither an exception nor a handler of signals gets
through. So nothing here relies on Python to stop it: the kernel ends the process when its time is used up, and when the
server is gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import multiprocessing
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from traceonce.errors import UsageError
from traceonce.serve.computation_budget import ComputationBudget

JOBS = 500  # after which a worker makes room for a new one
_PAGE = os.sysconf("SC_PAGE_SIZE")


class WorkerJob(NamedTuple):
    """A job, which is a function of a module, and what it is to work on."""

    budget: ComputationBudget
    job: Callable[..., Any]
    arguments: tuple[Any, ...]


class Done(NamedTuple):
    """What came of a job; `is_last`: the worker ends itself."""

    result: Any
    is_last: bool


class Refused(NamedTuple):
    """A job that said what is wrong with its input, as an exception of ours; the worker goes on."""

    error: UsageError


class Broken(NamedTuple):
    """A job that raised what nobody expected; `trace` is for the log."""

    kind: str
    message: str
    trace: str


class OutOfMemory(NamedTuple):
    """A job that needed more memory than its budget has; the worker ends itself."""


def work(pipe: Connection, niceness: int, grown: int) -> None:
    """Do what comes through the pipe. Who has `grown` by so many bytes makes room: Python gives little memory back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    _end_with_server()
    os.nice(niceness)
    gc.freeze()  # what was imported is shared with other workers as long as nobody touches it
    gc.disable()  # a job is short, and what it leaves is collected after it
    first = _resident()
    with contextlib.suppress(EOFError, OSError):  # the server closed the pipe
        for number in range(1, JOBS + 1):
            order: WorkerJob = pipe.recv()
            outcome = _do(order)
            is_last = number == JOBS or isinstance(outcome, OutOfMemory)
            del order
            if isinstance(outcome, Done):
                is_last = is_last or _peak() > first + grown
                outcome = outcome._replace(is_last=is_last)
            pipe.send(outcome)
            del outcome
            if is_last:
                return
            gc.collect()


def _do(order: WorkerJob) -> Done | Refused | Broken | OutOfMemory:
    try:
        with _within(order.budget):
            return Done(order.job(*order.arguments), is_last=False)
    except UsageError as error:
        return Refused(error)
    except MemoryError:
        return OutOfMemory()
    except Exception as error:
        return Broken(type(error).__name__, str(error)[:1_000], traceback.format_exc()[-20_000:])


@contextlib.contextmanager
def _within(budget: ComputationBudget) -> Iterator[None]:
    """The kernel ends the process by SIGPROF when the time is used up, whatever it does; memory is just not given."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, budget.seconds)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":  # elsewhere the limit is not kept, or the size not known
        most = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE + budget.memory
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.setitimer(signal.ITIMER_PROF, 0)


def _end_with_server() -> None:
    """Let the kernel end this process when the server is gone: the pipe that shows it then sends SIGIO.

    Elsewhere than on Linux its budget ends it; and a worker that has nothing to do notices that its own pipe is closed.
    """
    server = multiprocessing.parent_process()
    if sys.platform == "linux" and server is not None:
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(server.sentinel, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(server.sentinel, fcntl.F_SETFL, fcntl.fcntl(server.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
        if not server.is_alive():  # it went before it could be asked for
            os._exit(1)


def _resident() -> int:
    return _peak() if sys.platform != "linux" else int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
