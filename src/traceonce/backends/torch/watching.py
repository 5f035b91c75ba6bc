"""Watches `torch.compile`: one event for each time that a function is compiled, with the guards that made it so.

`convert_frame._compile` is called where no compiled code serves a call, and never where one does, so a hit costs
nothing. PyTorch may swallow what is raised inside it; so an error of a limit goes up as a `Refused`, which it does not
catch, to a wrapper of ours around PyTorch's own outermost one, and becomes itself again there.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import msgspec

from traceonce.backends.base import Sink
from traceonce.backends.hooks import Hooks, leave_no_frame
from traceonce.backends.memory import resident_bytes
from traceonce.backends.numbering import number_event
from traceonce.backends.places import Places
from traceonce.backends.torch.falling_back import FallenBack, find, was_compiled
from traceonce.backends.torch.graphs import Made, graph_breaks
from traceonce.backends.torch.probes import (
    Probes,
    compiled_names,
    give_number_back,
    is_compiled,
    is_skipped_for_good,
    reached_limit,
    why_skipped,
)
from traceonce.backends.torch.reasons import AskedOnce
from traceonce.backends.torch.requests import Request, Requests
from traceonce.backends.torch.runs import FirstRuns
from traceonce.facts import FunctionId, Notice, Signature, TraceEvent
from traceonce.facts.cause import LEFT_ALONE
from traceonce.facts.error_text import shorten_error


class Refused(BaseException):
    """A limit does not let a function be compiled; `error` is what the program gets."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Open:
    """A compilation under way: what is known before it ends."""

    event: int
    request: Request
    limit: tuple[str, int | None] | None
    made: Made
    breaks: int
    call: int
    resident: int | None
    grown: int | None
    permitted: bool
    inner: float
    parent: int | None
    start: float


