"""What happens on a call that no key knows: find a trace that admits it, or make one, as wide as its meaning allows."""

from __future__ import annotations

import contextlib
import itertools
import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from traceonce.backends.tensorflow.dispatching import nests
from traceonce.backends.tensorflow.dispatching.comparing import agree, alike_inside, fitted, other_data
from traceonce.backends.tensorflow.dispatching.exact import exact_type, structure
from traceonce.backends.tensorflow.dispatching.flattening import KEPT_KEYS, Flat, Form, Lift, Path
from traceonce.backends.tensorflow.dispatching.graphs import folded_operations
from traceonce.backends.tensorflow.dispatching.lifting import Unsafe, possible_dtypes, safe_lift
from traceonce.backends.tensorflow.dispatching.likeness import Likeness, NotUnderstood
from traceonce.backends.tensorflow.dispatching.parts import (
    OPAQUE,
    EagerTensor,
    ResourceVariable,
    dtypes,
    function_context,
    function_type_utils,
)
from traceonce.backends.tensorflow.dispatching.policy import RunEagerly
from traceonce.backends.tensorflow.dispatching.relaxing import relax
from traceonce.backends.tensorflow.dispatching.running import Runnable
from traceonce.backends.tensorflow.dispatching.shape_reads import noticed
from traceonce.errors import TraceonceError

FORMS = 16  # nestings remembered per combination of argument types
DTYPES = 3  # types tried for one number
SENTENCES = 32
PROBES = (1, 2)


