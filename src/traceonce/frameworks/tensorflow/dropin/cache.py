"""TensorFlow's cache of traces, with exact types, a bound on its size, and the say on what is traced next."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from traceonce.frameworks.tensorflow.dropin.apart import Apart, Keyed, taken
from traceonce.frameworks.tensorflow.dropin.exact import exact_type, leaves
from traceonce.frameworks.tensorflow.dropin.graphs import has_gradients_of_its_own
from traceonce.frameworks.tensorflow.dropin.likeness import Likeness, Mark
from traceonce.frameworks.tensorflow.dropin.parts import FunctionCache, FunctionContext, default_types
from traceonce.frameworks.tensorflow.dropin.runnable import tick
from traceonce.frameworks.tensorflow.dropin.sizes import Sizes

Permit = Callable[[Any], None]


class _Here(threading.local):
    """What one thread does with the cache: which trace it was given last, and what it is to trace next."""

    last: Any = None
    target: Any = None
    trying: bool = False
    made: list[Any] | None = None
    on_miss: Callable[[], None] | None = None
    exactly: bool = False
    accumulation: str | None = None


class Wide(NamedTuple):
    """What comes with a trace that is for more than the call it was made for.

    `inner` holds what was traced of other functions for it; `sizes` says which of the sizes that it admits it takes;
    `compared` is how often TensorFlow compared open sizes; `own_gradients`: under
    a tape it may be told from a trace that is made for one call.
    """

    inner: Apart
    sizes: Sizes | None
    compared: int
    own_gradients: bool


class BoundedCache(FunctionCache):  # type: ignore[misc]  # TensorFlow is untyped
    """Keeps the traces of one function.

    `permit` is asked before a trace is made and may raise; `dropped` is told of each trace that goes.
    """

    def __init__(
        self,
        likeness: Likeness,
        keep: int,
        permit: Permit,
        dropped: Callable[[Any], None],
        *,
        reduce_retracing: bool = False,
    ) -> None:
        super().__init__()
        self._likeness = likeness
        self._keep = keep
        self._reduce_retracing = reduce_retracing
        self._permit = permit
        self._dropped = dropped
        self._here = _Here()
        self._clock: dict[int, int] = {}
        self._kept: dict[int, tuple[Any, Any, Any]] = {}  # what `_primary` holds, without hashing all of it
        self._wide: dict[int, Wide] = {}
        self.traces = 0
        self.trials = 0
        self.evicted = 0

    def lookup(self, function_type: Any, context: Any = None) -> Any:
        found = self.find(function_type, context)
        if taken(self) is not None:
            return found
        on_miss = self._here.on_miss
        if found is None and on_miss is not None:
            self._here.on_miss = None
            on_miss()
            found = self.find(function_type, context)
        self._here.last = found
        if found is None:
            if not self._here.trying:
                self._permit(function_type)
        elif id(found) in self._kept:
            self._clock[id(found)] = tick()
        return found

    def find(self, function_type: Any, context: Any = None) -> Any:
        """The trace that admits this, or None."""
        kind, context = exact_type(function_type, self._likeness), self._key_of(context)
        found = super().lookup(kind, context)
        if found is None or id(found) not in self._wide:
            return found
        if (not self._here.exactly or self._reduce_retracing) and self.takes(found, lambda: input_shapes(kind)):
            return found
        found = self._primary.get((context, kind))
        return None if found is None or id(found) in self._wide else found

    def keep_wide(self, fn: Any, inner: Apart, sizes: Sizes | None = None, compared: int = 0) -> None:
        """This trace serves more than the call that it was made for."""
        if id(fn) in self._kept:
            self._wide[id(fn)] = Wide(inner, sizes, compared, has_gradients_of_its_own(fn))

    def wide(self, fn: Any) -> Wide | None:
        """What comes with a trace that serves more than one call; None for one that does not."""
        return self._wide.get(id(fn))

    @property
    def has_own_gradients(self) -> bool:
        return any(wide.own_gradients for wide in list(self._wide.values()))

    def takes(self, fn: Any, shapes: Callable[[], list[Any]]) -> bool:
        """Is this trace, which admits them, for inputs of these shapes?"""
        wide = self.wide(fn)
        try:
            return wide is None or wide.sizes is None or wide.sizes.admit(shapes())
        except Exception:  # ours: then it is not known, and the call gets a trace of its own
            return False

    @contextlib.contextmanager
    def exactly(self, accumulation: str | None = None) -> Iterator[None]:
        """In this block the calling thread is given traces that were made for just what it asks for.

        Traces made under an `accumulation` serve only calls under the same.
        """
        here = self._here
        before = here.exactly, here.accumulation
        here.exactly, here.accumulation = True, accumulation
        try:
            yield
        finally:
            here.exactly, here.accumulation = before

    def _key_of(self, context: Any) -> Any:
        context = context or FunctionContext()
        return context if self._here.accumulation is None else (self._here.accumulation, context)

    def generalize(self, context: Any, function_type: Any) -> Any:
        """What is to be traced for this request: what `tracing` says, else what `tf.function` would trace."""
        if self._here.target is not None:
            return self._here.target
        exact = exact_type(function_type, self._likeness)
        return super().generalize(context, exact) if self._reduce_retracing else exact

    def add(self, fn: Any, context: Any = None) -> None:
        here = self._here
        context = self._key_of(context)
        kind = exact_type(fn.function_type, self._likeness)
        trial = taken(self)
        if trial is not None:
            trial.add(self, fn, context, kind)
            return
        if context in self._dispatch_dict:
            # TensorFlow remembers which trace served a request, and puts a narrower one in its place without asking
            # whether that admits the request: with [None] and then [4] in the table, a request for [1] is given [4].
            self._dispatch_dict[context]._dispatch_cache.clear()
        super().add(Keyed(kind), context)
        self._primary[context, kind] = fn
        self._tell_sizes(context, kind)
        self._kept[id(fn)] = (context, kind, fn)
        here.last = fn
        if here.made is not None:
            here.made.append(fn)
        if here.trying:
            self.trials += 1
        else:
            self.traces += 1
        self._clock[id(fn)] = tick()
        self._evict(fn)

    def _tell_sizes(self, context: Any, kind: Any) -> None:
        """A trace of this type could be made: what could have stood in for it learns of its sizes."""
        for where, other, fn in list(self._kept.values()):
            wide = self._wide.get(id(fn))
            if wide is not None and wide.sizes is not None and where == context and kind.is_supertype_of(other):
                with contextlib.suppress(Exception):  # ours: then calls like this are traced by themselves
                    wide.sizes.learn(input_shapes(kind))

    @contextlib.contextmanager
    def tracing(self, target: Any = None, *, trying: bool = False) -> Iterator[list[Any]]:
        """In this block the calling thread traces `target` instead of what is asked for; gives what was traced."""
        here = self._here
        before = here.target, here.trying, here.made
        made: list[Any] = []
        here.target, here.trying, here.made = target, trying, made
        try:
            yield made
        finally:
            here.target, here.trying, here.made = before

    @contextlib.contextmanager
    def before_a_miss(self, work: Callable[[], None]) -> Iterator[None]:
        """In this block, the first time that the calling thread finds no trace, do this and look again."""
        self._here.on_miss = work
        try:
            yield
        finally:
            self._here.on_miss = None

    @property
    def serves_a_call(self) -> bool:
        """Is the calling thread making a trace ahead of a call?"""
        return self._here.made is not None

    @property
    def is_trying(self) -> bool:
        """Is the calling thread making a trace just to find something out?"""
        return self._here.trying

    @property
    def last(self) -> Any:
        """The trace that this thread was given by its last look-up."""
        return self._here.last

    def admitted_by(self, kind: Any) -> list[Any]:
        """The types of the traces that one of this type could stand in for: a function that takes more is a subtype."""
        return [other for _, other, _ in list(self._kept.values()) if other != kind and other.is_supertype_of(kind)]

    def types(self, context: Any) -> list[Any]:
        """The types of the traces made in a context, oldest first."""
        return [kind for where, kind, _ in list(self._kept.values()) if where == context]

    def holds(self, fn: Any) -> bool:
        return id(fn) in self._kept

    def drop(self, fn: Any) -> None:
        """Forget a trace."""
        known = self._kept.pop(id(fn), None)
        if known is not None:
            self.delete(known[1], known[0])
        self._clock.pop(id(fn), None)
        self._wide.pop(id(fn), None)
        if self._here.last is fn:
            self._here.last = None
        self._dropped(fn)

    def take_back(self, fn: Any) -> None:
        """Forget a trace that was not what it should be: it was a trial."""
        self.drop(fn)
        self.traces -= 1
        self.trials += 1

    def drop_dead(self) -> None:
        """Forget the traces that were made for an object which is gone: nothing can ask for them any more."""
        for _, kind, fn in list(self._kept.values()):
            if any(_is_dead(leaf) for p in kind.parameters.values() for leaf in leaves(p.type_constraint)):
                self.drop(fn)
                self.evicted += 1

    def used(self, fn: Any, when: int) -> None:
        """Take note of a use that went past the cache."""
        if id(fn) in self._clock:
            self._clock[id(fn)] = max(when, self._clock[id(fn)])

    def _evict(self, new: Any) -> None:
        while len(self._kept) > self._keep:
            others = [number for number in self._kept if number != id(new)]
            if not others:
                return
            self.drop(self._kept[min(others, key=lambda number: self._clock.get(number, 0))][2])
            self.evicted += 1
            if self.evicted % max(self._keep // 4, 4) == 0:
                gc.collect()  # a graph is full of cycles, and most of its memory is nothing that Python counts


def _is_dead(leaf: Any) -> bool:
    likeness = getattr(leaf, "likeness", None)
    if likeness is not None:
        return _holds_dead(likeness)
    return type(leaf) is default_types.Weakref and leaf._ref() is None


def _holds_dead(likeness: Any) -> bool:
    if isinstance(likeness, Mark):
        return likeness.reference() is None
    return isinstance(likeness, tuple) and any(_holds_dead(part) for part in likeness)


def input_shapes(kind: Any) -> list[Any]:
    """The shapes of the inputs of a function of this type, each variable once; None where a rank is open."""
    shapes: list[Any] = []
    met: set[Any] = set()
    for spec in kind.flat_inputs:
        alias = spec._alias_id()
        if alias is None or alias not in met:
            shapes.append(None if spec.shape.rank is None else tuple(spec.shape))
        met.add(alias)
    return shapes
