"""The random operations of TensorFlow once more, from the seed of each draw alone.

All but two are made of whole numbers, which are the same on every device, compiled or not; those of TensorFlow's
stateless operations that give fractions are not. (Gamma and Poisson cannot be compiled in any case.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def replacements(tf: Any, next_seed: Callable[[], Any]) -> dict[str, Callable[..., Any]]:
    """For each stateful operation one that draws from the same distribution; the parameters are the original's."""

    def whole(shape: Any, low: Any, high: Any, dtype: Any) -> Any:
        return tf.random.stateless_uniform(shape, next_seed(), low, high, dtype, alg="philox")

    def between(shape: Any, dtype: Any) -> Any:
        """Fractions from 0 to 1, neither of them included."""
        bits = 52 if dtype == tf.float64 else 23  # with the half that is added, exact
        number = whole(shape, 0, 2**bits, tf.int64 if dtype == tf.float64 else tf.int32)
        return (tf.cast(number, dtype) + 0.5) * 2.0**-bits

    def normal(shape: Any, dtype: Any, share: float) -> Any:
        """Of a normal distribution the middle, so wide that it holds a `share` of all."""
        exact = dtype if dtype in (tf.float32, tf.float64) else tf.float32
        return tf.cast(math.sqrt(2.0) * tf.math.erfinv(share * (2.0 * between(shape, exact) - 1.0)), dtype)

    def random_standard_normal(shape, dtype, seed=0, seed2=0, name=None):  # type: ignore[no-untyped-def]
        return normal(shape, tf.as_dtype(dtype), 1.0)

    def truncated_normal(shape, dtype, seed=0, seed2=0, name=None):  # type: ignore[no-untyped-def]
        return normal(shape, tf.as_dtype(dtype), math.erf(math.sqrt(2.0)))  # two standard deviations

    def random_uniform(shape, dtype, seed=0, seed2=0, name=None):  # type: ignore[no-untyped-def]
        dtype = tf.as_dtype(dtype)
        bits = _BITS[dtype.name]
        return tf.cast(whole(shape, 0, 2**bits, tf.int64 if bits > 31 else tf.int32), dtype) * 2.0**-bits

    def random_uniform_int(shape, minval, maxval, seed=0, seed2=0, name=None):  # type: ignore[no-untyped-def]
        low = tf.convert_to_tensor(minval)
        return whole(shape, low, maxval, low.dtype)

    def random_shuffle(value, seed=0, seed2=0, name=None):  # type: ignore[no-untyped-def]
        value = tf.convert_to_tensor(value)
        keys = whole([tf.shape(value)[0]], 0, 2**31 - 1, tf.int32)
        shuffled = tf.stop_gradient(tf.gather(value, tf.argsort(keys, stable=True)))
        shuffled.set_shape(value.shape)
        return shuffled

    def multinomial(logits, num_samples, seed=0, seed2=0, output_dtype=tf.int64, name=None):  # type: ignore[no-untyped-def]
        logits = tf.cast(logits, tf.float32)[:, tf.newaxis, :]
        shape = tf.stack([tf.shape(logits)[0], tf.cast(num_samples, tf.int32), tf.shape(logits)[2]])
        noise = -tf.math.log(-tf.math.log(between(shape, tf.float32)))  # the greatest of such sums is such a sample
        return tf.argmax(logits + noise, 2, tf.as_dtype(output_dtype))

    def random_gamma(shape, alpha, seed=0, seed2=0, name=None):  # type: ignore[no-untyped-def]
        alpha = tf.convert_to_tensor(alpha)
        shape = tf.concat([tf.cast(shape, tf.int32), tf.shape(alpha)], 0)
        return tf.random.stateless_gamma(shape, next_seed(), alpha, dtype=alpha.dtype)

    def random_poisson_v2(shape, rate, seed=0, seed2=0, dtype=tf.int64, name=None):  # type: ignore[no-untyped-def]
        rate = tf.convert_to_tensor(rate)
        shape = tf.concat([tf.cast(shape, tf.int32), tf.shape(rate)], 0)
        return tf.random.stateless_poisson(shape, next_seed(), rate, tf.as_dtype(dtype))

    functions = (
        random_standard_normal,
        truncated_normal,
        random_uniform,
        random_uniform_int,
        random_shuffle,
        multinomial,
        random_gamma,
        random_poisson_v2,
    )
    return {function.__name__: function for function in functions}
