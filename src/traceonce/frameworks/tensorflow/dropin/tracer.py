"""Having TensorFlow make a trace: for what it would look up, or for a wider type in its place."""

from __future__ import annotations

import weakref
from typing import Any

from traceonce.frameworks.tensorflow.dropin.exact import exact_type
from traceonce.frameworks.tensorflow.dropin.likeness import Likeness
from traceonce.frameworks.tensorflow.dropin.parts import function_context, function_type_utils
from traceonce.frameworks.tensorflow.dropin.relaxation import relax


class Tracer:
    """Makes the traces of one function. Holds it weakly, so that it goes with its last user, without the collector."""

    def __init__(self, function: Any, likeness: Likeness) -> None:
        self._owner = weakref.ref(function)
        self.likeness = likeness

    @property
    def function(self) -> Any:
        return self._owner()

    @property
    def cache(self) -> Any:
        return self.function._function_cache

    def request(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """What TensorFlow would look up for these arguments: the type and the context."""
        options = self.function.tracing_options
        bound = function_type_utils.canonicalize_function_inputs(
            args, kwargs, options.polymorphic_type, options.default_values, options.is_pure
        )
        captures = options.function_captures.capture_types if options.function_captures else {}
        kind, _ = function_type_utils.make_canonicalized_monomorphic_type(
            bound.args, bound.kwargs, captures, options.polymorphic_type
        )
        where = function_context.make_function_context(options.scope_type)
        return exact_type(kind, self.likeness), where

    def make(self, args: Any, kwargs: Any, target: Any = None, *, trying: bool = False) -> Any:
        """A trace for these arguments, of the type `target` if that is given; None where there was one already."""
        cache = self.cache
        with cache.tracing(target, trying=trying) as made:
            try:
                concrete = self.function._get_concrete_function_garbage_collected(*args, **kwargs)
            except Exception:
                cache.trials += 1
                raise
        concrete._garbage_collector.release()
        return made[-1] if made else None

    def make_like(self, args: Any, kwargs: Any, like: Any) -> Any:
        """A trial with tensors in place of numbers, as wide as another trace; None where there was one already."""
        kind, where = self.request(args, kwargs)
        if self.cache.find(kind, where) is not None:
            return None
        wider = relax(kind, [exact_type(like.function_type, self.likeness)])
        return self.make(args, kwargs, wider or kind, trying=True)
