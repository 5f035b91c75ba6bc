"""Claim: a matrix with one more column than the last one is a second trace, although the sum is the same work.

True. Without an input signature every dimension of the first call is taken as fixed.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def brightness(image: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(image)


def main() -> None:
    for columns in (32, 33, 32):
        print(columns, "columns:", float(brightness(tf.fill([8, columns], 0.5))))


if __name__ == "__main__":
    main()
