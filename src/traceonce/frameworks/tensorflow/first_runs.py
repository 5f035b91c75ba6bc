"""The first execution of a new graph is slow too: time it once, then get out of the way.

TensorFlow prepares a graph (optimises, places, instantiates it) in the thread that calls it, and runs its operations in
threads of its own, for which the caller waits. So the CPU time of the calling thread is preparation, at least; not all
of it where XLA compiles, or a device sets itself up, in those other threads.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from traceonce.facts import Ran
from traceonce.frameworks.base.hooks import disguise, leave_no_frame
from traceonce.frameworks.base.memory import resident_bytes

OnRun = Callable[[Any], None]


class FirstRuns:
    """Gives new concrete functions a timer that removes itself after a few runs: the first, and one to compare with.

    The timer is an instance attribute in place of the method `_call_flat`. It holds the function weakly: a strong
    reference would be a cycle, and a graph in a cycle is kept until the collector comes by.
    """

    def __init__(
        self,
        executing_eagerly: Callable[[], bool],
        write: Callable[[Ran], None],
        problem: Callable[[Exception], None],
    ) -> None:
        self._eager = executing_eagerly
        self._write = write
        self._problem = problem
        self._pending: dict[int, weakref.ref[Any]] = {}
        self._stopped = False
        self._local = threading.local()

    def expect(self, concrete: Any, event: int, on_run: OnRun | None = None, runs: float = 2) -> None:
        """Time the next two runs of `concrete`, and pass the inputs of the next `runs` to `on_run`."""
        if self._stopped:
            return
        key = id(concrete)
        pending = self._pending
        reference = weakref.ref(concrete, lambda _: pending.pop(key, None))
        pending[key] = reference
        concrete._call_flat = disguise(self._timer(reference, event, on_run, runs), type(concrete)._call_flat)

    def set_aside(self, seconds: float) -> None:
        """Leave out of the run under way what is reported on its own (a backward graph)."""
        self._local.aside = getattr(self._local, "aside", 0.0) + seconds

    def stop(self) -> None:
        self._stopped = True
        for reference in list(self._pending.values()):
            concrete: Any = reference()
            if concrete is not None:
                concrete.__dict__.pop("_call_flat", None)
        self._pending.clear()

    def _ran(self, event: int, seconds: float, worked: float, runs: int, resident: int | None) -> None:
        now = resident_bytes() if resident is not None else None
        grown = now - resident if now is not None and resident is not None else None
        seconds = round(max(seconds, 0.0), 6)
        preparing = min(round(max(worked, 0.0), 6), seconds) if runs == 1 else None
        self._write(Ran(event, seconds, steady=runs > 1, bytes=grown, preparing=preparing))

    def _guard(self, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
        except Exception as error:
            self._problem(error)

    def _timer(self, reference: weakref.ref[Any], event: int, on_run: OnRun | None, last: float) -> Callable[..., Any]:
        runs = 0

        def _call_flat(tensor_inputs: Any, captured_inputs: Any) -> Any:
            nonlocal runs
            concrete: Any = reference()
            eager = self._eager()  # else called while another function is traced: no execution
            if eager:
                runs += 1
                if on_run is not None:
                    self._guard(on_run, tensor_inputs)
                if runs >= last:  # threads may step over it
                    concrete.__dict__.pop("_call_flat", None)
                    self._pending.pop(id(concrete), None)
            resident = resident_bytes() if eager and runs == 1 else None
            self._local.aside = 0.0
            began, worked = time.perf_counter(), time.thread_time()
            try:
                result = type(concrete)._call_flat(concrete, tensor_inputs, captured_inputs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            if eager and runs <= 2:
                aside = self._local.aside
                took, worked = time.perf_counter() - began - aside, time.thread_time() - worked - aside
                self._guard(self._ran, event, took, worked, runs, resident)
            return result

        return _call_flat
