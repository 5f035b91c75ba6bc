"""Masked loss over batches that come as nested dictionaries, each padded to its own longest row."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(7)


def make_batch(rows, length):
    ids = rng.integers(1, 30, size=(rows, length))
    return {
        "inputs": {"ids": tf.constant(ids, tf.int32), "mask": tf.constant((ids % 5 != 0), tf.float32)},
        "labels": tf.constant(ids % 3, tf.float32),
    }


@tf.function
def masked_loss(batch):
    ids, mask = batch["inputs"]["ids"], batch["inputs"]["mask"]
    guess = tf.math.sigmoid(tf.cast(ids, tf.float32) / 10.0 - 1.0)
    error = tf.square(guess - batch["labels"]) * mask
    return {"loss": tf.reduce_sum(error) / tf.reduce_sum(mask), "tokens": tf.reduce_sum(mask)}


for length in (5, 9, 7, 12, 4, 11):
    result = masked_loss(make_batch(rows=8, length=length))
    print(f"length {length:2d}: loss {result['loss'].numpy():.4f} over {result['tokens'].numpy():.0f} tokens")
