"""The moment from which on PyTorch runs a function as plain Python: told, and what a call costs then.

The call that reached the limit is itself the first that runs so; it and a few more are timed, and the fastest counts,
since the first ones are cold. Like the time of a compiled run, this is without the guards, which PyTorch goes on
to ask before every call. A trace function does it, which is there for these calls and takes itself out; where
somebody else has one in place (a debugger, a measurement of coverage), nothing is timed. Later calls cost what they
cost unwatched. Where the watch ends before, the trace function goes with it: at once in the thread that ends it, in
others at the next call that they make.
"""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable
from typing import Any

import msgspec

from traceonce.facts import Cause, CauseCode, FellBack, Finding, Note
from traceonce.frameworks.torch.requests import RESET, Request
from traceonce.frameworks.torch.words import IN_A_PART, LAST_REASON
from traceonce.words.notes import noted

TIMED = 4  # calls
LONGEST = 1.0  # seconds of a call, after which no further one is timed
OTHERS = 5_000  # calls of other functions before and between them, a few milliseconds in all; then no more are timed


class FallenBack:
    """Findings under way: those whose first plain call has not ended."""

    def __init__(self, write: Callable[[Finding], None], problem: Callable[[Exception], None]) -> None:
        self._write = write
        self._problem = problem
        self._waiting: dict[int, Finding] = {}
        self._tracers: list[Callable[..., Any]] = []
        self._closed = False

    def stop(self) -> None:
        """Time nothing more, and leave no trace function behind."""
        self._closed = True
        if sys.gettrace() in (*self._tracers, _look_away):
            sys.settrace(None)

    def expect(self, number: int, finding: Finding) -> None:
        self._waiting[number] = finding

    def settle(self) -> None:
        """Tell what is known, of calls that are still under way, too."""
        for number in list(self._waiting):
            self._tell(number, None)

    def time_next(self, number: int, code: types.CodeType) -> None:
        """The frame of `code` is about to run in this thread: time it, or do without."""
        if self._closed or sys.gettrace() is not None or sys.getprofile() is not None:
            self._tell(number, None)
            return
        tracer = self._tracer(number, code)
        self._tracers.append(tracer)
        sys.settrace(tracer)

    def _tell(self, number: int, seconds: float | None) -> None:
        finding = self._waiting.pop(number, None)
        if finding is None:
            return
        if seconds is not None and finding.fell_back is not None:
            fell_back = msgspec.structs.replace(finding.fell_back, eager_seconds=round(seconds, 6))
            finding = msgspec.structs.replace(finding, fell_back=fell_back)
        self._write(finding)

    def _tracer(self, number: int, code: types.CodeType) -> Callable[..., Any]:
        began = 0.0
        times: list[float] = []
        others = 0

        def is_over() -> bool:  # the watch has ended, or it is told already
            return self._closed or number not in self._waiting

        def done() -> None:
            if sys.gettrace() in (between, _look_away):
                sys.settrace(None)
            if between in self._tracers:
                self._tracers.remove(between)
            try:
                self._tell(number, min(times, default=None))
            except Exception as error:
                self._problem(error)

        def inside(frame: types.FrameType, event: str, _: Any) -> Any:
            if event == "return":
                times.append(time.perf_counter() - began)
                if len(times) >= TIMED or times[-1] > LONGEST or is_over():
                    done()
                elif sys.gettrace() is _look_away:
                    sys.settrace(between)
            return inside

        def between(frame: types.FrameType, event: str, _: Any) -> Any:
            nonlocal began, others
            if is_over():
                done()
                return None
            if frame.f_code is code:
                frame.f_trace_lines = False
                sys.settrace(_look_away)  # what it calls is not ours to see
                began = time.perf_counter()
                return inside
            others += 1
            if others > OTHERS:
                done()
            return None

        for function in (is_over, done, inside, between, self._tell):
            _leave_alone(getattr(function, "__code__", None))
        return between


def was_compiled(request: Request) -> bool:
    """Was this code compiled before, so that it falls back where it is compiled no more?"""
    own = request.phase == "retrace" or (request.described.part and not request.described.internal)
    return bool(own and request.reasons and request.reasons[0] != RESET)


def find(request: Request, why: Note, limit: int | None, start: float, compiled_seconds: float | None) -> Finding:
    """What is told of a function that runs as plain Python from this request on."""
    function = request.described.id
    part = (IN_A_PART(),) if request.described.part else ()
    last = LAST_REASON(reason=request.reasons[0] if request.reasons else "")
    compiled = round(compiled_seconds, 6) if compiled_seconds is not None else None
    return Finding(
        "torch",
        function,
        noted(Cause(CauseCode.FELL_BACK, function.short_name, "compiled", "eager"), why, *part, last),
        fell_back=FellBack(limit=limit, call_site=request.site, start=start, compiled_seconds=compiled),
    )


# Called for each call inside of what is timed: `getattr(frame, "call", None)` is None, and no Python is cheaper.
_look_away: Any = getattr


def _leave_alone(code: types.CodeType | None) -> None:
    """Have PyTorch run this code as it is."""
    try:
        from torch._dynamo.eval_frame import skip_code
    except ImportError:
        return
    if code is not None:
        skip_code(code)
