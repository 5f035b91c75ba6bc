"""Random numbers that do not start anew at every trace.

With a seed, a random operation in a graph repeats itself from the start each time that it is traced. A program that
retraces so draws the same noise again and again, and the repaired one does not: a right repair would look wrong. So
inside functions the operations are replaced by stateless ones, whose seed is a number that counts the draws. Then what
is drawn depends on how many draws went before, and on nothing else: not on traces, nor on running eagerly.

Left alone are plain eager code, where TensorFlow's own seeds are stable, and two parts of TensorFlow that use random
operations in a way of their own: functions of `tf.data`, which run ahead in threads, and `tf.vectorized_map`, which
rewrites the operations in its body.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.base.replay.here import Here, Problems
from traceonce.frameworks.tensorflow.probes import ReplayPlaces
from traceonce.frameworks.tensorflow.replay.distributions import replacements

_COUNTER_NAME = "traceonce_draws"


class Draws:
    """The counter of draws, and the operations that use it."""

    def __init__(self, tensorflow: Any, places: ReplayPlaces, here: Here, problems: Problems) -> None:
        self._tf = tensorflow
        self._places = places
        self._here = here
        self._problems = problems
        self._counter: Any = None
        self._making = threading.Lock()
        self._op_seeds = itertools.count(1)

    def place(self, hooks: Hooks) -> None:
        for name, draw in replacements(self._tf, self._next).items():
            hooks.place(self._places.gen_random_ops, name, self._hook(draw))
        hooks.place(self._places.random_seed, "get_seed", self._hook_seed)
        hooks.place(self._places.lift_to_graph, "lift_to_graph", self._hook_lifting)
        hooks.place(self._places.saving, "save_and_return_nodes", self._hook_saving)

    @property
    def used(self) -> bool:
        """Was any random number drawn in our way?"""
        return self._counter is not None

    def is_ours(self, variable: Any) -> bool:
        return variable is self._counter

    def save(self) -> Callable[[], None]:
        """Remember how many draws there were; calling the result takes the counter back there."""
        counter = self._counter
        drawn = counter.read_value() if counter is not None else 0

        def restore() -> None:
            if self._counter is not None:
                self._counter.assign(drawn)

        return restore

    def look_at(self, graph: Any) -> None:
        """Say so where a traced graph has a random operation that was not replaced."""
        if self._here.own_random:
            return
        for operation in graph.get_operations():
            definition = operation.op_def
            if definition.is_stateful and {"seed", "seed2"} <= {attribute.name for attribute in definition.attr}:
                self._problems.say(
                    f"{graph.name} draws random numbers with {operation.type}, which restarts at every trace: "
                    "with fewer traces, other numbers are drawn"
                )

    def _inside(self) -> bool:
        """Is this the inside of a function, and one whose random numbers are ours to draw?"""
        if self._here.own_random or not self._places.ops.executing_eagerly_outside_functions():
            return False
        return self._here.calls > 0 or bool(self._places.ops.get_default_graph().building_function)

    def _next(self) -> Any:
        """The seed of the next draw. It reads the counter by its handle, so that no tape and no graph watches it."""
        tf, raw = self._tf, self._tf.raw_ops
        with self._making, tf.init_scope():
            if self._counter is None:
                self._counter = self._places.resource_variable_ops.ResourceVariable(
                    0, dtype=tf.int64, trainable=False, name=_COUNTER_NAME
                )
        handle = self._counter.handle
        counted = raw.AssignAddVariableOp(resource=handle, value=tf.constant(1, tf.int64))
        with tf.control_dependencies([counted] if counted is not None else []):
            number = raw.ReadVariableOp(resource=handle, dtype=tf.int64)
        return tf.stack([number, tf.constant(7, tf.int64)])

    def _hook(self, draw: Callable[..., Any]) -> Callable[[Any], Any]:
        def wrap(original: Any) -> Any:
            def random_operation(*args: Any, **kwargs: Any) -> Any:
                if not self._inside():
                    return original(*args, **kwargs)
                return draw(*args, **kwargs)

            return random_operation

        return wrap

    def _hook_seed(self, original: Any) -> Any:
        """Eager code inside functions must not use up the seeds of the eager code around them."""

        def get_seed(op_seed: Any) -> Any:
            if op_seed is None and self._inside() and self._tf.executing_eagerly():
                op_seed = next(self._op_seeds)
            return original(op_seed)

        return get_seed

    def _hook_lifting(self, original: Any) -> Any:
        """A variable made in a function has its initial value taken out of the graph: let the counter go with it."""

        def lift_to_graph(tensors: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
            held = None
            with self._problems.kept():
                held = self._held_by(tensors[0].graph) if self._counter is not None and not args else None
            if held is not None and "sources" not in kwargs:
                kwargs = {**kwargs, "sources": [held], "handle_captures": True}
            return original(tensors, graph, *args, **kwargs)

        return lift_to_graph

    def _held_by(self, graph: Any) -> Any:
        """The counter as a graph knows it, where it does."""
        captures = getattr(graph, "captures", ())
        return next((inner for outer, inner in captures if outer is self._counter.handle), None)

    def _hook_saving(self, original: Any) -> Any:
        """A saved model must hold every variable of its functions: let it hold the counter."""

        def save_and_return_nodes(obj: Any, *args: Any, **kwargs: Any) -> Any:
            with self._tracked_by(obj):
                return original(obj, *args, **kwargs)

        return save_and_return_nodes

    @contextlib.contextmanager
    def _tracked_by(self, model: Any) -> Iterator[None]:
        tracked = False
        with self._problems.kept():
            if self._counter is not None and hasattr(model, "_track_trackable"):
                model._maybe_initialize_trackable()
                model._track_trackable(self._counter, _COUNTER_NAME, overwrite=True)
                tracked = True
        try:
            yield
        finally:
            if tracked:
                with self._problems.kept():
                    model._self_unconditional_dependency_names.pop(_COUNTER_NAME, None)
                    references = model._self_unconditional_checkpoint_dependencies
                    references[:] = [known for known in references if known.name != _COUNTER_NAME]
