"""The hooks of JAX: every trace of a jitted function becomes a `TraceEvent`; a cache hit is JAX's own code.

Except for the first calls of each executable, which come through Python to be counted and looked at (`executions`).
"""

from __future__ import annotations

import dataclasses
import sys
import time
import traceback
import types
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from traceonce.errors import TracingLimitReached
from traceonce.facts import Signature, TraceEvent
from traceonce.facts.error_text import describe_error
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.captured_state import Reader
from traceonce.frameworks.base.event_numbers import number_event
from traceonce.frameworks.base.hooks import caller, leave_no_frame
from traceonce.frameworks.base.identities import ByIdentity
from traceonce.frameworks.base.made_places import MadePlaces, called_by_user
from traceonce.frameworks.base.miss_watcher import Miss, MissWatcher
from traceonce.frameworks.base.places import current_frames
from traceonce.frameworks.base.side_effects import State
from traceonce.frameworks.jax.abstract_traces import Abstract
from traceonce.frameworks.jax.executions import Executions
from traceonce.frameworks.jax.functions import describe_function
from traceonce.frameworks.jax.jaxprs import Read, read_jaxpr
from traceonce.frameworks.jax.listener import Listening
from traceonce.frameworks.jax.memories import Memories
from traceonce.frameworks.jax.no_tracing import CountedCalls
from traceonce.frameworks.jax.notices import EARLIER_NOT_KNOWN
from traceonce.frameworks.jax.own_files import JaxPlaces
from traceonce.frameworks.jax.probes import Probes
from traceonce.frameworks.jax.refused_calls import LISTENERS, RaisedErrors, Refused
from traceonce.frameworks.jax.requests import Asked, Request, Requests, shapes_of_state
from traceonce.frameworks.jax.stale_values import KnownTrace, StaleChecks
from traceonce.frameworks.jax.transformations import TransformedCalls
from traceonce.words.sentence import noticed

PARTS = 16  # inner traces that are looked at with the one that they are part of


@dataclasses.dataclass(eq=False, kw_only=True)
class JaxMiss(Miss):
    """A request for a trace under way. `jitted` is what JAX was asked to trace, `parts` are the traces inside it."""

    request: Request
    jitted: Any
    earlier: tuple[Signature, ...]
    first: bool
    reads: dict[str, str]
    state: dict[str, State]
    parts: list[KnownTrace] = dataclasses.field(default_factory=list)
    known_as: str | None = None


