"""Rule 4: try a Python number as a tensor, and keep it so if the traces show that the body means the same."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from traceonce.facts.error_text import last_line
from traceonce.frameworks.tensorflow.dropin import nests
from traceonce.frameworks.tensorflow.dropin.apart import Apart, apart
from traceonce.frameworks.tensorflow.dropin.body_checks import (
    asks_for_exact_types,
    handles_errors,
    looks_at_types,
)
from traceonce.frameworks.tensorflow.dropin.forms import Form, Lift, Path
from traceonce.frameworks.tensorflow.dropin.graph_facts import has_effects, may_raise_late, same_outputs
from traceonce.frameworks.tensorflow.dropin.graphs import folded_operations, unused_operations
from traceonce.frameworks.tensorflow.dropin.inputs import Call, lifted_arguments, unique
from traceonce.frameworks.tensorflow.dropin.lifts import Unsafe, possible_dtypes, safe_lift
from traceonce.frameworks.tensorflow.dropin.policy import NotNow
from traceonce.frameworks.tensorflow.dropin.probed_numbers import noticing
from traceonce.frameworks.tensorflow.dropin.reads import Reads, watched
from traceonce.frameworks.tensorflow.dropin.sizes import refuses
from traceonce.frameworks.tensorflow.dropin.tracer import Tracer

DTYPES = 3  # types tried for one number


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
        try:
            for group in [paths, *([path] for path in paths if len(paths) > 1)]:
                found = self._try(call, group, old, now)
                if found is not None:
                    self.lifted += len(group)
                    return found
        except NotNow:
            return None
        except Exception as error:  # ours: the call was served before
            self._say(f"numbers: traced separately for each value, since it could not be told ({last_line(error)})")
        self.static.update(paths)
        return None

    def holds_here(self, call: Call, args: Any, kwargs: Any) -> bool:
        """Where shapes stay as they are, the body may do something else with a number at each: show it anew."""
        tracer, cache = self._tracer, self._tracer.cache
        kind, where = tracer.request(args, kwargs)
        if cache.find(kind, where) is not None or not cache.types(where):
            return True
        given, named = tracer.function.split(call.arguments)
        with apart(cache):
            static = tracer.make(given, named, trying=True)
        with apart(cache) as inner, watched() as reads:
            lifted = tracer.make(args, kwargs, kind)
        if static is None or lifted is None:
            return False
        cache.keep_wide(lifted, inner)
        numbers = {path: nests.get(call.arguments, path) for path in call.form.lifts}
        alike = folded_operations(static, lifted, _by_place(call, numbers)) is not None
        cache.drop(static)
        asks = looks_at_types(tracer.function.python_function)
        refused = _may_be_refused(lifted, {_place(call, path): lift for path, lift in call.form.lifts.items()})
        if not alike or asks or refused or _looks(reads) is not None or self._is_looked_at(call, list(numbers)):
            cache.take_back(lifted)
            return False
        return True

    def unlift(self, form: Form) -> None:
        """Numbers that were lifted are static again, for good."""
        names = ", ".join(self._tracer.function.path_text(path) for path in form.lifts)
        self._say(
            f"{names}: traced separately for each value after all, since at another shape the body does something else"
        )
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
        self._say(f"{names}: traced separately for each value, since {reason}")
        return None

    def _lifted(self, call: Call, lifts: dict[Path, Lift], old: Static, new: Static) -> tuple[Form, Any] | str:
        """The form with these numbers lifted and its trace, or why there is none."""
        tracer = self._tracer
        every = {**call.form.lifts, **lifts}
        trial = call._replace(form=Form(call.arguments, tracer.likeness, every))
        try:
            args, kwargs = tracer.function.split(lifted_arguments(trial.form, call.arguments, call.device))
            with apart(tracer.cache) as inner, watched() as reads:
                trace = tracer.make_like(args, kwargs, new.trace)
        except NotNow:
            raise
        except Exception as error:
            return WrongType(f"the body cannot be traced with a tensor there ({last_line(error)})")
        if trace is None:
            return "a trace with a tensor there was made by other means"
        try:
            reason = self._unproved(call, trial, every, lifts, old, new, trace, reads)
        except BaseException:
            tracer.cache.drop(trace)
            raise
        if reason is not None:
            tracer.cache.drop(trace)
            return reason
        self._keep(trace, inner, new.trace)
        return Form(call.arguments, tracer.likeness, every), trace

    def _keep(self, trace: Any, inner: Apart, like: Any) -> None:
        wide = self._tracer.cache.wide(like)
        if wide is None:
            self._tracer.cache.keep_wide(trace, inner)
        else:
            self._tracer.cache.keep_wide(trace, inner, wide.sizes, wide.compared)

    def _unproved(
        self,
        call: Call,
        trial: Call,
        every: dict[Path, Lift],
        lifts: dict[Path, Lift],
        old: Static,
        new: Static,
        lifted: Any,
        reads: Reads,
    ) -> str | None:
        """What keeps a lifted trace from being what the static ones are, or None; puts the ranges in `every`.

        The graphs must be alike: that holds for all data, for gradients of any kind, and for what has effects.
        """
        if not (same_outputs(old.trace, lifted) and same_outputs(new.trace, lifted)):
            return WrongType("what is returned would have another type")
        wide = self._tracer.cache.wide(new.trace)
        looked = _looks(reads, wide.compared if wide is not None else 0)
        if looked is not None and not self._tracer.function._reduce_retracing:
            return looked
        folded: set[str] = set()
        for static in (new, old):
            found = folded_operations(static.trace, lifted, _by_place(trial, static.numbers))
            if found is None:
                return "the body does something else with a tensor there"
            folded |= found
        places = _by_place(trial, dict.fromkeys(lifts))
        unused = unused_operations(lifted, places)
        if unused:
            return f"{unused} is computed from it and not used, so that what is wrong with it would not be found"
        try:
            for path in lifts:
                place = _place(trial, path)
                values = (old.numbers[path], new.numbers[path])
                every[path] = safe_lift(values, new.trace, lifted, lifted.graph.inputs[place], folded)
        except Unsafe as unsafe:
            return str(unsafe)
        if _may_be_refused(lifted, {_place(trial, path): every[path] for path in lifts}):
            return "for some values TensorFlow raises while it traces, before the body has had an effect"
        if looks_at_types(self._tracer.function.python_function):
            return "the body asks what its arguments are, and could do something else with a tensor"
        if self._is_looked_at(call, list(lifts)):
            return "its value is looked at in Python while the body is traced"
        return None

    def _is_looked_at(self, call: Call, paths: list[Path]) -> bool:
        """Does anybody look at the numbers at these paths? The body is traced once more, with numbers that notice."""
        tracer = self._tracer
        looks: list[bool] = []
        arguments = call.arguments
        for path in paths:
            number = noticing(nests.get(arguments, path), lambda: looks.append(True))
            arguments = nests.put(arguments, path, number)
        args, kwargs = tracer.function.split(arguments)
        with apart(tracer.cache), watched() as reads:
            try:
                trace = tracer.make(args, kwargs, trying=True)
            except Exception:  # it could be traced with a number of the plain kind
                return True
        if trace is None:
            return True
        tracer.cache.drop(trace)
        return bool(looks) or asks_for_exact_types(reads.codes)  # the class of these numbers is one of ours


def _looks(reads: Reads, compared: int = 0) -> str | None:
    """What was looked at in a trial that a tensor in place of a number would change.

    `compared` is how often TensorFlow compares open sizes that do not hang on the number.
    """
    if reads.places or len(reads.checks) > compared:
        return "a size that hangs on it is looked at while the body is traced"
    if handles_errors(reads.codes):
        return "the body goes on after errors, and a tensor raises others"
    return None


def _may_be_refused(lifted: Any, lifts: Mapping[int, Lift]) -> bool:
    """Could an error come after the effects of a lifted trace that a trace with the number would raise before them?

    Asked of the ends of the range, and of zero: TensorFlow works out shapes from numbers, and refuses what is too large
    or too small.
    """
    return has_effects(lifted) and (
        may_raise_late(lifted, lifts)
        or any(
            refuses(lifted, {place: end})
            for place, lift in lifts.items()
            for end in (lift.most, max(-lift.most, lift.least), 0)
        )
    )


def _by_place(call: Call, numbers: Mapping[Path, Any]) -> dict[int, Any]:
    """The numbers at some paths, by the inputs of the trace of a call whose form lifts them."""
    return {_place(call, path): number for path, number in numbers.items()}


def _place(call: Call, path: Path) -> int:
    flat = call.flat()
    if flat is None:
        raise NotNow
    wanted = flat[1][call.form.places[path]]
    return next(index for index, value in enumerate(unique(flat[1])) if value is wanted)
