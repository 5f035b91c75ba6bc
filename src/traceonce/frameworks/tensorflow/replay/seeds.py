"""TensorFlow's random numbers get a fixed start, beside those of Python and NumPy; and its order is fixed."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.base.replay.seeds import SEED, PlainSeeds


class Seeds:
    """The seeds of one process; `stop` puts back what can be put back."""

    def __init__(self, tensorflow: Any, context: Any, *, deterministic: bool) -> None:
        # Not to be rewritten by AutoGraph where a function being traced calls it.
        self._plain = PlainSeeds(tensorflow.autograph.experimental.do_not_convert)
        self._context = context
        self._config: Any = None
        self._generators: tuple[Any, Any] | None = None
        self._before = context.global_seed()
        tensorflow.random.set_seed(SEED)
        if deterministic:
            from tensorflow.python.framework import config

            self._config = config if not config.is_op_determinism_enabled() else None
            tensorflow.config.experimental.enable_op_determinism()

    def place(self, hooks: Hooks, stateful_random_ops: Any) -> None:
        """Generators without a seed get one; then there is no reason to refuse them where determinism is wanted."""
        hooks.place(stateful_random_ops, "non_deterministic_ints", self._hook_chance)
        self._generators = stateful_random_ops, stateful_random_ops.config
        stateful_random_ops.config = types.SimpleNamespace(is_op_determinism_enabled=lambda: False)

    def save(self) -> Callable[[], None]:
        return self._plain.save()

    def stop(self) -> None:
        self._plain.stop()
        self._context.set_global_seed(self._before)
        if self._generators is not None:
            self._generators[0].config = self._generators[1]
        if self._config is not None:
            self._config.disable_op_determinism()

    def _hook_chance(self, original: Any) -> Any:
        def non_deterministic_ints(shape: Any, dtype: Any = None) -> Any:
            import tensorflow as tf

            wanted = tf.int64 if dtype is None else tf.as_dtype(dtype)
            numbers = self._plain.default_rng(next(self._plain.fresh)).integers(0, 2**31 - 1, size=_static(shape))
            return tf.cast(tf.constant(numbers, tf.int64), wanted)

        return non_deterministic_ints


def _static(shape: Any) -> tuple[int, ...]:
    import tensorflow as tf

    return tuple(int(size) for size in tf.get_static_value(tf.convert_to_tensor(shape, tf.int32)))
