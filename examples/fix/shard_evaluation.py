"""Evaluate shards of a data set in batches; each shard ends with a batch of another size."""

import tensorflow as tf

weights = tf.constant([0.5, -0.25, 0.125])


@tf.function
def evaluate(batch):
    return tf.stack([tf.reduce_sum(example * weights) for example in tf.unstack(batch)])


SHARD_SIZES = [9, 14, 7, 11, 18, 13, 6, 17]
for shard, size in enumerate(SHARD_SIZES):
    examples = tf.reshape(tf.cos(tf.range(size * 3, dtype=tf.float32) + shard), [size, 3])
    total, seen = 0.0, 0
    for batch in tf.data.Dataset.from_tensor_slices(examples).batch(10):
        total += float(tf.reduce_sum(evaluate(batch)))
        seen += len(batch)
    print(f"shard {shard}: {seen} examples, sum {total:.4f}")