class Decisions:
    """Decides which trace serves a call, and what is traced where none does.

    1. A call whose key was seen runs its trace at once. The key holds the nesting, dtype and shape of each tensor, the
       exact type and value of each Python value (1, True and 1.0 are three), and of an object what the tracing protocol
       says, else its value where it has an equality of its own, else itself. A call inside a graph or under a
       distribution strategy has no key (rule 8); tapes are looked at when the trace is run.
    2. A call that an earlier, wider trace admits uses it, and its key is remembered.
    3. A dimension that differs is left open at its second value, a rank that differs becomes unknown; only what varies.
       If the body cannot be traced so, returns something else, or gives other results than the earlier trace where
       both can be run, shapes stay as they are from then on, and `why` says so.
    4. A Python int or float that differs is lifted to a tensor argument where that is shown to keep the meaning: the
       lifted trace can be made, returns the same structure and dtypes, and agrees with the static traces of the old and
       of the new value: by running them (on copies of the variables that they write), else by comparing the graphs.
       Lifted whole numbers stay within the range in which nothing that is computed from them overflows. Whatever is
       not shown stays static for good, and `why` says so. Bools and strings stay static.
    5. Objects that are equal share a trace, also when the earlier one is gone; so do functions, partials and bound
       methods that are made anew with the same content. Traces made for an object that is gone are dropped.
    6. At most `keep` traces are kept; the least recently used goes. Past `limit` retraces, `permit` refuses.
    7. Padding to buckets happens before a call comes here (`padding`).
    8. Everything else is left to `tf.function`: calls inside a graph or a strategy, with arguments that the key does
       not know, or while anything watches calls (profiler, callbacks, cancellation, saving).
    """

    def __init__(self, function: Any, likeness: Likeness, *, lift: bool) -> None:
        self._owner = weakref.ref(function)
        self._likeness = likeness
        self._lift = lift
        self._tensors_only = function.input_signature is not None
        self._runnables: dict[int, Runnable] = {}
        self._static: set[Path] = set()
        self._rigid: set[Any] = set()
        self.forms: dict[tuple[type, ...], list[Form]] = {}
        self.relaxed = 0
        self.lifted = 0
        self.why: dict[str, None] = {}
        self.hits_of_dropped = 0

    @property
    def _function(self) -> Any:
        return self._owner()  # weakly held: a function goes when its last user goes, without the collector

    @property
    def hits(self) -> int:
        return self.hits_of_dropped + sum(runnable.hits for runnable in list(self._runnables.values()))

    @property
    def static(self) -> int:
        """How many numbers, and how many nests of shapes, were found to have to stay as they are."""
        return len(self._static) + len(self._rigid)

    def form_of(self, arguments: tuple[Any, ...], device: str, context: Any) -> Form | None:
        """The form of these arguments, made where it is new; None where there is none."""
        kinds = tuple(map(type, arguments))
        with self._function._lock:
            for form in self.forms.get(kinds, ()):
                if form.flatten(arguments, device, context) is not None:
                    return form
            try:
                form = Form(arguments, self._likeness, tensors_only=self._tensors_only)
                if form.flatten(arguments, device, context) is None:
                    return None
            except (NotUnderstood, RecursionError):
                return None
            known = self.forms.setdefault(kinds, [])
            if len(known) >= FORMS:
                del known[0]
            known.append(form)
            return form

    def admitting(self, form: Form, key: tuple[Any, ...]) -> Runnable | None:
        """Rule 2, without asking TensorFlow: a known trace that admits this key."""
        shapes = form.shapes(key)
        for runnable in form.wide.get(form.without_shapes(key), ()):
            if admits(runnable.admits, shapes):
                self._note(form, key, runnable)
                found: Runnable = runnable
                return found
        return None

    def prepare(self, form: Form, arguments: tuple[Any, ...], device: str, context: Any) -> tuple[Any, ...]:
        """Have a wider trace made where this call needs one. Returns the arguments to call with."""
        with self._function._lock:
            flat = form.flatten(arguments, device, context)
            if flat is None:  # another thread has lifted a number meanwhile
                return arguments
            given = lifted_arguments(form, arguments, device)
            call = _Call(self, form, arguments, flat, device, context)
            args, kwargs = self._function.split(given)
            self.widen(args, kwargs, call.differs, lifted=bool(form.lifts))
            if form.lifts and not self._still_lifted(call, args, kwargs):
                self._unlift(form)
                return arguments
            return given

    def _still_lifted(self, call: _Call, args: Any, kwargs: Any) -> bool:
        """Where shapes stay as they are, the body may do something else with a number at each: it is shown anew."""
        cache = self._function._function_cache
        kind, where = self.request(args, kwargs)
        if cache.find(kind, where) is not None or not cache.types(where):
            return True
        plain = Form(call.arguments, self._likeness)
        flat = plain.flatten(call.arguments, call.device, call.context)
        given, named = self._function.split(call.arguments)
        static = self.make(given, named, None, trying=True)
        lifted = self.make(args, kwargs, kind, trying=False)
        if flat is None or static is None or lifted is None:
            return False
        same = _Call(self, plain, call.arguments, flat, call.device, call.context)
        reason = self._disagreement(same, call.form, call.arguments, static, lifted)
        cache.drop(static)
        if reason is not None:
            cache.take_back(lifted)
        return reason is None

    def _unlift(self, form: Form) -> None:
        """Numbers that were lifted are static again, for good."""
        names = ", ".join(self._function.path_text(path) for path in form.lifts)
        self.say(f"{names}: traced anew for each value after all, since at another shape the body does something else")
        self._static.update(form.lifts)
        self.lifted -= len(form.lifts)
        for known in self.forms.values():
            if form in known:
                known.remove(form)

    def widen(self, args: Any, kwargs: Any, differs: Callable[[Any], str | None], *, lifted: bool = False) -> None:
        """Rule 3: make a trace with open dimensions, if none admits these arguments and that keeps the meaning."""
        function = self._function
        nesting = (tuple(map(type, args)), *((name, type(value)) for name, value in kwargs.items()))
        if not function.relaxes or nesting in self._rigid or function._function_captures.by_ref_external:
            return
        with function._lock:
            kind, where = self.request(args, kwargs)
            cache = function._function_cache
            if cache.find(kind, where) is not None:
                return
            earlier = cache.types(where)
            reason = None
            for wider in _distinct(relax(kind, earlier), relax(kind, earlier, ranks=False)):
                reason = self._open(args, kwargs, wider, differs)
                if reason is None:
                    self.relaxed += 1
                    return
            if reason is not None:
                trace = self.make(args, kwargs, kind, trying=False)  # what fails like this as well is no reason
                if lifted and trace is not None:
                    cache.take_back(trace)  # `_still_lifted` is to look at it first
                self._rigid.add(nesting)
                self.say(f"shapes: traced anew for each, since {reason}")

    def _open(self, args: Any, kwargs: Any, wider: Any, differs: Callable[[Any], str | None]) -> str | None:
        """Make this trace; if it is not what it should be, take it back and say why."""
        cache = self._function._function_cache
        try:
            with noticed() as reads:
                trace = self.make(args, kwargs, wider, trying=False)
        except Exception as error:
            if isinstance(error, (TraceonceError, RunEagerly)):
                raise
            return f"the body cannot be traced with open dimensions ({_first_line(error)})"
        if trace is None:
            return None
        reason = None
        if reads and not self._function._reduce_retracing:
            reason = f"{reads[0]} reads a size in Python (tf.shape would read it in the graph)"
        reason = reason or differs(trace)
        if reason is not None:
            cache.take_back(trace)
        return reason

    def make(self, args: Any, kwargs: Any, target: Any, *, trying: bool) -> Any:
        """Have TensorFlow make a trace, for this type instead of the one that the arguments have."""
        function = self._function
        cache = function._function_cache
        with cache.tracing(target, trying=trying) as made:
            try:
                concrete = function._get_concrete_function_garbage_collected(*args, **kwargs)
            except Exception:
                cache.trials += 1
                raise
        concrete._garbage_collector.release()
        return made[-1] if made else None

    def request(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """What TensorFlow would look up for these arguments: the type and the context."""
        options = self._function.tracing_options
        bound = function_type_utils.canonicalize_function_inputs(
            args, kwargs, options.polymorphic_type, options.default_values, options.is_pure
        )
        captures = options.function_captures.capture_types if options.function_captures else {}
        kind, _ = function_type_utils.make_canonicalized_monomorphic_type(
            bound.args, bound.kwargs, captures, options.polymorphic_type
        )
        where = function_context.make_function_context(options.scope_type)
        return exact_type(kind, self._likeness), where

    def lift(self, form: Form, arguments: tuple[Any, ...], new: Any, device: str, context: Any) -> None:
        """Rule 4, after a call that had to be traced: `new` is its static trace."""
        with self._function._lock:
            flat = form.flatten(arguments, device, context)
            known = self.forms.get(tuple(map(type, arguments)), ())
            if not self._lift or new is None or flat is None or form not in known:  # another thread was faster
                return
            call = _Call(self, form, arguments, flat, device, context)
            reference = call.reference(self._static)
            if reference is None:
                return
            paths, key = reference
            old = form.table[key].concrete
            groups = [paths, *([path] for path in paths if len(paths) > 1)]
            if not any(self._try_lift(call, group, old, new, key) for group in groups):
                self._static.update(paths)

    def remember(self, form: Form, arguments: tuple[Any, ...], concrete: Any, device: str, context: Any) -> None:
        """The trace that served a call serves all calls with its key."""
        function = self._function
        if concrete is None or function._function_captures.by_ref_external:
            return
        with function._lock:
            flat = form.flatten(arguments, device, context)
            if flat is None or not function._function_cache.holds(concrete):
                return
            key, inputs = flat[0], flat[1]
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
                runnable = self._runnables[id(concrete)] = Runnable(concrete, tuple(shapes))
            self._note(form, key, runnable)
            if not form.has_aliases:
                self._note_wide(form, key, runnable)

    def forget(self, concrete: Any) -> None:
        """A trace is gone from the cache: no key may lead to it."""
        runnable = self._runnables.pop(id(concrete), None)
        if runnable is None:
            return
        self.hits_of_dropped += runnable.hits
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

    def say(self, sentence: str) -> None:
        if len(self.why) < SENTENCES:
            self.why[sentence] = None

    def _note(self, form: Form, key: Any, runnable: Runnable) -> None:
        if len(form.table) >= KEPT_KEYS:
            form.table = {}
        form.table[key] = runnable

    def _note_wide(self, form: Form, key: Any, runnable: Runnable) -> None:
        """Let other shapes find this trace, too, where they are admitted; the most specific trace first."""
        known = form.wide.setdefault(form.without_shapes(key), [])
        if runnable not in known:
            known.append(runnable)
            known.sort(key=lambda other: sum(map(_openness, other.admits)))

    def _try_lift(self, call: _Call, paths: list[Path], old: Any, new: Any, key: Any) -> bool:
        values = {path: nests.get(call.arguments, path) for path in paths}
        names = ", ".join(self._function.path_text(path) for path in paths)
        options = [possible_dtypes(value, old, new) for value in values.values()]
        reason = ""
        for choice in itertools.islice(itertools.zip_longest(*options), DTYPES):
            dtypes = [dtype or option[-1] for dtype, option in zip(choice, options, strict=True)]
            lifts = {path: Lift(dtype.as_datatype_enum, math.inf) for path, dtype in zip(paths, dtypes, strict=True)}
            problem = self._adopt(call, lifts, old, new, key)
            if problem is None:
                self.lifted += len(paths)
                self.say(f"{names}: handed over as a tensor, since its value differs from call to call")
                return True
            reason = reason or str(problem)
            if not isinstance(problem, _WrongType):
                break
        self.say(f"{names}: traced anew for each value, since {reason}")
        return False

    def _adopt(self, call: _Call, lifts: dict[Path, Lift], old: Any, new: Any, key: Any) -> str | None:
        """Lift these numbers from now on, or say why not."""
        form, cache = call.form, self._function._function_cache
        every = {**form.lifts, **lifts}
        trial = Form(call.arguments, self._likeness, every)
        try:
            concrete = call.try_trace(lifted_arguments(trial, call.arguments, call.device), new)
        except Exception as error:
            return _WrongType(f"the body cannot be traced with a tensor there ({_first_line(error)})")
        if concrete is None:
            return "a trace with a tensor there was made by other means"
        flat = trial.flatten(call.arguments, call.device, call.context)
        inputs = unique(flat[1]) if flat is not None else []
        places = {path: _position(inputs, flat[1][trial.places[path]]) for path in lifts} if flat is not None else {}
        try:
            reason = self._unproved(call, every, places, old, new, concrete, key)
        except BaseException:
            cache.drop(concrete)
            raise
        if reason is not None:
            cache.drop(concrete)
            return reason
        lifted = Form(call.arguments, self._likeness, every)
        known = self.forms[tuple(map(type, call.arguments))]
        if form in known:
            known[known.index(form)] = lifted
        self.remember(lifted, call.arguments, concrete, call.device, call.context)
        return None

    def _unproved(
        self, call: _Call, every: dict[Path, Lift], places: dict[Path, int], old: Any, new: Any, lifted: Any, key: Any
    ) -> str | None:
        """What keeps a lifted trace from being what the static ones are, or None; puts the ranges in `every`.

        Graphs that are alike are so for all data. Otherwise the traces are run, on the data of the call and on other
        data, and what is inside of branches and loops must be alike, since it may not have run.
        """
        if not (_same_outputs(old, lifted) and _same_outputs(new, lifted)):
            return _WrongType("what is returned would have another type")
        now = {path: nests.get(call.arguments, path) for path in places}
        before = {path: call.form.number_in(key, path) for path in places}
        pairs = ((new, now), (old, before))
        folded = [
            folded_operations(static, lifted, {places[path]: value for path, value in values.items()})
            for static, values in pairs
        ]
        alike = None if None in folded else set().union(*(names for names in folded if names is not None))
        try:
            for path, place in places.items():
                every[path] = safe_lift((now[path], before[path]), lifted, lifted.graph.inputs[place], alike)
        except Unsafe as unsafe:
            return str(unsafe)
        if alike is not None:
            return None
        for static, values in pairs:
            arguments = call.arguments
            for path, value in values.items():
                arguments = nests.put(arguments, path, value)
            reason = self._disagreement(call, Form(call.arguments, self._likeness, every), arguments, static, lifted)
            if reason is not None:
                return reason
        return None

    def _disagreement(self, call: _Call, form: Form, arguments: Any, static: Any, lifted: Any) -> str | None:
        """Run a static trace and the lifted one on the same arguments."""
        mine, theirs = (each.flatten(arguments, call.device, call.context) for each in (call.form, form))
        if mine is None or theirs is None:
            return "its range could not be told"
        if not alike_inside(static, lifted):
            return "a branch or a loop of the body is another one with a tensor"
        found = agree(static, lifted, unique(mine[1]), unique(theirs[1]), variables_among(arguments))
        if found == "unknown":
            return "the body has effects, and that it does the same with a tensor could not be told from its graph"
        for seed in PROBES:
            other = dict(zip(map(id, mine[1]), other_data(mine[1], seed), strict=True))
            one, two = ([other.get(id(value), value) for value in unique(flat[1])] for flat in (mine, theirs))
            if found == "same" and agree(static, lifted, one, two, variables_among(arguments)) == "different":
                found = "different"
        return "with a tensor the body gives another result" if found == "different" else None


class _WrongType(str):
    """A reason that may not hold for a tensor of another type."""


class _Call:
    """A call that needs a trace."""

    def __init__(
        self, decisions: Decisions, form: Form, arguments: tuple[Any, ...], flat: Flat, device: str, context: Any
    ) -> None:
        self._decisions = decisions
        self.form = form
        self.arguments = arguments
        self.key, self.inputs = flat
        self.device = device
        self.context = context

    def try_trace(self, arguments: tuple[Any, ...], like: Any) -> Any:
        """A trace for arguments with tensors for numbers, as wide as another one; None where one was there."""
        decisions = self._decisions
        args, kwargs = decisions._function.split(arguments)
        kind, where = decisions.request(args, kwargs)
        if decisions._function._function_cache.find(kind, where) is not None:
            return None
        widest = relax(kind, [exact_type(like.function_type, decisions._likeness)])
        return decisions.make(args, kwargs, widest or kind, trying=True)

    def differs(self, trace: Any) -> str | None:
        """Is the wider trace something else than an earlier one? Compared where both can be run."""
        form = self.form
        static = form.without_shapes(self.key)
        for key, runnable in reversed(form.table.items()):
            if form.without_shapes(key) != static:
                continue
            if not _same_outputs(runnable.concrete, trace):
                return "what is returned would have another type"
            inputs = fitted(self.inputs, form.to_inputs(form.shapes(key), len(self.inputs)))
            if inputs is None:
                return None
            inputs = unique(inputs)
            found = agree(runnable.concrete, trace, inputs, inputs, variables_among(self.arguments))
            return "with open dimensions the body gives another result" if found == "different" else None
        return None

    def reference(self, static: set[Path]) -> tuple[list[Path], Any] | None:
        """An earlier call that differs in numbers alone, whose trace admits the shapes of this one."""
        form = self.form
        free = [path for path in form.numbers if path not in static and math.isfinite(form.number_in(self.key, path))]
        shapes = form.shapes(self.key)
        for key, runnable in reversed(form.table.items()):
            paths = [path for path in free if key[form.numbers[path].place] != self.key[form.numbers[path].place]]
            if not paths or not all(math.isfinite(form.number_in(key, path)) for path in paths):
                continue
            same = list(key)
            for path in paths:
                place = form.numbers[path].place
                same[place] = self.key[place]
            if form.without_shapes(tuple(same)) == form.without_shapes(self.key) and admits(runnable.admits, shapes):
                return paths, key
        return None


def admits(patterns: Sequence[Any], shapes: Sequence[Any]) -> bool:
    """Do the shapes that a trace takes admit these?"""
    return len(patterns) == len(shapes) and all(map(_admits, patterns, shapes))


def _admits(pattern: Any, shape: Any) -> bool:
    if pattern is None or pattern == shape:
        return True
    return len(pattern) == len(shape) and all(
        size is None or size == found for size, found in zip(pattern, shape, strict=True)
    )


def _openness(shape: Any) -> int:
    return 100 if shape is None else sum(size is None for size in shape)


def lifted_arguments(form: Form, arguments: tuple[Any, ...], device: str) -> tuple[Any, ...]:
    """The arguments with tensors in place of the numbers that are lifted."""
    for path, lift in form.lifts.items():
        arguments = nests.put(arguments, path, EagerTensor(nests.get(arguments, path), device, lift.dtype))
    return arguments


def unique(inputs: Sequence[Any]) -> list[Any]:
    """TensorFlow hands a variable over once, however often it is among the arguments."""
    handles = {id(value): value for value in inputs if value.dtype.as_datatype_enum in OPAQUE}
    if len(handles) == sum(value.dtype.as_datatype_enum in OPAQUE for value in inputs):
        return list(inputs)
    found: list[Any] = []
    for value in inputs:
        if id(value) not in handles or not any(value is other for other in found):
            found.append(value)
    return found


def _same_outputs(one: Any, two: Any) -> bool:
    """The same structure and dtypes, and shapes that may be the same."""
    first, second = one.function_type.output, two.function_type.output
    mine, theirs = first.flatten(), second.flatten()
    return structure(first) == structure(second) and len(mine) == len(theirs) and all(map(_same_output, mine, theirs))


def _same_output(one: Any, two: Any) -> bool:
    return bool(one.dtype == two.dtype and one.shape.is_compatible_with(two.shape))


def _fits(placeholder: Any, value: Any) -> bool:
    """Is this the input that the trace expects there?"""
    if placeholder.dtype.as_datatype_enum in OPAQUE:
        return bool(placeholder.dtype == value.dtype == dtypes.resource)
    return bool(placeholder.dtype == value.dtype and placeholder.shape.is_compatible_with(value.shape))


def _shape(tensor: Any) -> tuple[int | None, ...] | None:
    return None if tensor.shape.rank is None else tuple(tensor.shape)


def _position(inputs: Sequence[Any], wanted: Any) -> int:
    return next(index for index, value in enumerate(inputs) if value is wanted)


def variables_among(arguments: Any) -> list[Any]:
    """The variables in a nest of arguments."""
    if isinstance(arguments, ResourceVariable):
        return [arguments]
    parts = arguments.values() if isinstance(arguments, dict) else arguments
    if not isinstance(arguments, (dict, list, tuple)):
        return []
    return [found for part in parts for found in variables_among(part)]


def _first_line(error: BaseException) -> str:
    with contextlib.suppress(Exception):
        lines = str(error).strip().splitlines()
        return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:160]
    return type(error).__name__


def _distinct(*candidates: Any) -> list[Any]:
    found: list[Any] = []
    for candidate in candidates:
        if candidate is not None and candidate not in found:
            found.append(candidate)
    return found
