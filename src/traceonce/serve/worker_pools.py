"""Workers for different kinds of jobs, so that what is quick never waits for what is slow.

A pool has a few worker processes, and so many jobs may wait for them. Each worker has a pipe of its own: whatever
becomes of one, no other notices. They are started by a process that has imported what they need and nothing else
(multiprocessing's fork server), so that a new one is there in an instant and shares its memory with the others.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias, TypeVar, cast

import anyio
import anyio.to_thread

from traceonce.serve.computation_budget import MIB, MOST_SECONDS, SMALL, ComputationBudget
from traceonce.serve.request_errors import BrokenJobError, BusyError, OverBudgetError
from traceonce.serve.worker import Broken, Done, OutOfMemory, Refused, WorkerJob, work

PRELOADED = ["traceonce.serve.jobs", "traceonce.serve.text_jobs"]
REMEDY = "record a shorter run, or run `traceonce report FILE` locally."
_context = multiprocessing.get_context("forkserver")
GROWN = 24 * MIB  # bytes that a worker may keep beyond what it began with
Result = TypeVar("Result")
Outcome: TypeAlias = Done | Refused | Broken | OutOfMemory


class WorkerPool:
    """At most so many `workers` at once, and so many jobs `waiting` for them.

    `niceness` is for the workers; one that has `grown` by so many bytes is replaced.
    """

    def __init__(self, workers: int, waiting: int, niceness: int = 0, grown: int = GROWN) -> None:
        self._room = anyio.CapacityLimiter(workers)
        self._threads = anyio.CapacityLimiter(workers)  # one waits for each worker
        self._waiting = waiting
        self._niceness = niceness
        self._grown = grown
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._open = True

    async def run(self, budget: ComputationBudget, job: Callable[..., Result], *arguments: Any) -> Result:
        """What a job returns. What it refuses is raised as it raised it."""
        if self._room.statistics().tasks_waiting >= self._waiting:
            raise BusyError("too many recordings are waiting to be read; try again later.")
        async with self._room:
            order = WorkerJob(budget, job, arguments)
            return cast(Result, await anyio.to_thread.run_sync(self._do, order, limiter=self._threads))

    def open(self) -> None:
        self._open = True

    def close(self) -> None:
        """End all workers, whatever they do."""
        with self._lock:
            self._open = False
            idle, busy = [*self._idle], [*self._busy]
            self._idle.clear()
        for worker in busy:
            worker.kill()  # the thread that waits for it ends it
        for worker in idle:
            worker.end()

    def _do(self, order: WorkerJob) -> Any:
        """What comes of an order; where the worker was killed from outside, another one gets it."""
        try:
            return self._hand_over(order)
        except _EndedFromOutsideError:
            return self._hand_over(order)

    def _hand_over(self, order: WorkerJob) -> Any:
        worker = self._take()
        outcome: Outcome | None = None
        try:
            outcome = worker.do(order)
        finally:
            stays = isinstance(outcome, (Refused, Broken)) or (isinstance(outcome, Done) and not outcome.is_last)
            self._give_back(worker, stays=stays)
        match outcome:
            case Done(result):
                return result
            case Refused(error):
                raise error
            case Broken(kind, message, trace):
                raise BrokenJobError(kind, message, trace)
            case OutOfMemory():
                raise _too_much_memory(order.budget)

    def _take(self) -> _Worker:
        with self._lock:
            if not self._open:
                raise BusyError("the server is shutting down; try again later.")
            while self._idle:
                worker = self._idle.pop()
                if worker.is_there:  # else it was killed from outside, while it had nothing to do
                    break
                worker.end()
            else:
                worker = _Worker(self._niceness, self._grown)
            self._busy.add(worker)
            return worker

    def _give_back(self, worker: _Worker, *, stays: bool) -> None:
        with self._lock:
            self._busy.discard(worker)
            if stays and self._open:
                self._idle.append(worker)
                return
        worker.end()


class WorkerPools:
    """Reading what is uploaded, and looking at what was read: each has workers for small recordings and for large ones.

    Long texts have one of their own.
    Reading yields to looking where the processor is short. One large recording is read at a time, since each takes some
    hundred megabytes.
    """

    def __init__(self, most_seconds: float = MOST_SECONDS) -> None:
        self.most_seconds = most_seconds
        self._look = WorkerPool(workers=2, waiting=256)
        self._look_large = WorkerPool(workers=1, waiting=16, niceness=10)
        self._read = WorkerPool(workers=2, waiting=64, niceness=10)
        self._read_large = WorkerPool(workers=1, waiting=16, niceness=19)
        self.texts = WorkerPool(workers=1, waiting=64, niceness=10, grown=128 * MIB)  # it keeps an index of the records
        self._all = (self._look, self._look_large, self._read, self._read_large, self.texts)

    def look(self, size: int) -> WorkerPool:
        """Where something is made of a recording that is kept, of which so many bytes have to be read for it."""
        return self._look if size <= SMALL else self._look_large

    def read(self, size: int) -> WorkerPool:
        """Where a recording of so many bytes is read for the first time."""
        return self._read if size <= SMALL else self._read_large

    def open(self) -> None:
        """Get ready: the process that starts workers imports what they need, so that the first does not wait for it."""
        _context.set_forkserver_preload(PRELOADED)
        forkserver.ensure_running()
        for pool in self._all:
            pool.open()

    def close(self) -> None:
        """End all workers, whatever they do."""
        for pool in self._all:
            pool.close()


class _Worker:
    """A process, and the pipe to it; one thread at a time uses it."""

    def __init__(self, niceness: int, grown: int) -> None:
        _context.set_forkserver_preload(PRELOADED)
        self._pipe, theirs = _context.Pipe()
        self._process: BaseProcess = _context.Process(
            target=work, args=(theirs, niceness, grown), name="traceonce worker", daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def is_there(self) -> bool:
        return self._process.is_alive()

    def do(self, order: WorkerJob) -> Outcome:
        """What came of a job."""
        try:
            self._pipe.send(order)
            if not self._pipe.poll(order.budget.patience):
                raise OverBudgetError(f"reading it timed out after {order.budget.patience:,.0f} s; {REMEDY}")
            outcome: Outcome = self._pipe.recv()
        except (EOFError, OSError):
            raise self._why_it_ended(order.budget) from None
        return outcome

    def kill(self) -> None:
        """Let whoever waits for it wait no longer."""
        with contextlib.suppress(ValueError):  # it is ended already
            self._process.kill()

    def end(self) -> None:
        """Kill it, and wait for that: there is nothing that it would have to put in order."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()

    def _why_it_ended(self, budget: ComputationBudget) -> OverBudgetError | BusyError:
        self._process.join(10)
        if self._process.exitcode == -signal.SIGPROF:
            return OverBudgetError(f"reading it exceeds the limit of {budget.seconds:,.0f} s of CPU time; {REMEDY}")
        if self._process.exitcode in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS):
            return _too_much_memory(budget)  # C code that was not given what it asked for
        return _EndedFromOutsideError("the worker process was killed; try again later.")


class _EndedFromOutsideError(BusyError):
    """Neither the job nor its budget ended the worker: the system did, or the server does not want it any more."""


def _too_much_memory(budget: ComputationBudget) -> OverBudgetError:
    return OverBudgetError(f"reading it exceeds the limit of {budget.memory // MIB:,} MiB of memory; {REMEDY}")
