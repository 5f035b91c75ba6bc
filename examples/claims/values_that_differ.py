"""Claim: under `tf.function` a second call with another tensor value is not traced again.

True, and always so, not just as a rule: the value of a tensor is no part of a signature. One trace serves every value
of the same shape and dtype.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def area(width: tf.Tensor, height: tf.Tensor) -> tf.Tensor:
    return width * height


def main() -> None:
    width = tf.constant(3.0)
    for height in (4.0, 11.0):
        print("3 by", height, "is", float(area(width, tf.constant(height))))


if __name__ == "__main__":
    main()
