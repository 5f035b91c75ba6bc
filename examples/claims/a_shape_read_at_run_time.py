"""Claim: with an open signature, a body that needs the size can read it with `tf.shape`, and one trace still does.

True. `tf.shape` gives the size of each call as a tensor. The static `.shape` of the same argument is (None, None) in
the trace, and cannot be calculated with.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def flatten_and_number(image: tf.Tensor) -> tf.Tensor:
    rows, columns = tf.unstack(tf.shape(image))
    flat = tf.reshape(image, [rows * columns])
    return tf.reduce_sum(flat * tf.range(tf.cast(rows * columns, tf.float32)))


def main() -> None:
    for rows, columns in ((2, 3), (2, 4)):
        print(rows, "by", columns, float(flatten_and_number(tf.ones([rows, columns]))))


if __name__ == "__main__":
    main()
