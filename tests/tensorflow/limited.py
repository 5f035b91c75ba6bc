"""What tests of limits do again and again: be refused, run in threads, ask a forked process."""

from __future__ import annotations

import concurrent.futures
import os
import signal
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import traceonce

THREADS = 8


def refused(function: Callable[..., Any], *args: Any) -> traceonce.TracingLimitReached:
    """The error of a call that must be refused."""
    with pytest.raises(traceonce.TracingLimitReached) as caught:
        function(*args)
    return caught.value


def at_once(work: Callable[[int], Any]) -> list[traceonce.TracingLimitReached]:
    """Run `work` in eight threads that start together; what was refused there. Any other error fails the test."""
    start = threading.Barrier(THREADS)
    refusals: list[traceonce.TracingLimitReached] = []

    def run(number: int) -> None:
        start.wait(60)
        try:
            work(number)
        except traceonce.TracingLimitReached as error:
            refusals.append(error)

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))
    return refusals


def in_a_child(work: Callable[[], str]) -> str:
    """What `work` says in a forked process. A child that hangs is ended by its alarm, and says nothing."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 does not like a fork where there are threads
        child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os.write(writing, work().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as said:
        answer = said.read()
    os.waitpid(child, 0)
    return answer
