"""Watches `torch.compile`: one event for each time that a function is compiled, with the guards that made it so.

`convert_frame._compile` is called where no compiled code serves a call, and never where one does, so a hit costs
nothing. PyTorch may swallow what is raised inside it; so an error of a limit goes up as a `Refused`, which it does not
catch, to a wrapper of ours around PyTorch's own outermost one, and becomes itself again there.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import msgspec

from traceonce.facts import CallSite, FunctionId, Phase, TraceEvent
from traceonce.facts.error_text import describe_error, shorten_error
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.hooks import leave_no_frame
from traceonce.frameworks.base.made_places import MadePlaces, called_by_user, with_class
from traceonce.frameworks.base.miss_watcher import Miss, MissWatcher
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.torch.autocast_dtypes import AutocastDtypes, compiled_in
from traceonce.frameworks.torch.cuda_graphs import CudaGraphs
from traceonce.frameworks.torch.failed_guards import AskedOnce
from traceonce.frameworks.torch.fallback import FallenBack, find, was_compiled
from traceonce.frameworks.torch.first_runs import FirstRuns
from traceonce.frameworks.torch.open_sizes import OpenSizes, break_of, graph_breaks
from traceonce.frameworks.torch.probes import (
    Probes,
    compiled_names,
    compiling_class,
    compiling_frame,
    give_number_back,
    is_compiled,
    is_skipped_for_good,
    reached_limit,
    why_skipped,
)
from traceonce.frameworks.torch.requests import Request, Requests
from traceonce.frameworks.torch.words import LEFT_ALONE, LIMIT_REACHED

AROUND = ("_dynamo", "nn/modules")  # what runs between the call of a compiled function and its own frame


class Refused(BaseException):
    """A limit does not let a function be compiled; `error` is what the program gets."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


@dataclasses.dataclass(eq=False, kw_only=True)
class TorchMiss(Miss):
    """A compilation under way. Where PyTorch's own `limit` is reached, it will not be made."""

    request: Request
    limit: tuple[str, int | None] | None
    made: OpenSizes
    breaks: int
    made_at: CallSite | None = None
    known_as: str | None = None
    inner: bool = False
    autocast: set[str] = dataclasses.field(default_factory=set)


class _Outermost(threading.local):
    """PyTorch's outermost wrapper in a thread: how deep in it, since when, and what fell back to Python inside.

    `unsupported` is what could not be compiled; whether the program hears of it shows where the wrapper ends.
    """

    depth = 0
    asked: float
    fallen: tuple[int, types.CodeType] | None = None
    unsupported: tuple[TorchMiss, BaseException] | None = None


