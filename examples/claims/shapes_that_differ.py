"""Claim: a function that is called with vectors of three lengths is traced three times; ragged tensors may help.

True. A length is part of the signature of a trace, so `total_weight` gets one trace for each length. A ragged tensor
leaves the lengths of its rows open, but not the number of its rows: `total_of_rows` is traced once for two rows,
whatever they hold, and once more for three.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def total_weight(parcels: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(parcels)


@tf.function
def total_of_rows(lorries: tf.RaggedTensor) -> tf.Tensor:
    return tf.reduce_sum(lorries)


def main() -> None:
    for parcels in ([4.0, 1.5, 2.5], [3.0, 3.0, 1.0, 0.5, 2.0], [9.0, 7.0], [8.0, 0.5, 1.0]):
        print(len(parcels), "parcels weigh", float(total_weight(tf.constant(parcels))))
    for lorries in ([[4.0], [1.5, 2.5]], [[3.0, 1.0, 2.0], [5.0]], [[1.0], [2.0, 6.0], [3.0]]):
        print(len(lorries), "lorries carry", float(total_of_rows(tf.ragged.constant(lorries))))


if __name__ == "__main__":
    main()
