"""Claim: calling a function with matrices of two widths traces it twice.

False as it stands: `mean_score` is plain Python, which TensorFlow runs operation by operation, and nothing is traced.
Only under `tf.function`, as `mean_score_traced`, do the two widths cause two traces.
"""

from __future__ import annotations

import tensorflow as tf


def mean_score(scores: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(scores)


@tf.function
def mean_score_traced(scores: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(scores)


def main() -> None:
    for scores in ([[6.0, 8.0], [7.0, 3.0]], [[6.0, 8.0, 1.0], [7.0, 3.0, 5.0]]):
        table = tf.constant(scores)
        print(table.shape, "plain", float(mean_score(table)), "traced", float(mean_score_traced(table)))


if __name__ == "__main__":
    main()
