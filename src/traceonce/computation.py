"""What is computed from a recording is computed in a process of its own, which can be ended.

A recording can come from anywhere, and hold anything. Whatever it holds, reading it takes neither for ever nor all of
the memory; and Ctrl-C ends it, also in the middle of an endless operation that Python itself cannot interrupt.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from traceonce.errors import RecordingError
from traceonce.facts.quantities import duration
from traceonce.parent import prepare_to_end_with_parent

Result = TypeVar("Result")
_Answer: TypeAlias = tuple[bool, Any, str]  # whether it succeeded, what it returned or raised, and where that was

SECONDS = 120.0  # for any recording
SECONDS_PER_MIB = 10.0  # and for its size: several times what it takes, also on a slow machine
NOTICED = 2.0  # seconds of silence after which a person at a terminal wonders


def compute_from(recordings: Sequence[Path], work: Callable[[], Result]) -> Result:
    """What `work` makes of these files, or raises. What it prints is printed; what else it changes is lost.

    A `RecordingError` says that it would have taken more time or memory than there is.
    """
    if "fork" not in multiprocessing.get_all_start_methods() or not _prints_to_files():
        return work()
    sizes = [path.stat().st_size for path in recordings if path.is_file()]
    try:
        succeeded, answer, where = _ask_child(work, SECONDS + SECONDS_PER_MIB * sum(sizes) / 2**20)
    except _OverBudgetError as error:
        names = ", ".join(map(str, recordings))
        raise RecordingError(f"{names}: cannot be processed here: {error}.") from None
    if not succeeded:
        raise answer from _RemoteError(where)
    result: Result = answer
    return result


def _prints_to_files() -> bool:
    """Where somebody reads what is printed in memory, only this process can print it."""
    try:
        return sys.stdout.fileno() >= 0 and sys.stderr.fileno() >= 0
    except (AttributeError, OSError, ValueError):
        return False


def _ask_child(work: Callable[[], Result], seconds: float) -> _Answer:
    sys.stdout.flush()
    sys.stderr.flush()
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(work, writer), daemon=True)
    child.start()
    writer.close()
    try:
        return _receive(reader, seconds)
    except EOFError:
        child.join()
        raise _OverBudgetError(f"its process was ended {_by(child.exitcode)}") from None
    finally:
        child.kill()
        child.join()
        reader.close()


class _OverBudgetError(Exception):
    """It took too long, or too much memory."""


class _RemoteError(Exception):
    """The traceback of the process in which an error was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _receive(reader: Connection, seconds: float) -> _Answer:
    if not reader.poll(min(NOTICED, seconds)):
        if sys.stderr.isatty():
            sys.stderr.write("traceonce: reading the recording …\n")
        if not reader.poll(max(0.0, seconds - NOTICED)):
            raise _OverBudgetError(f"it takes longer than {duration(seconds)}")
    answer: _Answer = pickle.loads(reader.recv_bytes())
    if isinstance(answer[1], MemoryError):
        raise _OverBudgetError("it needs more memory than this machine has")
    return answer


def _answer(work: Callable[[], Result], writer: Connection) -> None:
    prepare_to_end_with_parent()()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to both of us; we are ended by the other
    _limit_memory()
    try:
        packed = pickle.dumps((True, work(), ""))
    except Exception as error:
        packed = _pack_error(error)
    except SystemExit:  # rich's answer to a reader that has seen enough
        packed = _pack_error(BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            packed = _pack_error(error)
    writer.send_bytes(packed)
    os._exit(0)  # without flushing again what could not be written


def _pack_error(error: Exception) -> bytes:
    where = traceback.format_exc()
    try:
        packed = pickle.dumps((False, error, where))
        pickle.loads(packed)
    except Exception:  # an error of a kind that cannot be handed over
        packed = pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}"), where))
    return packed


def _limit_memory() -> None:
    """What no longer fits into this machine's memory fails, before the machine does."""
    try:
        import resource

        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY or most > there:
            resource.setrlimit(resource.RLIMIT_AS, (there, most))
    except (ImportError, OSError, ValueError):
        return


def _by(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"with status {exitcode}"
    try:
        return f"by {signal.Signals(-exitcode).name}"
    except ValueError:
        return f"by signal {-exitcode}"
