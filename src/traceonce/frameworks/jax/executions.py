"""What comes after a trace: lowering, compiling, the first calls; and compilations that come without a trace.

JAX serves a hit in C++, where nobody can count. `_get_fastpath_data` hands out what that needs. So for the first calls
of each executable it hands out nothing, and has the entry in the C++ cache dropped, as JAX does itself while it
profiles: the call comes through Python and is counted. Then the real thing is handed out, and a hit is JAX's own code.
That way is slow for arguments of very many arrays: there it is handed out once some time was spent on that.
"""

from __future__ import annotations

import itertools
import re
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from traceonce.facts import Calls, CallSite, Finding, Ran, Signature, TraceEvent
from traceonce.frameworks.base.after_fork import after_fork
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.event_numbers import number_event
from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.base.memory import resident_bytes
from traceonce.frameworks.jax.confused_values import find_confused, static_numbers
from traceonce.frameworks.jax.placements import describe_placement
from traceonce.frameworks.jax.stale_values import KnownTrace, StaleChecks

COUNTED = 12  # calls of each executable
WIDE, SPENDABLE = 100, 0.05  # from so many arrays on: seconds of work for counted calls after the first, then no more
LOWERED = "/jax/core/compile/jaxpr_to_mlir_module_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"


class Traced:
    """A trace that was made, and what became of it."""

    def __init__(self, event: TraceEvent, graph: str, made: Sequence[KnownTrace]) -> None:
        self.event = event
        self.graph = graph
        self.made = made  # its own trace first, then those that became part of it
        self.unseen = False
        self.has_effects = False  # all its calls come through Python
        self.calls: dict[int, int] = {}  # by executable, as the next
        self.spent: dict[int, float] = {}
        self.numbers = static_numbers(event.signature)
        self.has_run = False
        self.compiled: TraceEvent | None = None  # the last compilation, as an event that was not told yet or was
        self.told = False
        self.seconds = 0.0  # of compilations that came without a call of ours


class Before(NamedTuple):
    """How things stood before a call."""

    compilations: int
    resident: int | None
    worked: float  # seconds of this thread
    preparing: float  # seconds that this thread has spent on lowering and compiling


