"""Every source of random numbers gets a fixed start: Python, NumPy, TensorFlow; and TensorFlow's order is fixed."""

from __future__ import annotations

import itertools
import random
import types
from collections.abc import Callable
from typing import Any

from traceonce.backends.hooks import Hooks

SEED = 20_240_229


class Seeds:
    """The seeds of one process; `stop` puts back what can be put back."""

    def __init__(self, tensorflow: Any, context: Any, *, deterministic: bool) -> None:
        import numpy as np

        self._numpy = np.random
        self._context = context
        self._config: Any = None
        self._generators: tuple[Any, Any] | None = None
        self._before = random.getstate(), np.random.get_state(), context.global_seed()
        self._fresh = itertools.count(SEED)
        self._default_rng = np.random.default_rng
        random.seed(SEED)
        np.random.seed(SEED)
        tensorflow.random.set_seed(SEED)
        # Not to be rewritten by AutoGraph where a function being traced calls it.
        np.random.default_rng = tensorflow.autograph.experimental.do_not_convert(self._seeded_rng())
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
        """Remember how far Python and NumPy have come; calling the result takes them back there."""
        python, numpy = random.getstate(), self._numpy.get_state()

        def restore() -> None:
            random.setstate(python)
            self._numpy.set_state(numpy)

        return restore

    def stop(self) -> None:
        python, numpy, seed = self._before
        random.setstate(python)
        self._numpy.set_state(numpy)
        self._numpy.default_rng = self._default_rng
        self._context.set_global_seed(seed)
        if self._generators is not None:
            self._generators[0].config = self._generators[1]
        if self._config is not None:
            self._config.disable_op_determinism()

    def _seeded_rng(self) -> Callable[..., Any]:
        original = self._default_rng

        def default_rng(seed: Any = None) -> Any:
            return original(next(self._fresh) if seed is None else seed)

        return default_rng

    def _hook_chance(self, original: Any) -> Any:
        def non_deterministic_ints(shape: Any, dtype: Any = None) -> Any:
            import tensorflow as tf

            wanted = tf.int64 if dtype is None else tf.as_dtype(dtype)
            numbers = self._default_rng(next(self._fresh)).integers(0, 2**31 - 1, size=_static(shape))
            return tf.cast(tf.constant(numbers, tf.int64), wanted)

        return non_deterministic_ints


def _static(shape: Any) -> tuple[int, ...]:
    import tensorflow as tf

    return tuple(int(size) for size in tf.get_static_value(tf.convert_to_tensor(shape, tf.int32)))
