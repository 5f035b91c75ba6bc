"""Claim: a function with an `if` on tensors is traced on its first call, and again when the other branch is taken.

False twice over. `spread` is plain Python: without `tf.function` nothing is traced, ever. And with it, in
`spread_traced`, the `if` on a tensor becomes a part of the graph that holds both branches: one trace serves both, with
the right results.
"""

from __future__ import annotations

import tensorflow as tf


def spread(high: tf.Tensor, low: tf.Tensor) -> tf.Tensor:
    if high > low:
        return high - low
    return high * low


@tf.function
def spread_traced(high: tf.Tensor, low: tf.Tensor) -> tf.Tensor:
    if high > low:
        return high - low
    return high * low


def main() -> None:
    seven = tf.constant(7.0)
    for other in (tf.constant(2.0), tf.constant(9.0)):
        print("plain", float(spread(seven, other)), "traced", float(spread_traced(seven, other)))


if __name__ == "__main__":
    main()
