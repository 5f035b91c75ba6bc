"""Rule 3: a trace with open dimensions, where the body means the same with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traceonce.errors import TraceonceError
from traceonce.facts.error_text import last_line
from traceonce.frameworks.tensorflow.dropin.apart import apart
from traceonce.frameworks.tensorflow.dropin.body_checks import handles_errors
from traceonce.frameworks.tensorflow.dropin.cache import input_shapes
from traceonce.frameworks.tensorflow.dropin.graph_facts import has_loops, same_outputs
from traceonce.frameworks.tensorflow.dropin.inputs import Call
from traceonce.frameworks.tensorflow.dropin.policy import NotNow, RunEagerly
from traceonce.frameworks.tensorflow.dropin.reads import Reads, watched
from traceonce.frameworks.tensorflow.dropin.relaxation import relax
from traceonce.frameworks.tensorflow.dropin.sizes import Sizes
from traceonce.frameworks.tensorflow.dropin.tracer import Tracer


class Widening:
    """Opens dimensions of one function. `rigid` are the nestings of arguments whose shapes must stay as they are."""

    def __init__(self, tracer: Tracer, say: Callable[[str], None]) -> None:
        self._tracer = tracer
        self._say = say
        self.rigid: set[Any] = set()
        self.relaxed = 0

    def widen(self, args: Any, kwargs: Any, call: Call | None = None) -> None:
        """Have a wider trace made if none admits these arguments; `call` is what they came from, if it has a form."""
        tracer, function, cache = self._tracer, self._tracer.function, self._tracer.cache
        nesting = (tuple(map(type, args)), *((name, type(value)) for name, value in kwargs.items()))
        if not function.relaxes or nesting in self.rigid or function._function_captures.by_ref_external:
            return
        with function._lock:
            kind, where = tracer.request(args, kwargs)
            if cache.find(kind, where) is not None:
                return
            earlier = cache.types(where)
            reason = None
            try:
                for wider in _distinct(relax(kind, earlier), relax(kind, earlier, ranks=False)):
                    if wider in earlier:
                        return  # it is there, and these sizes are none of its
                    reason = self._open(args, kwargs, wider, kind, call)
                    if reason is None:
                        self.relaxed += 1
                        return
            except NotNow:
                return
            if reason is not None:
                trace = tracer.make(args, kwargs, kind)  # what fails like this as well is no reason
                if trace is not None and call is not None and call.form.lifts:
                    cache.take_back(trace)  # whether its numbers may be lifted at this shape is to be seen first
                self.rigid.add(nesting)
                self._say(f"shapes: traced separately, since {reason}")

    def _open(self, args: Any, kwargs: Any, wider: Any, kind: Any, call: Call | None) -> str | None:
        """Make this trace; if it is not what it should be, take it back and say why."""
        cache = self._tracer.cache
        with apart(cache) as inner:
            try:
                with watched() as reads:
                    trace = self._tracer.make(args, kwargs, wider)
            except (TraceonceError, RunEagerly, NotNow):
                raise
            except Exception as error:
                return f"the body cannot be traced with open dimensions ({last_line(error)})"
            if trace is None:
                return None
            try:
                reason = self._against(trace, reads, call)
                sizes = self._sizes(trace, wider, kind, reads) if reason is None else None
                if sizes is not None and not sizes.admit(input_shapes(kind)):
                    reason = "these sizes do not go together"
            except Exception as error:  # ours: the call goes on as TensorFlow would make it
                reason = f"whether they may be open could not be told ({last_line(error)})"
        if reason is not None:
            cache.take_back(trace)
        else:
            cache.keep_wide(trace, inner, sizes, len(reads.checks))
        return reason

    def _against(self, trace: Any, reads: Reads, call: Call | None) -> str | None:
        """What speaks against a trace with open dimensions."""
        function = self._tracer.function
        if function._reduce_retracing:  # the user says that it may be done
            return None
        if reads.places:
            return f"{reads.places[0]} reads a size in Python (tf.shape would read it in the graph)"
        if handles_errors(reads.codes):
            return "the body goes on after errors, and with open dimensions others are raised"
        if function._jit_compile and has_loops(trace):
            return "XLA needs to know how often a loop is run"
        return _difference(call, trace) if call is not None else None

    def _sizes(self, trace: Any, wider: Any, kind: Any, reads: Reads) -> Sizes | None:
        if self._tracer.function._reduce_retracing:
            return None
        seen = [input_shapes(kind)]
        for earlier in self._tracer.cache.admitted_by(wider):
            shapes = input_shapes(earlier)
            if len(shapes) == len(seen[0]):
                seen.append(shapes)
        return Sizes(trace, input_shapes(wider), seen, reads.checks)


def _difference(call: Call, trace: Any) -> str | None:
    """What the wider trace returns otherwise than an earlier one for the same numbers."""
    form, flat = call.form, call.flat()
    static = form.without_shapes(flat[0]) if flat is not None else None
    for other, runnable in reversed(list(form.table.items())):
        if form.without_shapes(other) == static and not same_outputs(runnable.concrete, trace):
            return "what is returned would have another type"
    return None


def _distinct(*candidates: Any) -> list[Any]:
    found: list[Any] = []
    for candidate in candidates:
        if candidate is not None and candidate not in found:
            found.append(candidate)
    return found
