"""The hooks of JAX: every trace of a jitted function becomes a `TraceEvent`; a cache hit is JAX's own code.

Except for the first calls of each executable, which come through Python to be counted and looked at (`executions`).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from traceonce.backends.base import Sink
from traceonce.backends.hooks import Hooks, leave_no_frame
from traceonce.backends.identities import ByIdentity
from traceonce.backends.jax.abstract import Abstract
from traceonce.backends.jax.executions import Executions
from traceonce.backends.jax.jaxprs import Read, read_jaxpr
from traceonce.backends.jax.listening import Listening
from traceonce.backends.jax.memories import Memories
from traceonce.backends.jax.no_tracing import CountedCalls
from traceonce.backends.jax.own_files import JaxPlaces
from traceonce.backends.jax.probes import Probes
from traceonce.backends.jax.requests import Asked, Request, Requests, caller, shapes_of_state
from traceonce.backends.jax.stale import Made, StaleChecks
from traceonce.backends.jax.transformed import TransformedCalls
from traceonce.backends.memory import resident_bytes
from traceonce.backends.numbering import number_event
from traceonce.backends.reading import Reader
from traceonce.facts import Notice, Signature, TraceEvent
from traceonce.facts.error_text import shorten_error

PARTS = 16  # inner traces that are looked at with the one that they are part of


class Open:
    """A request for a trace under way: what is known before it ends. It has begun once JAX has found nothing to use."""

    event: int
    request: Request
    earlier: tuple[Signature, ...]
    first: bool
    reads: dict[str, str]
    parts: list[Made]
    call: int | None
    resident: int | None
    grown: int | None
    began: float | None
    permitted: bool
    inner: float
    inner_bytes: int
    parent: int | None
    start: float


class MissWatching:
    """Watches the function of `pjit` that JAX calls when a call needs a trace."""

    def __init__(self, probes: Probes, sink: Sink) -> None:
        self.hook = f"traces and compilations (pjit.{probes.tracing}, jax.monitoring)"
        self._probes = probes
        self._sink = sink
        self._places = JaxPlaces(probes.jax)
        self._numbers = ByIdentity()
        self._requests = Requests(probes, self._places, self._numbers)
        self._memories = Memories()
        self._abstract = Abstract()
        self._threads = threading.local()
        self._problems: set[str] = set()
        self._stopped = False  # where somebody has put a wrapper around ours, ours stays in place
        self._stale = StaleChecks(Reader(self._places.is_user, self._is_array), sink.write)
        self._executions = Executions(probes.pjit, sink, self._stale, self._requests.site, self._late, self._problem)
        self._transformed = TransformedCalls(probes.pjit, probes.core, self._executions.count, self._problem)
        self._hooks = Hooks()
        self._listening = Listening(self._executions.on_duration)
        self._counted = CountedCalls(probes.config)
        try:
            self._remember_earlier()
            self._listening.start()
            self._hooks.place(probes.pjit, probes.tracing, self._hook_tracing)
            self._hooks.place(probes.reporting, "test_event", self._hook_beginning)
            self._executions.place(self._hooks)
            self._transformed.place(self._hooks)
        except BaseException:
            self.stop()
            raise

    def renew(self) -> Callable[[str], int]:
        self._memories.renew()
        self._stale.renew()
        return self._executions.renew()

    def settle(self) -> None:
        for work in (self._executions.tell_calls, self._stale.settle):
            try:
                work()
            except Exception as error:
                self._problem(error)

    def stop(self) -> None:
        self._stopped = True
        self._executions.stop()
        self._transformed.stop()
        self._hooks.close()
        self._listening.stop()
        self._counted.stop()

    def _remember_earlier(self) -> None:
        if not hasattr(self._probes.pjit, "_infer_params_cached"):
            version = self._probes.jax.__version__
            self._sink.write(Notice(f"JAX {version} keeps no list of its traces: those made before are not known"))
        try:
            for function, signature in self._requests.earlier():
                self._memories.add(function, signature)
        except Exception as error:
            self._problem(error)

    def _hook_tracing(self, original: Any) -> Any:
        names = self._probes.parameters[2:]

        def tracing(fun, ji, *rest, **named):  # type: ignore[no-untyped-def]
            trace = None
            if not self._stopped:
                given = {**dict(zip(names, rest, strict=False)), **named}
                avals = given.get("avals", given.get("in_avals"))
                trace = self._begin(Asked(fun, ji, given["args"], given["kwargs"], avals))
            try:
                result = original(fun, ji, *rest, **named)
                refusal = self._end(trace, result, fun)
                if refusal is not None:
                    raise refusal
            except BaseException as error:
                self._fail(trace, error)
                leave_no_frame(error)
                raise
            return result

        return tracing

    def _hook_beginning(self, original: Any) -> Any:
        def test_event(name, *args):  # type: ignore[no-untyped-def]
            if name == self._probes.began and not self._stopped:
                try:
                    refusal = self._permit()
                    if refusal is not None:
                        raise refusal
                except BaseException as error:
                    leave_no_frame(error)
                    raise
            return original(name, *args)

        return test_event

    def _begin(self, asked: Asked) -> Open | None:
        try:
            request = self._requests.read(asked, caller())
            return self._open(request) if request is not None else None
        except Exception as error:
            self._problem(error)
            return None

    def _permit(self) -> BaseException | None:
        """JAX has no trace to use. Where a limit is reached: the error that the program gets instead of one."""
        stack = self._stack()
        trace = stack[-1] if stack else None
        if trace is None or trace.began is not None:
            return None
        trace.began = time.perf_counter()
        if trace.request.abstract:
            return None
        try:
            self._look_around()
            refusal = self._sink.permit(self._event(trace), made=False)
        except Exception as error:
            self._problem(error)
            return None
        trace.permitted = refusal is None
        return refusal

    def _look_around(self) -> None:
        try:
            self._stale.look_around()
        except Exception as error:
            self._problem(error)

    def _end(self, trace: Open | None, result: Any, jitted: Any) -> BaseException | None:
        """The trace is made: tell of it, or give the error to raise where a limit does not let it be kept."""
        if trace is None:
            return None
        try:
            self._leave(trace)
            request, jaxpr = trace.request, _params(result)["jaxpr"]
            if trace.began is None:  # JAX had it: the same function, jitted again, under other options, or looked at
                return None if request.abstract else self._tell_late(jaxpr, trace, jitted)
            read = read_jaxpr(jaxpr, shapes_of_state(request.signature))
            event = self._event(trace, time.perf_counter() - trace.began, read)
            made = self._stale.made(request.described, request.bound, {} if read.calls_back else trace.reads, jaxpr)
            parts = [*([] if made is None else [made]), *trace.parts]
            if request.abstract:
                self._abstract.keep(event, parts[:PARTS], request.owner, jaxpr)
                return None
            if made is not None and not request.called:  # it is part of another one, and not called by itself
                made.unseen = True
            if self._stack():
                self._stack()[-1].parts += parts
            return self._tell(trace, event, jaxpr, parts, jitted)
        except Exception as error:
            self._problem(error)
            return None

    def _tell(
        self, trace: Open, event: TraceEvent, jaxpr: Any, parts: Sequence[Made], jitted: Any
    ) -> BaseException | None:
        """Tell of a trace, and keep it; or give the error where it is not to be kept."""
        refusal = self._sink.permit(event, made=True)
        if refusal is not None:
            self._probes.forget(jitted)
            return refusal
        trace.permitted = False
        self._keep(event, trace.request.owner, jaxpr, parts, jitted)
        return None

    def _keep(self, event: TraceEvent, owner: Any, jaxpr: Any, parts: Sequence[Made], jitted: Any) -> None:
        """Tell of a trace, remember it, and watch what comes of it."""
        self._sink.write(event)
        self._memories.add(owner, event.served, jaxpr)
        self._memories.tell(owner)
        self._executions.expect(event, jaxpr, parts[:PARTS])
        self._transformed.expect(jitted, event.function.key)

    def _tell_late(
        self, jaxpr: Any, trace: Open | None = None, jitted: Any = None, *, called: bool = False
    ) -> BaseException | None:
        """What was traced to be looked at is compiled, or called, after all: this is its trace.

        A limit may refuse it. Then JAX still has it, and it stays untold: so it is refused again. What is lowered ahead
        of time already (neither asked for by a `trace` nor `called`) cannot be refused, and is told of all the same.
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
            call=self._executions.next_call(untold.event.function.key) if called else trace.call if trace else None,
            call_site=self._requests.site() or untold.event.call_site,
            parent=trace.parent if trace is not None else None,
            reads=untold.event.reads if first else {},
        )
        refusal = self._permit_late(event)
        if refusal is not None and (called or trace is not None):
            return refusal
        self._abstract.told(jaxpr)
        self._keep(event, owner, jaxpr, untold.made, jitted if jitted is not None else owner)
        return None

    def _permit_late(self, event: TraceEvent) -> BaseException | None:
        """Ask what is otherwise asked before a trace and after it."""
        refusal = self._sink.permit(event, made=False)
        if refusal is None:
            refusal = self._sink.permit(event, made=True)
            if refusal is not None:  # what others have reserved is given back
                self._sink.write(msgspec.structs.replace(event, phase="failed", error=_describe_error(refusal)))
        return refusal

    def _late(self, of: Any) -> BaseException | None:
        """A jaxpr, or (to be lowered) a function of this name, was not traced for this: was it to be looked at?

        Where a limit is reached: the error that the program gets instead of the call.
        """
        jaxpr = self._abstract.find(of) if isinstance(of, str) else of
        return self._tell_late(jaxpr, called=not isinstance(of, str)) if jaxpr is not None else None

    def _fail(self, trace: Open | None, error: BaseException) -> None:
        """The trace raised, or was refused. Before it was made that is no trace, and there is nothing to tell."""
        if trace is None:
            return
        try:
            self._leave(trace)
            if trace.began is not None and trace.permitted:
                event = self._event(trace, time.perf_counter() - trace.began)
                self._sink.write(msgspec.structs.replace(event, phase="failed", error=_describe_error(error)))
        except Exception as problem:
            self._problem(problem)

    def _open(self, request: Request) -> Open:
        trace = Open()
        trace.event = number_event()
        trace.request = request
        trace.earlier = self._memories.earlier(request.owner)
        trace.first = not self._memories.of(request.owner)
        trace.reads = self._stale.read(request.described, request.bound)
        trace.call = self._executions.next_call(request.described.id.key) if request.counted else None
        trace.parts = []
        trace.inner, trace.inner_bytes, trace.grown = 0.0, 0, None
        trace.began, trace.permitted = None, False
        stack = self._stack()
        trace.parent = next((around.event for around in reversed(stack) if not around.request.abstract), None)
        stack.append(trace)
        trace.resident = resident_bytes()
        trace.start = time.time()
        return trace

    def _leave(self, trace: Open) -> None:
        """Take a trace off the stack, and its cost out of that of the one around it; once."""
        stack = self._stack()
        if trace not in stack:
            return
        while stack.pop() is not trace:
            pass
        resident = resident_bytes()
        trace.grown = resident - trace.resident if resident is not None and trace.resident is not None else None
        if stack and trace.request.abstract:  # to look is part of the work around it
            stack[-1].inner += trace.inner
            stack[-1].inner_bytes += trace.inner_bytes
        elif stack and trace.began is not None:
            stack[-1].inner += time.perf_counter() - trace.began
            stack[-1].inner_bytes += trace.grown or 0

    def _event(self, trace: Open, seconds: float | None = None, read: Read | None = None) -> TraceEvent:
        """The trace as data: before it is made, when it is done (with its jaxpr), when it has failed."""
        request, grown = trace.request, trace.grown
        return TraceEvent(
            id=trace.event,
            backend="jax",
            function=request.described.id,
            signature=request.signature,
            earlier=trace.earlier,
            start=trace.start,
            phase="first" if trace.first else "retrace",
            call=trace.call,
            object=self._number(request.owner),
            instance=self._number(request.described.instance),
            fingerprint=read.fingerprint if read is not None else None,
            seconds=round(seconds, 6) if seconds is not None else None,
            exclusive_seconds=round(max(seconds - trace.inner, 0.0), 6) if seconds is not None else None,
            nodes=read.nodes if read is not None else None,
            bytes=grown - trace.inner_bytes if grown is not None else None,
            call_site=request.site,
            stack=request.stack,
            thread=threading.current_thread().name,
            parent=trace.parent,
            raw_reason=self._memories.why_again(request.owner, request.signature),
            reads={**_from_outside(trace.reads, request), **request.bindings} if trace.first else {},
        )

    def _number(self, thing: Any) -> int | None:
        try:
            return self._numbers.number(thing) if thing is not None else None
        except TypeError:  # an object that cannot be weakly referenced
            return None

    def _stack(self) -> list[Open]:
        stack: list[Open] | None = getattr(self._threads, "stack", None)
        if stack is None:
            stack = self._threads.stack = []
        return stack

    def _is_array(self, value: object) -> bool:
        return isinstance(value, self._probes.jax.Array) and not isinstance(value, self._probes.core.Tracer)

    def _problem(self, error: Exception) -> None:
        """Record an error of ours, once per kind; the user's program goes on."""
        with contextlib.suppress(Exception):  # whatever it is, not in the user's program
            frames = error.__traceback__
            while frames is not None and frames.tb_next is not None:
                frames = frames.tb_next
            place = f"{frames.tb_frame.f_code.co_name}:{frames.tb_lineno}" if frames is not None else "?"
            text = f"traceonce had a problem of its own ({type(error).__name__}: {error}; in {place})"
            if text not in self._problems and len(self._problems) < 20:
                self._problems.add(text)
                said = f"{text}; the program was not affected, the report may be incomplete"
                self._sink.write(Notice(said, error=True))


def _params(result: Any) -> Any:
    """What is to be run, from what the function that traces returns: up to 0.8 that is a pair."""
    return (result if hasattr(result, "params") else result[0]).params


def _describe_error(error: BaseException) -> str:
    try:
        return shorten_error(f"{type(error).__name__}: {error}")
    except Exception:  # it cannot even be printed
        return type(error).__name__


def _from_outside(reads: dict[str, str], request: Request) -> dict[str, str]:
    """Without the static arguments themselves, which are part of the signature; what they hold stays."""
    return {path: text for path, text in reads.items() if path not in request.bound}