class CompileWatcher(MissWatcher[TorchMiss]):
    """Watches `torch._dynamo.convert_frame._compile`, which PyTorch calls where nothing compiled serves a call."""

    hook = "compilations (torch._dynamo.convert_frame._compile)"
    backend = "torch"

    def __init__(self, torch: Any, probes: Probes, sink: Sink) -> None:
        super().__init__(sink)
        self._torch = torch
        self._probes = probes
        self._places = Places((torch.__file__,))
        self._requests = Requests(torch, probes, self._places)
        self._outermost = _Outermost()
        self._made_places = MadePlaces(self._places)
        self._runs = FirstRuns(sink.write, self._problem)
        self._fallen = FallenBack(sink.write, self._problem)
        self._functions: dict[str, FunctionId] = {}  # by PyTorch's own number for a compilation
        self._reasons = AskedOnce()
        self._autocast = AutocastDtypes(torch, sink.write, self._problem)
        self._cuda_graphs = CudaGraphs(self._hooks, sink.write, self._requests.called, self._problem)
        self.start()

    def renew(self) -> Callable[[str], int]:
        self._requests.renew()
        self._autocast.renew()
        return self._runs.mark()

    def settle(self) -> None:
        self._guard(self._fallen.settle, self._tell_calls)

    def _tell_calls(self) -> None:
        self._sink.write(self._runs.read())

    def stop(self) -> None:
        self._cuda_graphs.stop()
        super().stop()
        self._runs.stop()
        self._fallen.stop()

    def _place(self) -> None:
        probes = self._probes
        self._hooks.place(probes.convert_frame, "_compile", self._on_miss)
        self._hooks.place(probes.convert_frame.CatchErrorsWrapper, "__call__", self._hook_outermost)
        self._hooks.place(probes.output_graph.OutputGraph, "call_user_compiler", self._hook_graph)
        contexts = compiling_class()
        if contexts is not None:
            self._hooks.place(contexts, "__call__", self._hook_making)
        self._reasons.place(self._hooks, probes.guards)
        if isinstance(getattr(probes.utils, "log_compilation_event", None), types.FunctionType):
            self._hooks.place(probes.utils, "log_compilation_event", self._hook_metrics)
        self._cuda_graphs.start()

    def _hook_outermost(self, original: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            here = self._outermost
            here.depth += 1
            here.asked = time.perf_counter()
            raised = True
            try:
                result = original(*args, **kwargs)
                raised = False
            except Refused as refused:
                error = refused.error.with_traceback(None)
                raise error from None
            except BaseException as error:
                leave_no_frame(error)
                raise
            finally:
                self._settle_unsupported(raised=raised)
                here.depth -= 1
                fallen, here.fallen = here.fallen, None
            try:
                if fallen is not None:
                    self._fallen.time_next(*fallen)
            except Exception as error:
                self._problem(error)
            return result

        return call

    def _hook_making(self, original: Any) -> Any:
        def __call__(context: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807  # it stands in for one
            try:
                if self._made_places.of(context) is None:
                    self._made_places.note(context, sys._getframe(1))
            except Exception as error:
                self._problem(error)
            return original(context, *args, **kwargs)

        return __call__

    def _made_where(self, caller: types.FrameType) -> tuple[CallSite | None, str | None, bool]:
        """Where what is being compiled was given to `torch.compile`; or, `inner`, what has called it."""
        outer = compiling_frame(caller)
        if outer is None:
            return None, None, False
        between, inner = caller, False
        while between is not outer and between.f_back is not None:
            inner = inner or not self._places.is_in_framework(between.f_code.co_filename, *AROUND)
            between = between.f_back
        context, function = outer.f_locals.get("self"), outer.f_locals.get("fn")
        given, thing = self._made_places.given(context), getattr(function, "__self__", None)
        known_as = with_class(given, thing) if given is not None and thing is not None else given
        return self._made_places.of(context), known_as, inner

    def _hook_graph(self, original: Any) -> Any:
        def call_user_compiler(graph: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
            miss = self._innermost()
            try:
                if miss is not None:
                    miss.made.read(self._torch, gm)
            except Exception as error:
                self._problem(error)
            compiled = original(graph, gm, *args, **kwargs)
            try:
                if miss is not None:
                    miss.autocast |= compiled_in(gm, compiled)
            except Exception as error:
                self._problem(error)
            return compiled

        return call_user_compiler

    def _hook_metrics(self, original: Any) -> Any:
        def log_compilation_event(metrics: Any) -> Any:
            try:
                if metrics.is_forward is False and not self._stopped:
                    self._report_backward(metrics)
            except Exception as error:
                self._problem(error)
            return original(metrics)

        return log_compilation_event

    def _read(self, caller: types.FrameType, /, *args: Any, **kwargs: Any) -> TorchMiss:
        bound = self._probes.parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        with self._reasons.asking():
            request = self._requests.read(arguments, caller, self._runs, self._outermost)
        limit = reached_limit(self._probes, arguments)
        made_at, known_as, inner = self._made_where(caller)
        if known_as is None and inner and request.described.id.library:
            known_as = called_by_user(self._places, caller)
        return TorchMiss(
            request=request,
            limit=limit,
            made=OpenSizes(request.described.renamed),
            breaks=len(self._probes.utils.graph_break_reasons),
            call=self._runs.total(request.described.id.key) + request.begins,
            permitted=limit is None,
            parent=request.parent,
            made_at=made_at,
            inner=inner,
            known_as=known_as,
        )

    def _leave(self, miss: TorchMiss) -> None:
        self._reasons.forget()
        super()._leave(miss)

    def _made(self, miss: TorchMiss, made: Any) -> BaseException | None:
        if is_compiled(made):
            return super()._made(miss, made)
        why = why_skipped(made)  # nothing to compile in it: nothing was
        self._sink.write(msgspec.structs.replace(self._event(miss), phase="internal", error=shorten_error(why)))
        if is_skipped_for_good(made) and was_compiled(miss.request):
            self._given_up(miss, why)
        return None

    def _failed(self, miss: TorchMiss, error: BaseException) -> None:
        if isinstance(error, Refused):
            error = error.error
        if miss.limit is None and isinstance(error, self._probes.exc.Unsupported) and self._outermost.depth > 0:
            self._outermost.unsupported = miss, error
        elif miss.limit is None:
            super()._failed(miss, error)
        elif isinstance(error, self._probes.exc.Unsupported):
            self._fell_back(miss)
        else:
            self._tell_failed(miss, error)

    def _settle_unsupported(self, *, raised: bool) -> None:
        """The program got the error (``fullgraph=True``), or PyTorch runs the function as plain Python instead."""
        unsupported, self._outermost.unsupported = self._outermost.unsupported, None
        if unsupported is None:
            return
        miss, error = unsupported
        try:
            if raised:
                super()._failed(miss, error)
            elif miss.permitted and miss.began is not None:
                event = self._event(miss)
                what = "the rest of the function" if miss.request.described.part else "the whole function"
                given_up = break_of(error, self._places, what)
                phase: Phase = "internal" if event.phase == "internal" else "failed"
                self._sink.write(
                    msgspec.structs.replace(
                        event,
                        phase=phase,
                        error=describe_error(error),
                        graph_breaks=(*event.graph_breaks, given_up),
                    )
                )
        except Exception as problem:
            self._problem(problem)

    def _refuse(self, miss: TorchMiss, refusal: BaseException, *, made: bool) -> BaseException:
        if not made:
            give_number_back(self._probes, miss.request.compile_id)
        return Refused(refusal) if self._outermost.depth > 0 else refusal

    def _fell_back(self, miss: TorchMiss) -> None:
        """From now on PyTorch runs this function as plain Python. What that costs is known when the call has ended."""
        assert miss.limit is not None
        request, (name, value) = miss.request, miss.limit
        compiled = self._runs.usual_seconds(request.described.id.key)
        finding = find(
            request, LIMIT_REACHED(setting=f"torch._dynamo.config.{name} = {value}"), value, miss.start, compiled
        )
        self._fallen.expect(miss.event, finding)
        self._outermost.fallen = miss.event, request.code

    def _given_up(self, miss: TorchMiss, why: str) -> None:
        """From now on PyTorch leaves this function alone, for what it saw in this one call.

        This call is not timed: there is next to nothing in it, or it would have been compiled.
        """
        compiled = self._runs.usual_seconds(miss.request.described.id.key)
        left_alone = LEFT_ALONE(why=why.splitlines()[0])
        self._sink.write(find(miss.request, left_alone, None, miss.start, compiled))

    def _event(self, miss: TorchMiss, made: Any = None) -> TraceEvent:
        request = miss.request
        done = miss.seconds is not None
        return TraceEvent(
            **miss.measured(),
            backend=self.backend,
            function=request.described.id,
            signature=request.signature,
            traced=miss.made.widen(request.signature) if done else None,
            earlier=request.earlier,
            phase=request.phase,
            object=request.number,
            fingerprint=request.region,  # what is compiled in one does not serve another
            graph=str(request.compile_id),
            nodes=miss.made.nodes,
            call_site=request.site,
            stack=request.stack,
            reads=request.reads,
            made_at=miss.made_at,
            known_as=miss.known_as,
            inner=miss.inner,
            reasons=request.reasons,
            graph_breaks=graph_breaks(self._probes, self._places, miss.breaks) if done else (),
        )

    def _follow(self, miss: TorchMiss, event: TraceEvent, made: Any) -> None:
        """Something new is compiled: time its first runs, and remember what it serves."""
        request, graphs = miss.request, compiled_names(made)
        self._requests.compiled(request, event, has_graph=bool(graphs))
        self._functions[str(request.compile_id)] = event.function
        self._cuda_graphs.expect(request, event)
        for name in graphs[:1]:
            look = self._autocast.look(event, miss.autocast, request.described.code)
            self._runs.expect(request.names, name, event.id, event.function.key, request.part, look)

    def _report_backward(self, metrics: Any) -> None:
        function = self._functions.get(str(metrics.compile_id))
        micros = metrics.duration_us
        if function is not None and micros is not None:
            self._tell_backward(function, time.time() - micros / 1e6, micros / 1e6)