class Executions:
    """Counts and times the first calls of every executable, and tells of compilations without a trace."""

    def __init__(
        self,
        pjit: Any,
        sink: Sink,
        stale: StaleChecks,
        site: Callable[[], CallSite | None],
        late: Callable[[Any], BaseException | None],
        problem: Callable[[Exception], None],
    ) -> None:
        self._pjit = pjit
        self._sink = sink
        self._stale = stale
        self._site = site
        self._late = late
        self._problem = problem
        self._local = threading.local()
        self._traced: dict[int, tuple[weakref.ref[Any], Traced]] = {}
        self._counts: dict[str, int] = {}
        self._more: set[str] = set()  # functions that may have been called more often
        self._early: set[str] = set()  # of those, the ones that were not counted for long
        self._lock = threading.Lock()
        self._said: set[tuple[str, str]] = set()
        self._graphs = itertools.count(1)
        self._stopped = False
        after_fork(self._forked)

    def stop(self) -> None:
        self._stopped = True

    def place(self, hooks: Hooks) -> None:
        hooks.place(self._pjit, "_pjit_call_impl_python", self._hook_call)
        hooks.place(self._pjit, "_get_fastpath_data", self._hook_fast_path)
        hooks.place(self._pjit, "_need_to_rebuild_with_fdo", self._hook_dropping)

    def expect(self, event: TraceEvent, jaxpr: Any, made: Sequence[KnownTrace]) -> None:
        """A trace was made, from what `made` holds: its executables are to come."""
        kept = msgspec.structs.replace(event, earlier=(), reads={}, stack=())
        traced = Traced(kept, f"{event.function.short_name} {next(self._graphs)}", made)
        key, known = id(jaxpr), self._traced
        known[key] = weakref.ref(jaxpr, lambda _: known.pop(key, None)), traced
        self._local.last = traced

    def next_call(self, key: str) -> int | None:
        """The number of the call that is under way, in this counting.

        None where calls were hardly counted: by such numbers, every few calls would seem to need a trace.
        """
        return self._counts.get(key, 0) + 1 if key not in self._early else None

    def count(self, key: str) -> None:
        with self._lock:
            self._counts[key] = self._counts.get(key, 0) + 1

    def renew(self) -> Callable[[str], int]:
        """Another observer joins: the calls up to now are not its business."""
        self._said.clear()
        so_far = dict(self._counts)
        return lambda key: so_far.get(key, 0)

    def tell_calls(self) -> None:
        """The calls so far; where some were served in C++, there may have been more."""
        counts = dict(self._counts)
        self._sink.write(Calls({key: count for key, count in counts.items() if key not in self._more}))
        if self._more:
            self._sink.write(Calls({key: count for key, count in counts.items() if key in self._more}, at_least=True))

    def _forked(self) -> None:
        """A forked process counts its own calls."""
        self._lock = threading.Lock()
        self._counts.clear()
        self._more.clear()
        self._early.clear()

    def on_duration(self, event: str, seconds: float, **details: Any) -> None:
        """A listener of `jax.monitoring`: something was lowered or compiled in this thread."""
        if event not in (LOWERED, COMPILED) or self._stopped:
            return
        try:
            if event == COMPILED:
                self._local.compilations = self._compilations() + 1
            self._local.preparing = self._preparing() + seconds
            if getattr(self._local, "serving", None) is not None:
                return
            if event == LOWERED:
                self._late(_plain_name(details.get("fun_name")))
            last: Traced | None = getattr(self._local, "last", None)
            if last is None or last.has_run:
                return
            if _is_of(last.event.function.short_name, details.get("fun_name")):
                last.seconds += seconds
                if event == COMPILED:
                    seconds = round(last.seconds, 6)
                    self._sink.write(Ran(last.event.id, seconds, preparing=seconds))
        except Exception as error:
            self._problem(error)

    def _compilations(self) -> int:
        return int(getattr(self._local, "compilations", 0))

    def _preparing(self) -> float:
        return float(getattr(self._local, "preparing", 0.0))

    def _hook_call(self, original: Any) -> Any:
        def _pjit_call_impl_python(*args, jaxpr, **params):  # type: ignore[no-untyped-def]
            traced, refusal = self._find(jaxpr)
            if traced is None:
                self._local.ran = None
                try:
                    if refusal is not None:
                        raise refusal
                    return original(*args, jaxpr=jaxpr, **params)
                except BaseException as error:
                    leave_no_frame(error)
                    raise
            before = self._begin(traced)
            began = time.perf_counter()
            try:
                result = original(*args, jaxpr=jaxpr, **params)
            except BaseException as error:
                self._local.serving = None
                leave_no_frame(error)
                raise
            self._done(traced, before, time.perf_counter() - began, args, params, result)
            return result

        return _pjit_call_impl_python

    def _find(self, jaxpr: Any) -> tuple[Traced | None, BaseException | None]:
        """The trace that is called. One that was made to be looked at is told of now, or refused."""
        if self._stopped:
            return None, None
        known, refusal = self._traced.get(id(jaxpr)), None
        if known is None:
            try:
                refusal = self._late(jaxpr)
            except Exception as error:
                self._problem(error)
            known = self._traced.get(id(jaxpr))
        return known[1] if known is not None else None, refusal

    def _begin(self, traced: Traced) -> Before:
        worked = time.thread_time()
        try:
            self._local.serving = traced
            self.count(traced.event.function.key)
            if traced.has_run and not traced.unseen:
                for made in traced.made:
                    self._stale.look(made)
            if traced.numbers and traced.has_run and not traced.has_effects:
                self._find_confused(traced)
        except Exception as error:
            self._problem(error)
        resident = resident_bytes() if not traced.has_run else None
        return Before(self._compilations(), resident, worked, self._preparing())

    def _find_confused(self, traced: Traced) -> None:
        for cause in find_confused(traced.numbers, sys._getframe(3)):
            if (traced.event.function.key, cause.path) not in self._said:
                self._said.add((traced.event.function.key, cause.path))
                self._sink.write(Finding("jax", traced.event.function, cause))

    def _done(
        self,
        traced: Traced,
        before: Before,
        seconds: float,
        args: Any,
        params: dict[str, Any],
        result: Any,
    ) -> None:
        try:
            self._local.serving = None
            executable = id(result[1])
            calls = traced.calls[executable] = traced.calls.get(executable, 0) + 1
            if calls > 1 and len(args) >= WIDE:
                worked = time.thread_time() - before.worked
                traced.spent[executable] = traced.spent.get(executable, 0.0) + worked
            self._local.ran = (traced, executable)
            compiled = self._compilations() > before.compilations
            if not traced.has_run or compiled:
                self._compiled(traced, before, seconds, args, params, compiled)
            elif calls == 2 and len(traced.calls) == 1:
                self._sink.write(Ran(traced.event.id, round(seconds, 6), steady=True))
        except Exception as error:
            self._problem(error)

    def _compiled(
        self, traced: Traced, before: Before, seconds: float, args: Any, params: dict[str, Any], compiled: bool
    ) -> None:
        event = self._compilation(traced, seconds, args, params)
        if not traced.has_run:
            traced.has_run = True
            now = resident_bytes()
            grown = now - before.resident if now is not None and before.resident is not None else None
            took = round(seconds + traced.seconds, 6)
            preparing = min(round(self._preparing() - before.preparing + traced.seconds, 6), took)
            self._sink.write(Ran(traced.event.id, took, bytes=grown, preparing=preparing))
        elif compiled:
            if traced.compiled is not None and not traced.told:  # what it is to be compared with
                traced.told = True
                self._sink.write(msgspec.structs.replace(traced.compiled, phase="first", seconds=None))
            self._sink.write(msgspec.structs.replace(event, id=number_event()))
        traced.compiled = event

    def _compilation(self, traced: Traced, seconds: float, args: Any, params: dict[str, Any]) -> TraceEvent:
        event = traced.event
        arrays = sum(leaf.kind == "tensor" for leaf in event.signature.leaves)
        placements = iter(args[len(args) - arrays :])
        leaves = tuple(
            msgspec.structs.replace(leaf, sharding=describe_placement(next(placements, None)))
            if leaf.kind == "tensor"
            else leaf
            for leaf in event.signature.leaves
        )
        return TraceEvent(
            id=number_event(),
            backend="jax",
            function=event.function,
            signature=Signature(leaves, event.signature.structure, _options(params)),
            start=time.time() - seconds,
            kind="compile",
            phase="retrace",
            object=event.object,
            instance=event.instance,
            graph=traced.graph,
            seconds=round(seconds, 6),
            exclusive_seconds=round(seconds, 6),
            call_site=self._site() if traced.has_run else event.call_site,
            thread=threading.current_thread().name,
            parent=event.id,
        )

    def _hook_fast_path(self, original: Any) -> Any:
        def _get_fastpath_data(*args, **kwargs):  # type: ignore[no-untyped-def]
            ran = getattr(self._local, "ran", None) if not self._stopped else None
            self._local.ran = None
            if ran is not None and not _is_enough(*ran):
                self._local.drop = True
                return None
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            if ran is not None:
                self._look_no_more(*ran, handed_out=result is not None)
            return result

        return _get_fastpath_data

    def _look_no_more(self, traced: Traced, executable: int, *, handed_out: bool) -> None:
        """Enough calls were seen. What has effects is never handed out: its calls are counted on, and that is all."""
        if handed_out:
            self._more.add(traced.event.function.key)
            if traced.calls[executable] < COUNTED:
                self._early.add(traced.event.function.key)
        else:
            traced.has_effects = True
        if not traced.unseen:
            traced.unseen = True
            for made in traced.made:
                made.unseen = True

    def _hook_dropping(self, original: Any) -> Any:
        def _need_to_rebuild_with_fdo(*args, **kwargs):  # type: ignore[no-untyped-def]
            if getattr(self._local, "drop", False):  # also of a call in which the watcher was stopped
                self._local.drop = False
                return True
            return original(*args, **kwargs)

        return _need_to_rebuild_with_fdo


