"""The hooks of TensorFlow: every cache miss becomes a `TraceEvent`; a cache hit is TensorFlow's own code.

Except for the first calls after a trace, which are looked at for wrong answers (`silent`) and timed (`first_runs`).
"""

from __future__ import annotations

import dataclasses
import math
import types
import weakref
from collections.abc import Callable
from typing import Any

from traceonce.facts import FunctionId, Signature, TraceEvent
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.captured_state import Reader
from traceonce.frameworks.base.hooks import caller
from traceonce.frameworks.base.identities import ByIdentity
from traceonce.frameworks.base.made_places import MadePlaces, called_by_user
from traceonce.frameworks.base.miss_watcher import Miss, MissWatcher
from traceonce.frameworks.base.side_effects import State
from traceonce.frameworks.tensorflow.backward import BackwardGraphs
from traceonce.frameworks.tensorflow.call_counts import CallCounts
from traceonce.frameworks.tensorflow.fingerprints import Fingerprints, captured_things, graph_name
from traceonce.frameworks.tensorflow.first_runs import FirstRuns
from traceonce.frameworks.tensorflow.own_files import tensorflow_places
from traceonce.frameworks.tensorflow.probes import Probes, backward_builders, counts_calls, has_created_variables
from traceonce.frameworks.tensorflow.requests import Request, Requests
from traceonce.frameworks.tensorflow.silent_checks import CALLS, SilentChecks, bound_objects
from traceonce.frameworks.tensorflow.xla_log import InputShapes


@dataclasses.dataclass(eq=False, kw_only=True)
class TensorFlowMiss(Miss):
    """A trace under way."""

    request: Request
    options: Any
    earlier: tuple[Signature, ...]
    bound: dict[str, Any]
    reads: dict[str, str]
    state: dict[str, State]
    dead: tuple[int, ...] = ()
    known_as: str | None = None