class CompileWatching:
    """Watches `torch._dynamo.convert_frame._compile`, which PyTorch calls where nothing compiled serves a call."""

    hook = "compilations (torch._dynamo.convert_frame._compile)"

    def __init__(self, torch: Any, probes: Probes, sink: Sink) -> None:
        self._torch = torch
        self._probes = probes
        self._sink = sink
        self._places = Places((torch.__file__,))
        self._requests = Requests(torch, probes, self._places)
        self._threads = threading.local()
        self._problems: set[str] = set()
        self._stopped = False
        self._runs = FirstRuns(sink.write, self._problem)
        self._fallen = FallenBack(sink.write, self._problem)
        self._functions: dict[str, FunctionId] = {}  # by PyTorch's own number for a compilation
        self._reasons = AskedOnce()
        self._hooks = Hooks()
        try:
            self._hooks.place(probes.convert_frame, "_compile", self._hook)
            self._hooks.place(probes.convert_frame.CatchErrorsWrapper, "__call__", self._outermost)
            self._hooks.place(probes.output_graph.OutputGraph, "call_user_compiler", self._graph)
            self._reasons.place(self._hooks, probes.guards)
            if isinstance(getattr(probes.utils, "log_compilation_event", None), types.FunctionType):
                self._hooks.place(probes.utils, "log_compilation_event", self._metrics)
        except BaseException:
            self.stop()
            raise

    def renew(self) -> Callable[[str], int]:
        self._requests.renew()
        return self._runs.mark()

    def settle(self) -> None:
        for work in (self._fallen.settle, self._tell_calls):
            try:
                work()
            except Exception as error:
                self._problem(error)

    def _tell_calls(self) -> None:
        self._sink.write(self._runs.read())

    def stop(self) -> None:
        self._stopped = True
        self._hooks.close()
        self._runs.stop()
        self._fallen.stop()

    def _outermost(self, original: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            local = self._threads
            local.depth = getattr(local, "depth", 0) + 1
            local.asked = time.perf_counter()
            try:
                result = original(*args, **kwargs)
            except Refused as refused:
                error = refused.error.with_traceback(None)
                raise error from None
            except BaseException as error:
                leave_no_frame(error)
                raise
            finally:
                local.depth -= 1
                fallen, local.fallen = getattr(local, "fallen", None), None
            try:
                if fallen is not None:
                    self._fallen.time_next(*fallen)
            except Exception as error:
                self._problem(error)
            return result

        return call

    def _hook(self, original: Any) -> Any:
        def _compile(*args: Any, **kwargs: Any) -> Any:
            trace = self._begin(args, kwargs)
            began = time.perf_counter()
            try:
                refusal = self._permit(trace)
                if refusal is None:
                    began = time.perf_counter()
                    result = original(*args, **kwargs)
                    refusal = self._end(trace, time.perf_counter() - began, result)
                if refusal is not None:
                    raise refusal
            except BaseException as error:
                self._fail(trace, time.perf_counter() - began, error)
                if error is refusal and getattr(self._threads, "depth", 0) > 0:
                    raise Refused(error) from None
                leave_no_frame(error)
                raise
            return result

        return _compile

    def _graph(self, original: Any) -> Any:
        def call_user_compiler(graph: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                stack = self._stack()
                if stack:
                    stack[-1].made.read(self._torch, gm)
            except Exception as error:
                self._problem(error)
            return original(graph, gm, *args, **kwargs)

        return call_user_compiler

    def _metrics(self, original: Any) -> Any:
        def log_compilation_event(metrics: Any) -> Any:
            try:
                if metrics.is_forward is False and not self._stopped:
                    self._report_backward(metrics)
            except Exception as error:
                self._problem(error)
            return original(metrics)

        return log_compilation_event

    def _begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Open | None:
        if self._stopped:  # somebody has put a wrapper around ours, and so it is still there
            return None
        try:
            bound = self._probes.parameters.bind(*args, **kwargs)
            bound.apply_defaults()
            return self._open(dict(bound.arguments), sys._getframe(2))
        except Exception as error:
            self._problem(error)
            return None

    def _open(self, arguments: dict[str, Any], caller: types.FrameType) -> Open:
        trace = Open()
        trace.event = number_event()
        with self._reasons.asking():
            trace.request = request = self._requests.read(arguments, caller, self._runs.total, self._threads)
        trace.limit = reached_limit(self._probes, arguments)
        trace.made = Made(request.described.renamed)
        trace.breaks = len(self._probes.utils.graph_break_reasons)
        trace.call = self._runs.total(request.described.id.key) + request.begins
        trace.permitted = trace.limit is None
        trace.inner, trace.grown = 0.0, None
        stack = self._stack()
        trace.parent = stack[-1].event if stack else request.parent
        stack.append(trace)
        trace.resident = resident_bytes()
        trace.start = time.time()
        return trace

    def _permit(self, trace: Open | None) -> BaseException | None:
        """Where a limit of ours is reached: the error that the program gets instead of the compilation."""
        if trace is None or trace.limit is not None:  # PyTorch will not compile it
            return None
        try:
            refusal = self._sink.permit(self._event(trace), made=False)
            trace.permitted = refusal is None
            if refusal is not None:
                give_number_back(self._probes, trace.request.compile_id)
        except Exception as error:
            self._problem(error)
            return None
        return refusal

    def _end(self, trace: Open | None, seconds: float, result: Any) -> BaseException | None:
        """It is compiled: tell of it, or give the error to raise where a limit does not let it be kept."""
        if trace is None:
            return None
        try:
            self._leave(trace, seconds)
            event = self._event(trace, seconds)
            if not is_compiled(result):  # nothing to compile in it: nothing was
                skipped = msgspec.structs.replace(event, phase="internal", error=shorten_error(why_skipped(result)))
                self._sink.write(skipped)
                if is_skipped_for_good(result) and was_compiled(trace.request):
                    self._given_up(trace, why_skipped(result))
                return None
            refusal = self._sink.permit(event, made=True)
            if refusal is None:
                trace.permitted = False
                self._sink.write(event)
                self._follow(trace, event, result)
        except Exception as error:
            self._problem(error)
            return None
        return refusal

    def _fail(self, trace: Open | None, seconds: float, error: BaseException) -> None:
        """It raised, or was refused. Before it was made that is no compilation, and there is nothing to tell."""
        if trace is None:
            return
        if isinstance(error, Refused):  # by somebody else who watches
            error = error.error
        try:
            self._leave(trace, seconds)
            if trace.limit is not None and isinstance(error, self._probes.exc.Unsupported):
                self._fell_back(trace)
            elif trace.permitted or trace.limit is not None:
                phase = "internal" if trace.request.phase == "internal" else "failed"
                event = msgspec.structs.replace(self._event(trace, seconds), phase=phase, error=_describe_error(error))
                self._sink.write(event)
        except Exception as problem:
            self._problem(problem)

    def _fell_back(self, trace: Open) -> None:
        """From now on PyTorch runs this function as plain Python. What that costs is known when the call has ended."""
        assert trace.limit is not None
        request, (name, value) = trace.request, trace.limit
        compiled = self._runs.usual_seconds(request.described.id.key)
        finding = find(request, f"torch._dynamo.config.{name} = {value}", value, trace.start, compiled)
        self._fallen.expect(trace.event, finding)
        self._threads.fallen = trace.event, request.code

    def _given_up(self, trace: Open, why: str) -> None:
        """From now on PyTorch leaves this function alone, for what it saw in this one call.

        This call is not timed: there is next to nothing in it, or it would have been compiled.
        """
        compiled = self._runs.usual_seconds(trace.request.described.id.key)
        why = f"{LEFT_ALONE}: {why.splitlines()[0]}"
        self._sink.write(find(trace.request, why, None, trace.start, compiled))

    def _leave(self, trace: Open, seconds: float) -> None:
        """Take a compilation off the stack, and its time out of that of the one around it; once."""
        self._reasons.forget()
        stack = self._stack()
        if trace not in stack:
            return
        while stack.pop() is not trace:
            pass
        resident = resident_bytes()
        trace.grown = resident - trace.resident if resident is not None and trace.resident is not None else None
        if stack:
            stack[-1].inner += seconds

    def _event(self, trace: Open, seconds: float | None = None) -> TraceEvent:
        """The compilation as data: before it is made, when it is done, when it has failed."""
        request = trace.request
        done = seconds is not None
        return TraceEvent(
            id=trace.event,
            backend="torch",
            function=request.described.id,
            signature=request.signature,
            traced=trace.made.widen(request.signature) if done else None,
            earlier=request.earlier,
            start=trace.start,
            phase=request.phase,
            call=trace.call,
            object=request.number,
            fingerprint=request.region,  # what is compiled in one does not serve another
            graph=str(request.compile_id),
            seconds=_rounded(seconds),
            exclusive_seconds=_rounded(max(seconds - trace.inner, 0.0)) if seconds is not None else None,
            nodes=trace.made.nodes,
            bytes=trace.grown,
            call_site=request.site,
            stack=request.stack,
            thread=threading.current_thread().name,
            parent=trace.parent,
            reads=request.reads,
            reasons=request.reasons,
            graph_breaks=graph_breaks(self._probes, self._places, trace.breaks) if done else (),
        )

    def _follow(self, trace: Open, event: TraceEvent, result: Any) -> None:
        """Something new is compiled: time its first runs, and remember what it serves."""
        graphs = compiled_names(result)
        self._requests.compiled(trace.request, event, has_graph=bool(graphs))
        self._functions[str(trace.request.compile_id)] = event.function
        for name in graphs[:1]:
            self._runs.expect(trace.request.names, name, event.id, event.function.key, trace.request.part)

    def _report_backward(self, metrics: Any) -> None:
        function = self._functions.get(str(metrics.compile_id))
        micros = metrics.duration_us
        if function is None or micros is None:
            return
        self._sink.write(
            TraceEvent(
                id=number_event(),
                backend="torch",
                function=function,
                signature=Signature(),
                start=time.time() - micros / 1e6,
                kind="backward",
                phase="internal",
                seconds=round(micros / 1e6, 6),
                thread=threading.current_thread().name,
            )
        )

    def _stack(self) -> list[Open]:
        stack: list[Open] | None = getattr(self._threads, "stack", None)
        if stack is None:
            stack = self._threads.stack = []
        return stack

    def _problem(self, error: Exception) -> None:
        """Record an error of ours, once per kind; the user's program goes on."""
        with contextlib.suppress(Exception):  # whatever it is, not in the user's program
            self._say(error)

    def _say(self, error: Exception) -> None:
        frames = error.__traceback__
        while frames is not None and frames.tb_next is not None:
            frames = frames.tb_next
        place = f"{frames.tb_frame.f_code.co_name}:{frames.tb_lineno}" if frames is not None else "?"
        text = f"traceonce had a problem of its own ({type(error).__name__}: {error}; in {place})"
        if text not in self._problems and len(self._problems) < 20:
            self._problems.add(text)
            self._sink.write(Notice(f"{text}; the program was not affected, the report may be incomplete", error=True))


def _rounded(seconds: float | None) -> float | None:
    return round(seconds, 6) if seconds is not None else None


def _describe_error(error: BaseException) -> str:
    try:
        return shorten_error(f"{type(error).__name__}: {error}")
    except Exception:  # it cannot even be printed
        return type(error).__name__