def _is_enough(traced: Traced, executable: int) -> bool:
    """Are the calls of an executable no longer to be seen?"""
    return traced.calls[executable] >= COUNTED or traced.spent.get(executable, 0.0) >= SPENDABLE


def _is_of(name: str, compiled: Any) -> bool:
    """Is what was compiled the function of this name: ahead of time, or a derivative (``transpose(jvp(name))``)?"""
    return compiled is None or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", str(compiled)) is not None


def _plain_name(compiled: Any) -> str:
    """``name``, of what JAX says that it lowers: ``jit(name)``, or from some version on ``name``."""
    return str(compiled).removeprefix("jit(").removesuffix(")")


def _options(params: dict[str, Any]) -> dict[str, str]:
    """What `jax.jit` was told that is compiled in, without being part of the trace."""
    donated = [str(index) for index, given in enumerate(params.get("donated_invars", ())) if given]
    options = {"donated arguments": ", ".join(donated) or "none"}
    for name in ("keep_unused", "compiler_options_kvs"):
        if params.get(name):
            options[name.removesuffix("_kvs")] = str(params[name])
    for name in ("in_shardings", "out_shardings"):
        given = [str(item) for item in params.get(name, ()) if type(item).__name__ != "UnspecifiedValue"]
        if given:
            options[name] = ", ".join(given)[:200]
    return options
