"""What is computed from a recording is computed in a process of its own, which can be ended.

A recording can come from anywhere, and hold anything. Whatever it holds, reading it takes neither for ever nor all of
the memory; and Ctrl-C ends it, also in the middle of an endless operation that Python itself cannot interrupt.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from traceonce.errors import OverBudgetError
from traceonce.facts.quantities import duration
from traceonce.parent import prepare_to_end_with_parent

Result = TypeVar("Result")

SECONDS = 120.0  # for any recording
SECONDS_PER_MIB = 30.0  # and for its size: some ten times what it takes
NOTICED = 2.0  # seconds of silence after which a person at a terminal wonders


def seconds_for(*recordings: Path) -> float:
    """How long it may take to understand these files."""
    sizes = [path.stat().st_size for path in recordings if path.is_file()]
    return SECONDS + SECONDS_PER_MIB * sum(sizes) / 2**20


def compute_apart(work: Callable[[], Result], seconds: float) -> Result:
    """What `work` returns or raises, within a budget. What it prints is printed; what else it changes is lost."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return work()
    sys.stdout.flush()
    sys.stderr.flush()
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(work, writer), daemon=True)
    child.start()
    writer.close()
    try:
        succeeded, answer, where = _receive(reader, seconds)
    except EOFError:
        child.join()
        raise OverBudgetError(f"its process was ended {_by(child.exitcode)}") from None
    finally:
        child.kill()
        child.join()
        reader.close()
    if succeeded:
        result: Result = answer
        return result
    if isinstance(answer, MemoryError):
        raise OverBudgetError("it needs more memory than this machine has")
    raise answer from _Elsewhere(where)


class _Elsewhere(Exception):
    """The traceback of the process in which an error was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _receive(reader: Connection, seconds: float) -> tuple[bool, Any, str]:
    if not reader.poll(min(NOTICED, seconds)):
        if sys.stderr.isatty():
            sys.stderr.write("traceonce: the recording is being read …\n")
        if not reader.poll(max(0.0, seconds - NOTICED)):
            raise OverBudgetError(f"it takes longer than {duration(seconds)}")
    succeeded, answer, where = pickle.loads(reader.recv_bytes())
    return succeeded, answer, where


def _answer(work: Callable[[], Result], writer: Connection) -> None:
    prepare_to_end_with_parent()()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to both of us; we are ended by the other
    _limit_memory()
    try:
        packed = pickle.dumps((True, work(), ""))
    except Exception as error:
        packed = _pack_error(error)
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
