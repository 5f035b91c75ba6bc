"""Which trace serves a call: found by its key, or made, as wide as its meaning allows."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterator
from typing import Any

from traceonce.errors import TraceonceError
from traceonce.frameworks.tensorflow.dropin.forms import KEPT_KEYS, Form
from traceonce.frameworks.tensorflow.dropin.inputs import Call, lifted_arguments, unique
from traceonce.frameworks.tensorflow.dropin.likeness import Likeness, NotUnderstood
from traceonce.frameworks.tensorflow.dropin.parts import OPAQUE, composite_tensor, dtypes
from traceonce.frameworks.tensorflow.dropin.policy import NotNow, RunEagerly
from traceonce.frameworks.tensorflow.dropin.runnable import Runnable
from traceonce.frameworks.tensorflow.dropin.tapes import hidden as tapes_hidden
from traceonce.frameworks.tensorflow.dropin.tracer import Tracer
from traceonce.frameworks.tensorflow.dropin.trials import Trials
from traceonce.frameworks.tensorflow.dropin.widening import Widening

FORMS = 16  # nestings remembered per combination of argument types
COMBINATIONS = 256  # of argument types; then all start anew
SENTENCES = 32


class Decisions:
    """Decides which trace serves a call, and what is traced where none does.

    1. A call whose key was seen runs its trace at once. The key holds the nesting, dtype and shape of each tensor, the
       exact type and value of each Python value (1, True and 1.0 are three), and of an object what the tracing protocol
       says, else its value where it has an equality of its own, else itself. A call inside a graph or under a
       distribution strategy has no key (rule 8); tapes are looked at when the trace is run.
    2. A call that an earlier, wider trace admits uses it, and its key is remembered.
    3. A dimension that differs is left open at its second value, a rank that differs becomes unknown; only what varies.
       If the body cannot be traced so, returns something else, goes on after errors, or if anybody looks at an open
       size in Python, shapes stay as they are from then on, and `why` says so. A call whose sizes do not go together
       has a trace of its own.
    4. A Python int or float that differs is lifted to a tensor argument where that is shown to keep the meaning: the
       lifted trace can be made, returns the same structure and dtypes, and its graph is that of the static traces of
       the old and of the new value but for constants; and nobody looks at the number while the body is traced.
       Lifted whole numbers stay within the range in which nothing that is computed from them overflows. Whatever is
       not shown stays static for good, and `why` says so. Bools and strings stay static.
    5. Objects that are equal share a trace, also when the earlier one is gone; so do functions, partials and bound
       methods that are made anew with the same content. Traces made for an object that is gone are dropped.
    6. At most `keep` traces are kept; the least recently used goes. Past `limit` retraces, `permit` refuses.
    7. Padding to buckets happens before a call comes here (`padding`).
    8. Everything else is left to `tf.function`: calls inside a graph or a strategy, with arguments that the key does
       not know, or while anything watches calls (profiler, callbacks, cancellation, saving).
    9. A trace that serves more than one call is not used where it could be told from one that is the call's own: under
       tapes where it holds gradients of the user's own, and after it has failed. Forward accumulators have traces of
       their own: TensorFlow cannot differentiate a loop forward that it has differentiated backward.
    """

    def __init__(self, function: Any, likeness: Likeness, *, lift: bool) -> None:
        self.why: dict[str, None] = {}
        say = functools.partial(_say, self.why)  # not a method: it would make a circle, which only the collector opens
        self._tracer = Tracer(function, likeness)
        self._widening = Widening(self._tracer, say)
        self._trials = Trials(self._tracer, say)
        self._lift = lift
        self._tensors_only = function.input_signature is not None
        self._runnables: dict[int, Runnable] = {}
        self._hits_of_dropped = 0
        self.forms: dict[tuple[type, ...], list[Form]] = {}
        self._without_keys: set[tuple[type, ...]] = set()

    @property
    def hits(self) -> int:
        return self._hits_of_dropped + sum(runnable.hits for runnable in list(self._runnables.values()))

    @property
    def relaxed(self) -> int:
        return self._widening.relaxed

    @property
    def lifted(self) -> int:
        return self._trials.lifted

    @property
    def static(self) -> int:
        """How many numbers, and how many nestings of shapes, were found to have to stay as they are."""
        return len(self._trials.static) + len(self._widening.rigid)

    def call(self, arguments: tuple[Any, ...], device: str) -> Call | None:
        """The call with these arguments; None where they have no key."""
        kinds = tuple(map(type, arguments))
        if kinds in self._without_keys:
            return None
        with self._tracer.function._lock:
            for form in self.forms.get(kinds, ()):
                if form.flatten(arguments, device) is not None:
                    return Call(form, arguments, device)
            try:
                form = Form(arguments, self._tracer.likeness, tensors_only=self._tensors_only)
                if form.flatten(arguments, device) is None:
                    return None
            except (NotUnderstood, RecursionError):
                if any(issubclass(kind, composite_tensor.CompositeTensor) for kind in kinds):
                    self._without_keys.add(kinds)  # with such types there is never one
                return None
            if len(self.forms) >= COMBINATIONS:
                self.forms.clear()
            known = self.forms.setdefault(kinds, [])
            if len(known) >= FORMS:
                del known[0]
            known.append(form)
            return Call(form, arguments, device)

    def admitting(self, form: Form, key: tuple[Any, ...]) -> Runnable | None:
        """Rule 2, without asking TensorFlow: a known trace that admits this key."""
        shapes, cache = form.shapes(key), self._tracer.cache
        for runnable in form.wide.get(form.without_shapes(key), ()):
            if runnable.admits_shapes(shapes):
                found: Runnable = runnable
                if not cache.takes(found.concrete, lambda: form.to_inputs(shapes, form.count)):
                    return None
                with self._tracer.function._lock:
                    if self._runnables.get(id(found.concrete)) is found:  # it may just have gone
                        self._note(form, key, found)
                return found
        return None

    def prepare(self, call: Call) -> tuple[Call, tuple[Any, ...]]:
        """Have a wider trace made where this call needs one; returns it as it is then, and what to call with.

        Raises `NotNow` where the call is to be made as TensorFlow would make it.
        """
        with self._tracer.function._lock:
            given = lifted_arguments(call.form, call.arguments, call.device)
            args, kwargs = self._tracer.function.split(given)
            if not call.form.lifts:
                self._widening.widen(args, kwargs, call)
            elif not self._still_lifted(call, args, kwargs):
                self._trials.unlift(call.form)
                self._replace(call, None)
                return self.call(call.arguments, call.device) or call, call.arguments
            return call, given

    def _still_lifted(self, call: Call, args: Any, kwargs: Any) -> bool:
        try:
            self._widening.widen(args, kwargs, call)
            return self._trials.holds_here(call, args, kwargs)
        except (TraceonceError, RunEagerly, NotNow):
            raise
        except Exception:  # with tensors of this kind the body does not take a tensor for its number
            return False

    def trace_for(self, args: Any, kwargs: Any) -> None:
        """Make a trace for just this call, unless there is one: it may raise what TensorFlow raises then."""
        with contextlib.suppress(NotNow), tapes_hidden(), self._tracer.cache.exactly():
            self._tracer.make(args, kwargs)

    def widen(self, args: Any, kwargs: Any) -> None:
        """The same for a call whose arguments have no key."""
        self._widening.widen(args, kwargs)

    def lift(self, call: Call, new: Any) -> None:
        """After a call that had to be traced, `new` being its trace: lift what can be lifted."""
        with self._tracer.function._lock:
            if not self._lift or new is None or call.form not in self.forms.get(tuple(map(type, call.arguments)), ()):
                return  # the last: another thread was faster
            found = self._trials.lift(call, new)
            if found is not None:
                form, trace = found
                self._replace(call, form)
                self.remember(call._replace(form=form), trace)

    def remember(self, call: Call, concrete: Any) -> None:
        """The trace that served a call serves all calls with its key."""
        function, form = self._tracer.function, call.form
        if concrete is None or function._function_captures.by_ref_external:
            return
        with function._lock:
            flat = call.flat()
            if flat is None or not self._tracer.cache.holds(concrete):
                return
            key, inputs = flat
            if any(tensor.dtype.as_datatype_enum in OPAQUE for tensor in form.of_tensors(inputs)):
                return  # what a handle leads to is not in the key
            if form.has_aliases:
                inputs = unique(inputs)
            placeholders = concrete.graph.inputs[: len(inputs)]
            if len(inputs) + len(concrete.captured_inputs) != len(concrete.graph.inputs):
                return  # an order of inputs that we do not know: TensorFlow does
            if not all(map(_fits, placeholders, inputs)):
                return
            runnable = self._runnables.get(id(concrete))
            if runnable is None:
                shapes = () if form.has_aliases else form.of_tensors([_shape(tensor) for tensor in placeholders])
                wide = self._tracer.cache.wide(concrete)
                runnable = self._runnables[id(concrete)] = Runnable(concrete, tuple(shapes), wide)
            self._note(form, key, runnable)
            if not form.has_aliases:
                self._note_wide(form, key, runnable)

    def forget(self, concrete: Any) -> None:
        """A trace is gone from the cache: no key may lead to it."""
        runnable = self._runnables.pop(id(concrete), None)
        if runnable is None:
            return
        self._hits_of_dropped += runnable.hits
        for form in list(itertools.chain.from_iterable(self.forms.values())):
            form.table = {key: kept for key, kept in form.table.items() if kept is not runnable}
            form.wide = {
                key: left
                for key, kept in form.wide.items()
                if (left := [other for other in kept if other is not runnable])
            }

    def recently_used(self) -> Iterator[tuple[Any, int]]:
        """Each trace that was run past the cache, and when last."""
        return ((runnable.concrete, runnable.last) for runnable in list(self._runnables.values()))

    def _replace(self, call: Call, form: Form | None) -> None:
        known = self.forms.get(tuple(map(type, call.arguments)), [])
        if call.form in known:
            place = known.index(call.form)
            known[place : place + 1] = [form] if form is not None else []

    def _note(self, form: Form, key: Any, runnable: Runnable) -> None:
        if len(form.table) >= KEPT_KEYS:
            form.table = {}
        form.table[key] = runnable

    def _note_wide(self, form: Form, key: Any, runnable: Runnable) -> None:
        """Let other shapes find this trace, too, where they are admitted; the most specific trace first."""
        known = form.wide.setdefault(form.without_shapes(key), [])
        if runnable not in known:
            known.append(runnable)
            known.sort(key=lambda other: other.openness)


def _say(why: dict[str, None], sentence: str) -> None:
    if len(why) < SENTENCES:
        why[sentence] = None


def _fits(placeholder: Any, value: Any) -> bool:
    """Is this the input that the trace expects there?"""
    if placeholder.dtype.as_datatype_enum in OPAQUE:
        return bool(placeholder.dtype == value.dtype == dtypes.resource)
    return bool(placeholder.dtype == value.dtype and placeholder.shape.is_compatible_with(value.shape))


def _shape(tensor: Any) -> tuple[int | None, ...] | None:
    return None if tensor.shape.rank is None else tuple(tensor.shape)
