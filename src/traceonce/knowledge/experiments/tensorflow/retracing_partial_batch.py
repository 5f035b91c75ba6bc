"""The last batch of a data set that does not divide evenly is smaller, and traced anew."""

import tensorflow as tf

import traceonce
from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=2, cause="shape", path="batch.shape[0]")

EXAMPLES = tf.random.stateless_uniform([100, 4], seed=[1, 2])


def failure():
    @tf.function
    def train_step(batch):
        return tf.reduce_sum(tf.square(batch))

    epoch = tf.data.Dataset.from_tensor_slices(EXAMPLES).batch(32)
    return [sum(train_step(batch) for batch in epoch) for _ in range(3)]


def workaround_signature():
    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def train_step(batch):
        return tf.reduce_sum(tf.square(batch))

    epoch = tf.data.Dataset.from_tensor_slices(EXAMPLES).batch(32)
    return [sum(train_step(batch) for batch in epoch) for _ in range(3)]


def workaround_pad_with_weights():
    @tf.function
    def train_step(batch, weights):
        return tf.reduce_sum(weights[:, tf.newaxis] * tf.square(batch))

    weighted = tf.data.Dataset.from_tensor_slices((EXAMPLES, tf.ones([100])))
    epoch = weighted.concatenate(tf.data.Dataset.from_tensors((tf.zeros([4]), 0.0)).repeat(28)).batch(32)
    return [sum(train_step(batch, weights) for batch, weights in epoch) for _ in range(3)]


def workaround_size_that_divides():
    @tf.function
    def train_step(batch):
        return tf.reduce_sum(tf.square(batch))

    epoch = tf.data.Dataset.from_tensor_slices(EXAMPLES).batch(25)  # 100 examples: 4 full batches
    return [sum(train_step(batch) for batch in epoch) for _ in range(3)]


def dead_end_drop_remainder():
    @tf.function
    def train_step(batch):
        return tf.reduce_sum(tf.square(batch))

    epoch = tf.data.Dataset.from_tensor_slices(EXAMPLES).batch(32, drop_remainder=True)
    return [sum(train_step(batch) for batch in epoch) for _ in range(3)]


def dead_end_relax():
    @tf.function(reduce_retracing=True)
    def train_step(batch):
        return tf.reduce_sum(tf.square(batch))

    epoch = tf.data.Dataset.from_tensor_slices(EXAMPLES).batch(32)
    return [sum(train_step(batch) for batch in epoch) for _ in range(3)]


def message_past_a_limit():
    @traceonce.max_traces(1, on_limit="warn")
    @tf.function
    def evaluate(images, labels):
        return tf.reduce_mean(images) + tf.cast(tf.reduce_sum(labels), tf.float32)

    images, labels = tf.ones([70, 4, 4]), tf.ones([70], tf.int32)
    return [evaluate(*batch) for batch in tf.data.Dataset.from_tensor_slices((images, labels)).batch(16)]


def message_method():
    class Encoder(tf.Module):
        @traceonce.max_traces(1, on_limit="warn")
        @tf.function
        def encode(self, features):
            return tf.reduce_max(features["ids"], axis=1)

    encoder = Encoder()
    rows = tf.data.Dataset.from_tensor_slices({"ids": tf.ones([10, 3], tf.int64)})
    return [encoder.encode(features) for features in rows.batch(4)]


def message_to_be_ignored():
    @tf.function
    def score(users, items):
        return tf.reduce_sum(users * items, axis=-1)

    return [score(tf.ones([size, 2]), tf.ones([size, 2])) for size in (8, 8, 8, 8, 3)]
