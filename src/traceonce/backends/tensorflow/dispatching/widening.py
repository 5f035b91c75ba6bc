"""Rule 3: a trace with open dimensions, where the body means the same with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traceonce.backends.tensorflow.dispatching.comparing import agree, fitted, has_loops, same_outputs
from traceonce.backends.tensorflow.dispatching.inputs import Call, unique, variables_among
from traceonce.backends.tensorflow.dispatching.inspecting import looks_at_shapes
from traceonce.backends.tensorflow.dispatching.policy import RunEagerly
from traceonce.backends.tensorflow.dispatching.relaxing import relax
from traceonce.backends.tensorflow.dispatching.shape_reads import noticed
from traceonce.backends.tensorflow.dispatching.tracing import Tracer, describe_error
from traceonce.errors import TraceonceError


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
            for wider in _distinct(relax(kind, earlier), relax(kind, earlier, ranks=False)):
                reason = self._open(args, kwargs, wider, call)
                if reason is None:
                    self.relaxed += 1
                    return
            if reason is not None:
                trace = tracer.make(args, kwargs, kind)  # what fails like this as well is no reason
                if trace is not None and call is not None and call.form.lifts:
                    cache.take_back(trace)  # whether its numbers may be lifted at this shape is to be seen first
                self.rigid.add(nesting)
                self._say(f"shapes: traced anew for each, since {reason}")

    def _open(self, args: Any, kwargs: Any, wider: Any, call: Call | None) -> str | None:
        """Make this trace; if it is not what it should be, take it back and say why."""
        try:
            with noticed() as reads:
                trace = self._tracer.make(args, kwargs, wider)
        except (TraceonceError, RunEagerly):
            raise
        except Exception as error:
            return f"the body cannot be traced with open dimensions ({describe_error(error)})"
        if trace is None:
            return None
        reason = None
        function = self._tracer.function
        if function._reduce_retracing:  # the user says that it may be done
            pass
        elif reads:
            reason = f"{reads[0]} reads a size in Python (tf.shape would read it in the graph)"
        elif looks_at_shapes(function.python_function):
            reason = "the body asks TensorFlow for sizes while it is traced"
        elif call is not None:
            reason = _difference(call, trace)
        if reason is not None:
            self._tracer.cache.take_back(trace)
        return reason


def _difference(call: Call, trace: Any) -> str | None:
    """What the wider trace does otherwise than an earlier one; compared where both can be run."""
    form, flat = call.form, call.flat()
    if flat is None:
        return None
    key, given = flat
    static = form.without_shapes(key)
    for other, runnable in reversed(list(form.table.items())):
        if form.without_shapes(other) != static:
            continue
        if not same_outputs(runnable.concrete, trace):
            return "what is returned would have another type"
        if has_loops(runnable.concrete):
            return None  # on data that was cut a loop need not end
        inputs = fitted(given, form.to_inputs(form.shapes(other), len(given)))
        if inputs is None:
            return None
        inputs = unique(inputs)
        found = agree(runnable.concrete, trace, inputs, inputs, variables_among(call.arguments))
        return "with open dimensions the body gives another result" if found == "different" else None
    return None


def _distinct(*candidates: Any) -> list[Any]:
    found: list[Any] = []
    for candidate in candidates:
        if candidate is not None and candidate not in found:
            found.append(candidate)
    return found
