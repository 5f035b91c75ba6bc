"""Rule 4: try a Python number as a tensor, and keep it so if the traces show that the body means the same."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from traceonce.backends.tensorflow.dispatching import nests
from traceonce.backends.tensorflow.dispatching.comparing import agree, alike_inside, has_loops, other_data, same_outputs
from traceonce.backends.tensorflow.dispatching.flattening import Form, Lift, Path
from traceonce.backends.tensorflow.dispatching.graphs import folded_operations
from traceonce.backends.tensorflow.dispatching.inputs import Call, lifted_arguments, unique, variables_among
from traceonce.backends.tensorflow.dispatching.inspecting import CALLED, looks_at_shapes, looks_at_types
from traceonce.backends.tensorflow.dispatching.lifting import Unsafe, possible_dtypes, safe_lift
from traceonce.backends.tensorflow.dispatching.shape_reads import noticed
from traceonce.backends.tensorflow.dispatching.tracing import Tracer, describe_error

DTYPES = 3  # types tried for one number
PROBES = (1, 2)  # seeds of other data


class WrongType(str):
    """A reason that may not hold for a tensor of another type."""


class Static(NamedTuple):
    """A trace with numbers as they are, and those numbers."""

    trace: Any
    numbers: Mapping[Path, Any]


class Trials:
    """Lifts numbers of one function. `static` are the places whose numbers must stay as they are."""

    def __init__(self, tracer: Tracer, say: Callable[[str], None]) -> None:
        self._tracer = tracer
        self._say = say
        self.static: set[Path] = set()
        self.lifted = 0

    def lift(self, call: Call, new: Any) -> tuple[Form, Any] | None:
        """After a call that needed a trace, `new`: the form with numbers lifted and the trace for it, or None."""
        reference = self._reference(call)
        if reference is None:
            return None
        paths, old_numbers, old_trace = reference
        old = Static(old_trace, old_numbers)
        now = Static(new, {path: nests.get(call.arguments, path) for path in paths})
        for group in [paths, *([path] for path in paths if len(paths) > 1)]:
            found = self._try(call, group, old, now)
            if found is not None:
                self.lifted += len(group)
                return found
        self.static.update(paths)
        return None

    def holds_here(self, call: Call, args: Any, kwargs: Any) -> bool:
        """Where shapes stay as they are, the body may do something else with a number at each: show it anew."""
        tracer, cache = self._tracer, self._tracer.cache
        kind, where = tracer.request(args, kwargs)
        if cache.find(kind, where) is not None or not cache.types(where):
            return True
        plain = Call(Form(call.arguments, tracer.likeness), call.arguments, call.device)
        given, named = tracer.function.split(call.arguments)
        static, lifted = tracer.make(given, named, trying=True), tracer.make(args, kwargs, kind)
        if static is None or lifted is None:
            return False
        reason = _disagreement(plain, call.form, static, lifted)
        if reason is None and looks_at_types(tracer.function.python_function, depth=CALLED):
            reason = "the body asks what its arguments are"
        cache.drop(static)
        if reason is not None:
            cache.take_back(lifted)
        return reason is None

    def unlift(self, form: Form) -> None:
        """Numbers that were lifted are static again, for good."""
        names = ", ".join(self._tracer.function.path_text(path) for path in form.lifts)
        self._say(f"{names}: traced anew for each value after all, since at another shape the body does something else")
        self.static.update(form.lifts)
        self.lifted -= len(form.lifts)

    def _reference(self, call: Call) -> tuple[list[Path], dict[Path, Any], Any] | None:
        """An earlier call that differs in numbers alone, whose trace admits the shapes of this one."""
        form, flat = call.form, call.flat()
        if flat is None:
            return None
        key, shapes = flat[0], form.shapes(flat[0])
        free = [path for path in form.numbers if path not in self.static and math.isfinite(form.number_in(key, path))]
        for other, runnable in reversed(list(form.table.items())):
            paths = [path for path in free if form.part(other, path) != form.part(key, path)]
            numbers = {path: form.number_in(other, path) for path in paths}
            if not paths or not all(map(math.isfinite, numbers.values())):
                continue
            alike = form.without_shapes(form.with_parts(other, key, paths)) == form.without_shapes(key)
            if alike and runnable.admits_shapes(shapes):
                return paths, numbers, runnable.concrete
        return None

    def _try(self, call: Call, paths: list[Path], old: Static, new: Static) -> tuple[Form, Any] | None:
        names = ", ".join(self._tracer.function.path_text(path) for path in paths)
        options = [possible_dtypes(new.numbers[path], old.trace, new.trace) for path in paths]
        reason = ""
        for choice in itertools.islice(itertools.zip_longest(*options), DTYPES):
            dtypes = [dtype or option[-1] for dtype, option in zip(choice, options, strict=True)]
            lifts = {path: Lift(dtype.as_datatype_enum, math.inf) for path, dtype in zip(paths, dtypes, strict=True)}
            with np.errstate(all="ignore"):  # it may not fit the type that is tried
                found = self._lifted(call, lifts, old, new)
            if not isinstance(found, str):
                self._say(f"{names}: handed over as a tensor, since its value differs from call to call")
                return found
            reason = reason or str(found)
            if not isinstance(found, WrongType):
                break
        self._say(f"{names}: traced anew for each value, since {reason}")
        return None

    def _lifted(self, call: Call, lifts: dict[Path, Lift], old: Static, new: Static) -> tuple[Form, Any] | str:
        """The form with these numbers lifted and its trace, or why there is none."""
        tracer = self._tracer
        every = {**call.form.lifts, **lifts}
        trial = call._replace(form=Form(call.arguments, tracer.likeness, every))
        try:
            args, kwargs = tracer.function.split(lifted_arguments(trial.form, call.arguments, call.device))
            with noticed() as reads:
                trace = tracer.make_like(args, kwargs, new.trace)
        except Exception as error:
            return WrongType(f"the body cannot be traced with a tensor there ({describe_error(error)})")
        flat = trial.flat()
        if trace is None or flat is None:
            return "a trace with a tensor there was made by other means"
        inputs = unique(flat[1])
        places = {path: _position(inputs, flat[1][trial.form.places[path]]) for path in lifts}
        if (reads and not tracer.function._reduce_retracing) or looks_at_shapes(tracer.function.python_function):
            tracer.cache.drop(trace)
            return "a size that hangs on it is read in Python"
        try:
            reason = self._unproved(call, every, places, old, new, trace)
        except BaseException:
            tracer.cache.drop(trace)
            raise
        if reason is not None:
            tracer.cache.drop(trace)
            return reason
        return Form(call.arguments, tracer.likeness, every), trace

    def _unproved(
        self, call: Call, every: dict[Path, Lift], places: dict[Path, int], old: Static, new: Static, lifted: Any
    ) -> str | None:
        """What keeps a lifted trace from being what the static ones are, or None; puts the ranges in `every`.

        Graphs that are alike are so for all data. Otherwise the traces are run, on the data of the call and on other
        data, and what is inside of branches and loops must be alike, since it may not have run.
        """
        if not (same_outputs(old.trace, lifted) and same_outputs(new.trace, lifted)):
            return WrongType("what is returned would have another type")
        folded: set[str] | None = set()
        for static in (new, old):
            numbers = {place: static.numbers[path] for path, place in places.items()}
            found = folded_operations(static.trace, lifted, numbers)
            folded = None if found is None or folded is None else folded | found
        try:
            for path, place in places.items():
                values = (old.numbers[path], new.numbers[path])
                every[path] = safe_lift(values, new.trace, lifted, lifted.graph.inputs[place], folded)
        except Unsafe as unsafe:
            return str(unsafe)
        function = self._tracer.function.python_function
        if looks_at_types(function, depth=0 if folded is not None else CALLED):
            return "the body asks what its arguments are, and could do something else with a tensor"
        if folded is not None:
            return None
        form = Form(call.arguments, self._tracer.likeness, every)
        for static in (new, old):
            arguments = call.arguments
            for path in places:
                arguments = nests.put(arguments, path, static.numbers[path])
            reason = _disagreement(call._replace(arguments=arguments), form, static.trace, lifted)
            if reason is not None:
                return reason
        return None


def _disagreement(call: Call, form: Form, static: Any, lifted: Any) -> str | None:
    """Run a static trace and a lifted one, whose form is `form`, on the same data; why they differ, or None."""
    mine, theirs = call.flat(), call._replace(form=form).flat()
    if mine is None or theirs is None:
        return "its range could not be told"
    if not alike_inside(static, lifted):
        return "a branch or a loop of the body is another one with a tensor"
    variables = variables_among(call.arguments)
    tensors = call.form.of_tensors(mine[1])
    seeds = () if has_loops(static) or has_loops(lifted) else PROBES  # on other data a loop need not end
    for number, data in enumerate((tensors, *(other_data(tensors, seed) for seed in seeds))):
        one = unique(call.form.with_tensors(mine[1], data))
        two = unique(form.with_tensors(theirs[1], data))
        found = agree(static, lifted, one, two, variables)
        if found == "different":
            return "with a tensor the body gives another result"
        if found == "unknown" and number == 0:
            return "the body has effects, and that it does the same with a tensor could not be told from its graph"
    return None


def _position(inputs: list[Any], wanted: Any) -> int:
    return next(index for index, value in enumerate(inputs) if value is wanted)