class TensorFlowWatcher(MissWatcher[TensorFlowMiss]):
    """Watches `tracing_compilation._create_concrete_function`, which TensorFlow calls on a cache miss only."""

    hook = "cache misses (tracing_compilation._create_concrete_function)"
    backend = "tensorflow"

    def __init__(self, tensorflow: Any, probes: Probes, sink: Sink, *, compilations: bool = False) -> None:
        super().__init__(sink)
        self._probes = probes
        self._places = tensorflow_places(tensorflow)
        self._requests = Requests(probes, self._places)
        self._fingerprints = Fingerprints()
        self._objects = ByIdentity()
        self._made_places = MadePlaces(self._places)
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()
        self._counts = CallCounts(probes.polymorphic_function) if counts_calls(probes) else None
        self._runs = FirstRuns(probes.context.executing_eagerly, sink.write, self._problem)
        self._backward = BackwardGraphs(self._report_backward, self._problem)
        self._silent = SilentChecks(
            probes.tracing_compilation,
            probes.cache_of,
            Reader(self._places.is_user, _is_tensor),
            self._requests.describe,
            self._calls_of,
            sink.write,
            self._problem,
        )
        self._inputs = InputShapes(sink.write) if compilations else None
        self.start()

    def renew(self) -> Callable[[str], int]:
        self._known = weakref.WeakSet()
        self._silent.renew()
        return self._counts.mark() if self._counts is not None else lambda key: 0

    def settle(self) -> None:
        self._guard(self._tell_calls, self._silent.settle)

    def _tell_calls(self) -> None:
        if self._counts is not None:
            self._sink.write(self._counts.read())

    def stop(self) -> None:
        super().stop()
        self._silent.stop()
        self._runs.stop()
        if self._counts is not None:
            self._counts.stop()

    def _place(self) -> None:
        self._hooks.place(self._place_of_misses(), "_create_concrete_function", self._on_miss)
        self._hooks.place(self._probes.polymorphic_function.Function, "__init__", self._hook_making)
        for owner, method in backward_builders(self._probes):
            self._hooks.place(owner, method, self._backward.hook)

    def _place_of_misses(self) -> Any:
        return self._probes.tracing_compilation

    def _hook_making(self, original: Any) -> Any:
        """A `tf.function` is made in a helper called ``decorated``; else TensorFlow copies one for an object."""

        def __init__(owner: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it stands in for one
            original(owner, *args, **kwargs)
            try:
                maker = caller()
                copied = maker.f_locals.get("original_function") if maker.f_code.co_name != "decorated" else None
                if copied is not None:
                    self._made_places.set(owner, self._made_places.of(copied))
                else:
                    self._made_places.note(owner, maker)
            except Exception as error:
                self._problem(error)

        return __init__

    def _read(self, caller: types.FrameType, /, *args: Any, **kwargs: Any) -> TensorFlowMiss:
        return self._read_request(caller, *args, **kwargs)

    def _read_request(
        self, caller: types.FrameType, function_type: Any, type_context: Any, func_graph: Any, tracing_options: Any
    ) -> TensorFlowMiss:
        if self._probes.context.executing_eagerly():
            self._silent.begin()
        request = self._requests.read(function_type, tracing_options, caller)
        bound = bound_objects(request.described, request.kind)
        return TensorFlowMiss(
            request=request,
            options=tracing_options,
            earlier=self._earlier(request, tracing_options),
            bound=bound,
            reads=self._silent.read(request.described, bound),
            state=self._silent.state(request.described, bound),
            call=self._next_call(request) if request.called else None,
            known_as=called_by_user(self._places, caller) if request.described.id.library else None,
        )

    def _event(self, miss: TensorFlowMiss, made: Any = None) -> TraceEvent:
        taken = self._fingerprints.take(made) if made is not None else None
        miss.dead += self._requests.identities.take_dead()
        request, options = miss.request, miss.options
        return TraceEvent(
            **miss.measured(),
            backend=self.backend,
            function=request.described.id,
            signature=request.signature,
            traced=request.traced,
            earlier=miss.earlier,
            dead=miss.dead,
            phase=request.phase,
            object=self._objects.find(request.owner),
            instance=self._objects.find(request.described.instance),
            fingerprint=taken.fingerprint if taken is not None else None,
            wiring=taken.wiring if taken is not None else None,
            graph=graph_name(made) if made is not None else None,
            nodes=taken.nodes if taken is not None else None,
            call_site=request.site,
            stack=request.stack,
            jit_compile=bool(getattr(request.owner, "_jit_compile", False)),
            signed=options.input_signature is not None,
            reduce_retracing=bool(options.reduce_retracing),
            reads=miss.reads if request.phase == "first" else {},
            captured=self._captured(miss, made) if made is not None and request.phase == "first" else {},
            made_at=self._made_places.of(request.owner),
            known_as=miss.known_as,
            creates_variables=made is not None and has_created_variables(request.owner),
        )

    def _captured(self, miss: TensorFlowMiss, made: Any) -> dict[str, str]:
        described = miss.request.described
        return self._sizes(
            lambda: self._silent.arrays(described, miss.bound), lambda: captured_things(made.graph), described
        )

    def _failed(self, miss: TensorFlowMiss, error: BaseException) -> None:
        if miss.permitted:
            super()._failed(miss, error)
            self._requests.identities.note_told()
        else:
            self._requests.identities.put_back(miss.dead)

    def _follow(self, miss: TensorFlowMiss, event: TraceEvent, made: Any) -> None:
        """A new graph is there: time its first run, and watch what comes of it."""
        self._requests.identities.note_told()
        look = None
        self._backward.expect(made.graph, event.function)
        owner, described = miss.request.owner, miss.request.described
        if owner is not None and event.phase != "internal":
            self._known.add(owner)
            reads = {} if _captures_late(made.graph) else miss.reads
            inner = not self._probes.context.executing_eagerly()
            look = self._silent.traced(
                owner, described, miss.bound, event.served.leaves, reads, miss.state, inner=inner
            )
        shapes = self._inputs.expect(event.id) if self._inputs is not None and event.jit_compile else None

        def on_run(inputs: Any) -> None:
            if look is not None:
                look()
            if shapes is not None:
                shapes(inputs)

        runs = math.inf if shapes else CALLS if look else 2
        self._runs.expect(made, event.id, on_run if look or shapes else None, runs)

    def _earlier(self, request: Request, options: Any) -> tuple[Signature, ...]:
        """Signatures traced before this observer watched, told once."""
        if request.owner is None or not options.function_cache or request.owner in self._known:
            return ()
        return self._requests.earlier(options)

    def _next_call(self, request: Request) -> int | None:
        """The number of the call under way, where it is one that TensorFlow counts."""
        if self._counts is None or request.owner is None:
            return None
        key = request.described.id.key
        if request.phase != "internal":
            self._counts.note(key, request.owner)
        return self._counts.number(key) + 1 if self._probes.context.executing_eagerly() else None

    def _calls_of(self, owner: Any) -> int:
        return self._counts.total(owner) if self._counts is not None else 0

    def _report_backward(self, function: FunctionId, start: float, seconds: float) -> None:
        self._runs.set_aside(seconds)
        self._tell_backward(function, start, seconds, self._places.call_site(self._requests.frames()))


class CompilerWatcher(TensorFlowWatcher):
    """Watches `TracingCompiler._create_concrete_function`, which TensorFlow 2.12 and 2.13 call on a cache miss only."""

    hook = "cache misses (TracingCompiler._create_concrete_function)"

    def _place_of_misses(self) -> Any:
        assert self._probes.compilers is not None
        return self._probes.compilers.compiler_class

    def _read(self, caller: types.FrameType, /, *args: Any, **kwargs: Any) -> TensorFlowMiss:
        assert self._probes.compilers is not None
        asked, options = caller.f_locals, self._probes.compilers.read(args[0], caller)
        return self._read_request(caller, asked["target_func_type"], asked["lookup_func_context"], None, options)


def _captures_late(graph: Any) -> bool:
    """Does the graph fetch values at each call? Then what it reads from outside may not be baked in."""
    by_reference = getattr(getattr(graph, "function_captures", None), "by_ref_external", None)
    return bool(getattr(graph, "deferred_external_captures", None) or by_reference)


def _is_tensor(value: object) -> bool:
    import tensorflow

    return isinstance(value, (tensorflow.Tensor, tensorflow.Variable))
