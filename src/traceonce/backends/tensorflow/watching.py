"""The hooks of TensorFlow: every cache miss becomes a `TraceEvent`; a cache hit is TensorFlow's own code.

Except for the first calls after a trace, which are looked at for wrong answers (`silent`) and timed (`first_runs`).
"""

from __future__ import annotations

import math
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable
from typing import Any

import msgspec

from traceonce.backends.base import Sink
from traceonce.backends.hooks import Hooks, leave_no_frame
from traceonce.backends.identities import ByIdentity
from traceonce.backends.memory import resident_bytes
from traceonce.backends.numbering import number_event
from traceonce.backends.own_errors import OwnErrors
from traceonce.backends.places import Places
from traceonce.backends.reading import Reader
from traceonce.backends.tensorflow.backward import BackwardGraphs
from traceonce.backends.tensorflow.compilations import InputShapes
from traceonce.backends.tensorflow.counting import CallCounts
from traceonce.backends.tensorflow.first_runs import FirstRuns
from traceonce.backends.tensorflow.graphs import Fingerprints, graph_name
from traceonce.backends.tensorflow.probes import Probes, backward_builders, counts_calls, has_created_variables
from traceonce.backends.tensorflow.requests import Request, Requests
from traceonce.backends.tensorflow.silent import CALLS, SilentChecks, bound_objects
from traceonce.facts import FunctionId, Phase, Signature, TraceEvent
from traceonce.facts.error_text import describe_error


class Open:
    """A trace under way: what is known before it ends."""

    event: int
    options: Any
    request: Request
    earlier: tuple[Signature, ...]
    bound: dict[str, Any]
    reads: dict[str, str]
    call: int | None
    resident: int | None
    grown: int | None
    dead: tuple[int, ...]
    permitted: bool
    inner: float
    inner_bytes: int
    parent: int | None
    start: float


