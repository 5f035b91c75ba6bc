"""Attention over sequences of different length; some batches come with a mask, some without."""

import tensorflow as tf


@tf.function
def attend(batch):
    scores = batch["query"] @ tf.transpose(batch["keys"])
    if "mask" in batch:
        scores += (1.0 - batch["mask"]) * -1e9
    return tf.nn.softmax(scores) @ batch["keys"]


query = tf.ones([1, 4]) / 4.0
for index, length in enumerate((3, 5, 8, 6, 9, 4, 7, 10, 11, 12)):
    keys = tf.reshape(tf.sin(tf.range(length * 4, dtype=tf.float32)), [length, 4])
    batch = {"query": query, "keys": keys}
    if index % 2:
        batch["mask"] = tf.cast(tf.range(length) < length - 1, tf.float32)
    print(f"length {length:2d}", attend(batch).numpy().round(4)[0])
