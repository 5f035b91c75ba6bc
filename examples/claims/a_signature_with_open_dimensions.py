"""Claim: an input signature whose dimensions are None serves matrices of any size with one trace.

True, for as long as the number of dimensions and the dtype are those of the signature: another tensor is an error, not
a trace.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def brightness(image: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(image)


def main() -> None:
    for rows, columns in ((8, 32), (8, 33), (5, 6)):
        print(rows, "by", columns, float(brightness(tf.fill([rows, columns], 0.5))))


if __name__ == "__main__":
    main()