class MissWatching:
    """Watches `tracing_compilation._create_concrete_function`, which TensorFlow calls on a cache miss only."""

    hook = "cache misses (tracing_compilation._create_concrete_function)"

    def __init__(self, tensorflow: Any, probes: Probes, sink: Sink, *, compilations: bool = False) -> None:
        self._probes = probes
        self._sink = sink
        self._places = Places((tensorflow.__file__,))
        self._requests = Requests(probes, self._places)
        self._fingerprints = Fingerprints()
        self._objects = ByIdentity()
        self._threads = threading.local()
        self._problem = OwnErrors(sink.write)
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()
        self._counts = CallCounts(probes.polymorphic_function) if counts_calls(probes) else None
        self._runs = FirstRuns(probes.context.executing_eagerly, sink.write, self._problem)
        self._backward = BackwardGraphs(self._report_backward, self._problem)
        self._silent = SilentChecks(
            probes.tracing_compilation,
            Reader(self._places.is_user, _is_tensor),
            self._requests.describe,
            self._calls_of,
            sink.write,
            self._problem,
        )
        self._inputs = InputShapes(sink.write) if compilations else None
        self._hooks = Hooks()
        try:
            self._hooks.place(probes.tracing_compilation, "_create_concrete_function", self._hook)
            for owner, method in backward_builders(probes):
                self._hooks.place(owner, method, self._backward.hook)
        except BaseException:
            self.stop()
            raise

    def renew(self) -> Callable[[str], int]:
        self._known = weakref.WeakSet()
        self._silent.renew()
        return self._counts.mark() if self._counts is not None else lambda key: 0

    def settle(self) -> None:
        for work in (self._tell_calls, self._silent.settle):
            try:
                work()
            except Exception as error:
                self._problem(error)

    def _tell_calls(self) -> None:
        if self._counts is not None:
            self._sink.write(self._counts.read())

    def stop(self) -> None:
        self._hooks.close()
        self._silent.stop()
        self._runs.stop()
        if self._counts is not None:
            self._counts.stop()

    def _hook(self, original: Any) -> Any:
        def _create_concrete_function(function_type, type_context, func_graph, tracing_options):  # type: ignore[no-untyped-def]
            trace = self._begin(function_type, tracing_options)
            began = time.perf_counter()
            try:
                refusal = self._permit(trace)
                if refusal is None:
                    began = time.perf_counter()
                    concrete = original(function_type, type_context, func_graph, tracing_options)
                    refusal = self._end(trace, time.perf_counter() - began, concrete)
                if refusal is not None:
                    raise refusal
            except BaseException as error:
                self._fail(trace, time.perf_counter() - began, error)
                leave_no_frame(error)
                raise
            return concrete

        return _create_concrete_function

    def _begin(self, function_type: Any, options: Any) -> Open | None:
        try:
            return self._open(function_type, options, sys._getframe(2))
        except Exception as error:
            self._problem(error)
            return None

    def _permit(self, trace: Open | None) -> BaseException | None:
        """Where a limit is reached: the error that the program gets instead of the trace."""
        if trace is None:
            return None
        try:
            refusal = self._sink.permit(self._event(trace), made=False)
        except Exception as error:
            self._problem(error)
            return None
        trace.permitted = refusal is None
        return refusal

    def _end(self, trace: Open | None, seconds: float, concrete: Any) -> BaseException | None:
        """The trace is made: tell of it, or give the error to raise where a limit does not let it be kept."""
        if trace is None:
            return None
        try:
            self._leave(trace, seconds)
            event = self._event(trace, seconds, concrete)
            refusal = self._sink.permit(event, made=True)
            if refusal is None:
                trace.permitted = False
                self._sink.write(event)
                self._requests.identities.note_told()
                self._follow(trace, event, concrete)
        except Exception as error:
            self._problem(error)
            return None
        return refusal

    def _fail(self, trace: Open | None, seconds: float, error: BaseException) -> None:
        """The trace raised, or was refused. Before it was made that is no trace, and there is nothing to tell."""
        if trace is None:
            return
        try:
            self._leave(trace, seconds)
            if trace.permitted:
                phase: Phase = "internal" if trace.request.phase == "internal" else "failed"
                event = self._event(trace, seconds)
                self._sink.write(msgspec.structs.replace(event, phase=phase, error=describe_error(error)))
                self._requests.identities.note_told()
            else:
                self._requests.identities.put_back(trace.dead)
        except Exception as problem:
            self._problem(problem)

    def _open(self, function_type: Any, options: Any, caller: types.FrameType) -> Open:
        trace = Open()
        trace.event = number_event()
        trace.options = options
        trace.request = request = self._requests.read(function_type, options, caller)
        trace.earlier = self._earlier(request, options)
        trace.bound = bound_objects(request.described, request.kind)
        trace.reads = self._silent.read(request.described, trace.bound)
        trace.call = self._next_call(request) if request.called else None
        trace.inner, trace.inner_bytes, trace.grown = 0.0, 0, None
        trace.dead, trace.permitted = (), True
        stack = self._stack()
        trace.parent = stack[-1].event if stack else None
        stack.append(trace)
        trace.resident = resident_bytes()
        trace.start = time.time()
        return trace

    def _leave(self, trace: Open, seconds: float) -> None:
        """Take a trace off the stack, and its cost out of that of the one around it; once."""
        stack = self._stack()
        if trace not in stack:
            return
        while stack.pop() is not trace:
            pass
        resident = resident_bytes()
        trace.grown = resident - trace.resident if resident is not None and trace.resident is not None else None
        if stack:
            stack[-1].inner += seconds
            stack[-1].inner_bytes += trace.grown or 0

    def _event(self, trace: Open, seconds: float | None = None, concrete: Any = None) -> TraceEvent:
        """The trace as data: before it is made, when it is done (with its graph), when it has failed."""
        fingerprint, nodes = self._fingerprints.take(concrete) if concrete is not None else (None, None)
        trace.dead += self._requests.identities.take_dead()
        request, options, grown = trace.request, trace.options, trace.grown
        return TraceEvent(
            id=trace.event,
            backend="tensorflow",
            function=request.described.id,
            signature=request.signature,
            traced=request.traced,
            earlier=trace.earlier,
            dead=trace.dead,
            start=trace.start,
            phase=request.phase,
            call=trace.call,
            object=self._objects.number(request.owner) if request.owner is not None else None,
            instance=self._number_instance(request.described.instance),
            fingerprint=fingerprint,
            graph=graph_name(concrete) if concrete is not None else None,
            seconds=round(seconds, 6) if seconds is not None else None,
            exclusive_seconds=round(max(seconds - trace.inner, 0.0), 6) if seconds is not None else None,
            nodes=nodes,
            bytes=grown - trace.inner_bytes if grown is not None else None,
            call_site=request.site,
            stack=request.stack,
            thread=threading.current_thread().name,
            jit_compile=bool(getattr(request.owner, "_jit_compile", False)),
            signed=options.input_signature is not None,
            reduce_retracing=bool(options.reduce_retracing),
            parent=trace.parent,
            reads=trace.reads if request.phase == "first" else {},
            creates_variables=concrete is not None and has_created_variables(request.owner),
        )

    def _follow(self, trace: Open, event: TraceEvent, concrete: Any) -> None:
        """A new graph is there: time its first run, and watch what comes of it."""
        look = None
        self._backward.expect(concrete.graph, event.function)
        owner, described = trace.request.owner, trace.request.described
        if owner is not None and event.phase != "internal":
            self._known.add(owner)
            reads = {} if _captures_late(concrete.graph) else trace.reads
            look = self._silent.traced(owner, described, trace.bound, event.served.leaves, reads)
        shapes = self._inputs.expect(event.id) if self._inputs is not None and event.jit_compile else None

        def on_run(inputs: Any) -> None:
            if look is not None:
                look()
            if shapes is not None:
                shapes(inputs)

        runs = math.inf if shapes else CALLS if look else 2
        self._runs.expect(concrete, event.id, on_run if look or shapes else None, runs)

    def _earlier(self, request: Request, options: Any) -> tuple[Signature, ...]:
        """Signatures traced before this observer watched, told once."""
        if request.owner is None or not options.function_cache or request.owner in self._known:
            return ()
        return self._requests.earlier(options)

    def _next_call(self, request: Request) -> int | None:
        """The number of the call under way, where it is one that TensorFlow counts."""
        if self._counts is None or request.owner is None:
            return None
        if request.phase != "internal":
            self._counts.note(request.described.id.key, request.owner)
        return self._counts.total(request.owner) + 1 if self._probes.context.executing_eagerly() else None

    def _calls_of(self, owner: Any) -> int:
        return self._counts.total(owner) if self._counts is not None else 0

    def _number_instance(self, instance: Any) -> int | None:
        try:
            return self._objects.number(instance) if instance is not None else None
        except TypeError:  # an object that cannot be weakly referenced
            return None

    def _stack(self) -> list[Open]:
        stack: list[Open] | None = getattr(self._threads, "stack", None)
        if stack is None:
            stack = self._threads.stack = []
        return stack

    def _report_backward(self, function: FunctionId, start: float, seconds: float) -> None:
        self._runs.set_aside(seconds)
        self._sink.write(
            TraceEvent(
                id=number_event(),
                backend="tensorflow",
                function=function,
                signature=Signature(),
                start=start,
                kind="backward",
                phase="internal",
                seconds=round(seconds, 6),
                call_site=self._places.call_site(self._requests.frames()),
                thread=threading.current_thread().name,
            )
        )


def _captures_late(graph: Any) -> bool:
    """Does the graph fetch values at each call? Then what it reads from outside may not be baked in."""
    by_reference = getattr(getattr(graph, "function_captures", None), "by_ref_external", None)
    return bool(getattr(graph, "deferred_external_captures", None) or by_reference)


def _is_tensor(value: object) -> bool:
    from tensorflow.python.framework import tensor
    from tensorflow.python.ops import variables

    return isinstance(value, (tensor.Tensor, variables.Variable))