class JaxWatcher(MissWatcher[JaxMiss]):
    """Watches the function of `pjit` that JAX calls when a call needs a trace, which it may have already."""

    backend = "jax"
    begins_later = True

    def __init__(self, probes: Probes, sink: Sink) -> None:
        super().__init__(sink)
        self.hook = f"traces and compilations (pjit.{probes.tracing}, jax.monitoring)"
        self._probes = probes
        self._places = JaxPlaces(probes.jax)
        self._numbers = ByIdentity()
        self._made_places = MadePlaces(self._places)
        self._requests = Requests(probes, self._places, self._numbers)
        self._memories = Memories()
        self._abstract = Abstract()
        self._stale = StaleChecks(Reader(self._places.is_user, self._is_array), sink.write)
        self._executions = Executions(probes.pjit, sink, self._stale, self._requests.site, self._late, self._problem)
        self._transformed = TransformedCalls(probes.pjit, probes.core, self._executions.count, self._problem)
        self._listening = Listening(self._executions.on_duration)
        self._counted = CountedCalls(probes.config)
        self._raised = RaisedErrors(self._places, self._tell_refused, self._problem)
        self.start()

    def renew(self) -> Callable[[str], int]:
        self._memories.renew()
        self._stale.renew()
        return self._executions.renew()

    def settle(self) -> None:
        self._guard(self._executions.tell_calls, self._stale.settle)

    def stop(self) -> None:
        self._raised.stop()
        if self._refused_seen in LISTENERS:
            LISTENERS.remove(self._refused_seen)
        self._executions.stop()
        self._transformed.stop()
        super().stop()
        self._listening.stop()
        self._counted.stop()

    def _place(self) -> None:
        self._guard(self._remember_earlier)
        self._listening.start()
        self._hooks.place(self._probes.pjit, self._probes.tracing, self._on_miss)
        self._hooks.place(self._probes.reporting, "test_event", self._hook_beginning)
        if hasattr(self._probes.pjit, "_cpp_pjit"):  # else nobody is told where a function was made
            self._hooks.place(self._probes.pjit, "_cpp_pjit", self._hook_making)
        if hasattr(self._probes.pjit, "_infer_params"):  # else calls that fail before a trace are not told
            self._hooks.place(self._probes.pjit, "_infer_params", self._hook_arguments)
        LISTENERS.append(self._refused_seen)
        self._raised.start()
        self._executions.place(self._hooks)
        self._transformed.place(self._hooks)

    def _hook_arguments(self, original: Any) -> Any:
        def _infer_params(fun: Any, info: Any, args: Any, kwargs: Any) -> Any:
            try:
                return original(fun, info, args, kwargs)
            except BaseException as error:
                refused_by_us = isinstance(error, TracingLimitReached)
                if not self._stopped and not refused_by_us and not self._was_tracing(error):
                    self._refused(sys._getframe(1), fun, info, args, kwargs, error)
                leave_no_frame(error)
                raise

        return _infer_params

    def _was_tracing(self, error: BaseException) -> bool:
        if isinstance(error, TracingLimitReached):  # ours, of a trace that JAX had already
            return True
        frames = traceback.walk_tb(error.__traceback__)
        return any(frame.f_code.co_name == self._probes.tracing for frame, _ in frames)

    def _refused(
        self, caller: types.FrameType, fun: Any, info: Any, args: Any, kwargs: Any, error: BaseException
    ) -> None:
        """JAX takes the arguments of a call for none that it can trace: as a trace that raised at once."""
        miss = self._begin(caller, (fun, info), {"args": args, "kwargs": kwargs})
        if miss is not None:
            miss.began = time.perf_counter()
            self._fail(miss, error)

    def _refused_seen(self, refused: Refused) -> None:
        """A static argument of a call has no hash, and a replay has seen the call."""
        function, info, args, kwargs, error = refused
        self._guard(lambda: self._refused(sys._getframe(), function, info, args, kwargs, error))

    def _tell_refused(self, function: Any, error: BaseException) -> None:
        """The same, where only the error and the function are known."""
        described, frames = describe_function(function, self._places), current_frames()
        if self._stopped or described.internal:
            return
        event = TraceEvent(
            id=number_event(),
            backend=self.backend,
            function=described.id,
            signature=Signature(),
            start=time.time(),
            phase="failed",
            object=self._numbers.find(function),
            call_site=self._places.call_site(frames),
            stack=self._places.visible(frames),
            made_at=self._made_places.of(function),
            error=describe_error(error),
        )
        self._sink.write(event)

    def _hook_making(self, original: Any) -> Any:
        def _cpp_pjit(fun: Any, *args: Any, **kwargs: Any) -> Any:
            jitted = original(fun, *args, **kwargs)
            try:
                self._made_places.note(fun, caller())
            except Exception as error:
                self._problem(error)
            return jitted

        return _cpp_pjit

    def _remember_earlier(self) -> None:
        if not hasattr(self._probes.pjit, "_infer_params_cached"):
            version = self._probes.jax.__version__
            self._sink.write(noticed(EARLIER_NOT_KNOWN(version=version)))
        for function, signature in self._requests.earlier():
            self._memories.add(function, signature)

    def _hook_beginning(self, original: Any) -> Any:
        def test_event(name, *args):  # type: ignore[no-untyped-def]
            if name == self._probes.began and not self._stopped:
                try:
                    refusal = self._permit_innermost()
                    if refusal is not None:
                        raise refusal
                except BaseException as error:
                    leave_no_frame(error)
                    raise
            return original(name, *args)

        return test_event

    def _permit_innermost(self) -> BaseException | None:
        """JAX has no trace to use: it makes one."""
        miss = self._innermost()
        if miss is None or miss.began is not None:
            return None
        if not miss.abstract:
            self._guard(self._stale.look_around)
        return self._permit(miss)

    def _read(self, caller: types.FrameType, /, fun: Any, ji: Any, *rest: Any, **named: Any) -> JaxMiss | None:
        given = {**dict(zip(self._probes.parameters[2:], rest, strict=False)), **named}
        avals = given.get("avals", given.get("in_avals"))
        request = self._requests.read(Asked(fun, ji, given["args"], given["kwargs"], avals), caller)
        if request is None:
            return None
        return JaxMiss(
            request=request,
            jitted=fun,
            earlier=self._memories.earlier(request.owner),
            first=not self._memories.of(request.owner),
            reads=self._stale.read(request.described, request.bound),
            state=self._stale.state(request.described, request.bound),
            call=self._executions.next_call(request.described.id.key) if request.counted else None,
            known_as=called_by_user(self._places, caller) if request.described.id.library else None,
            permitted=not request.abstract,
            abstract=request.abstract,
        )

    def _made(self, miss: JaxMiss, made: Any) -> BaseException | None:
        request, jaxpr = miss.request, _params(made)["jaxpr"]
        if miss.began is None:  # JAX had it: the same function, jitted again, under other options, or looked at
            return None if miss.abstract else self._tell_late(jaxpr, miss)
        read = read_jaxpr(jaxpr, shapes_of_state(request.signature))
        event = self._event(miss, read)
        remembered = self._stale.made(
            request.described, request.bound, {} if read.calls_back else miss.reads, miss.state, jaxpr
        )
        parts = [*([] if remembered is None else [remembered]), *miss.parts]
        if miss.abstract:
            self._abstract.keep(event, parts[:PARTS], request.owner, jaxpr)
            return None
        if remembered is not None and not request.called:  # it is part of another one, and not called by itself
            remembered.unseen = True
        around = self._innermost()
        if around is not None:
            around.parts += parts
        return self._keep(miss, event, (jaxpr, parts))

    def _refuse(self, miss: JaxMiss, refusal: BaseException, *, made: bool) -> BaseException:
        if made:
            self._probes.forget(miss.jitted)
        return refusal

    def _follow(self, miss: JaxMiss, event: TraceEvent, made: tuple[Any, Sequence[KnownTrace]]) -> None:
        self._remember(event, miss.request.owner, *made, miss.jitted)

    def _remember(self, event: TraceEvent, owner: Any, jaxpr: Any, parts: Sequence[KnownTrace], jitted: Any) -> None:
        """Remember a trace that was told of, and watch what comes of it."""
        self._memories.add(owner, event.served, jaxpr)
        self._memories.tell(owner)
        self._executions.expect(event, jaxpr, parts[:PARTS])
        self._transformed.expect(jitted, event.function.key)

    def _tell_late(self, jaxpr: Any, miss: JaxMiss | None = None, *, called: bool = False) -> BaseException | None:
        """What was traced to be looked at is compiled, or called, after all: this is its trace.

        A limit may refuse it. Then JAX still has it, and it stays untold: so it is refused again. What is lowered ahead
        of time already (neither asked for by a `miss` nor `called`) cannot be refused, and is told of all the same.
        """
        untold = self._abstract.get(jaxpr)
        owner = untold.owner() if untold is not None else None
        if untold is None or owner is None:
            return None
        first = not self._memories.of(owner)
        event = msgspec.structs.replace(
            untold.event,
            id=number_event(),
            earlier=self._memories.earlier(owner),
            phase="first" if first else "retrace",
            call=self._executions.next_call(untold.event.function.key) if called else miss.call if miss else None,
            call_site=self._requests.site() or untold.event.call_site,
            parent=miss.parent if miss is not None else None,
            reads=untold.event.reads if first else {},
        )
        refusal = self._permit_late(event)
        if refusal is not None and (called or miss is not None):
            return refusal
        self._abstract.told(jaxpr)
        self._sink.write(event)
        self._remember(event, owner, jaxpr, untold.made, miss.jitted if miss is not None else owner)
        return None

    def _permit_late(self, event: TraceEvent) -> BaseException | None:
        """Ask what is otherwise asked before a trace and after it."""
        refusal = self._sink.permit(event, made=False)
        if refusal is None:
            refusal = self._sink.permit(event, made=True)
            if refusal is not None:  # what others have reserved is given back
                self._sink.write(msgspec.structs.replace(event, phase="failed", error=describe_error(refusal)))
        return refusal

    def _late(self, of: Any) -> BaseException | None:
        """A jaxpr, or (to be lowered) a function of this name, was not traced for this: was it to be looked at?

        Where a limit is reached: the error that the program gets instead of the call.
        """
        jaxpr = self._abstract.find(of) if isinstance(of, str) else of
        return self._tell_late(jaxpr, called=not isinstance(of, str)) if jaxpr is not None else None

    def _event(self, miss: JaxMiss, made: Read | None = None) -> TraceEvent:
        request = miss.request
        return TraceEvent(
            **miss.measured(),
            backend=self.backend,
            function=request.described.id,
            signature=request.signature,
            earlier=miss.earlier,
            phase="first" if miss.first else "retrace",
            object=self._numbers.find(request.owner),
            instance=self._numbers.find(request.described.instance),
            fingerprint=made.fingerprint if made is not None else None,
            wiring=made.wiring if made is not None else None,
            nodes=made.nodes if made is not None else None,
            call_site=request.site,
            stack=request.stack,
            raw_reason=self._memories.why_again(request.owner, request.signature),
            reads={**_from_outside(miss.reads, request), **request.bindings} if miss.first else {},
            made_at=self._made_places.of(miss.jitted),
            known_as=miss.known_as,
            captured=self._captured(request, made) if made is not None and miss.first else {},
        )

    def _captured(self, request: Request, made: Read) -> dict[str, str]:
        described = request.described
        return self._sizes(lambda: self._stale.arrays(described, request.bound), lambda: made.captured, described)

    def _is_array(self, value: object) -> bool:
        return isinstance(value, self._probes.jax.Array) and not isinstance(value, self._probes.core.Tracer)


def _params(result: Any) -> Any:
    """What is to be run, from what the function that traces returns: up to 0.8 that is a pair."""
    return (result if hasattr(result, "params") else result[0]).params


def _from_outside(reads: dict[str, str], request: Request) -> dict[str, str]:
    """Without the static arguments themselves, which are part of the signature; what they hold stays."""
    return {path: text for path, text in reads.items() if path not in request.bound}
