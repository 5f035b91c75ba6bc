"""XLA fixes every shape when it compiles: a size that is known only while the program runs is refused."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="InvalidArgumentError", text=r"must be a compile-time constant")

SCORES = [1.0, 2.0, 3.0, 4.0]


def failure():
    @tf.function(jit_compile=True)
    def weigh_prefixes(scores):
        total = 0.0
        for length in tf.range(1, 5):
            weights = tf.cast(tf.range(length), tf.float32)
            total += tf.reduce_sum(scores[:length] * weights)
        return total

    return weigh_prefixes(tf.constant(SCORES))


def right():
    scores = np.array(SCORES)
    return sum(float(np.sum(scores[:length] * np.arange(length))) for length in range(1, 5))


def workaround_mask():
    @tf.function(jit_compile=True)
    def weigh_prefixes(scores):
        total = 0.0
        positions = tf.range(tf.size(scores))
        for length in tf.range(1, 5):
            inside = tf.cast(positions < length, tf.float32)
            total += tf.reduce_sum(scores * inside * tf.cast(positions, tf.float32))
        return total

    return weigh_prefixes(tf.constant(SCORES))


def workaround_python_range():
    @tf.function(jit_compile=True)
    def weigh_prefixes(scores):
        total = 0.0
        for length in range(1, 5):
            weights = tf.cast(tf.range(length), tf.float32)
            total += tf.reduce_sum(scores[:length] * weights)
        return total

    return weigh_prefixes(tf.constant(SCORES))


def workaround_compile_the_body():
    @tf.function(jit_compile=True)
    def weigh_prefix(scores, length):
        weights = tf.cast(tf.range(length), tf.float32)
        return tf.reduce_sum(scores[:length] * weights)

    @tf.function
    def weigh_prefixes(scores):
        total = 0.0
        for length in tf.range(1, 5):
            total += weigh_prefix(scores, length)
        return total

    return weigh_prefixes(tf.constant(SCORES))


def dead_end_python_int():
    @tf.function(jit_compile=True)
    def weigh_prefixes(scores):
        total = 0.0
        for length in tf.range(1, 5):
            weights = tf.cast(tf.range(int(length)), tf.float32)
            total += tf.reduce_sum(scores[:length] * weights)
        return total

    return weigh_prefixes(tf.constant(SCORES))


def dead_end_guarantee_const():
    @tf.function(jit_compile=True)
    def weigh_prefixes(scores):
        total = 0.0
        for length in tf.range(1, 5):
            weights = tf.cast(tf.range(tf.guarantee_const(length)), tf.float32)
            total += tf.reduce_sum(scores[:length] * weights)
        return total

    return weigh_prefixes(tf.constant(SCORES))


def dead_end_input_signature():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([4], tf.float32)])
    def weigh_prefixes(scores):
        total = 0.0
        for length in tf.range(1, 5):
            weights = tf.cast(tf.range(length), tf.float32)
            total += tf.reduce_sum(scores[:length] * weights)
        return total

    return weigh_prefixes(tf.constant(SCORES))


def message_random_crop_size():
    @tf.function(jit_compile=True)
    def augment(images):
        side = tf.random.uniform([], 8, 16, dtype=tf.int32)
        return tf.image.resize(images, tf.stack([side, side]))

    return augment(tf.ones([2, 16, 16, 3]))


def message_in_a_layer():
    class Positions(tf.keras.layers.Layer):
        def call(self, lengths):
            return tf.map_fn(lambda n: tf.reduce_sum(tf.one_hot([0], n)), lengths, fn_output_signature=tf.float32)

    layer = Positions()

    @tf.function(jit_compile=True)
    def forward(lengths):
        return layer(lengths)

    return forward(tf.constant([3, 5]))


def message_method_reshape():
    class Sampler(tf.Module):
        @tf.function(jit_compile=True)
        def sample(self, noise, rounds):
            total = tf.zeros([])
            step = tf.constant(1)
            while step < rounds:
                total += tf.reduce_max(tf.reshape(noise, [step, -1])[0])
                step *= 2
            return total

    return Sampler().sample(tf.random.normal([8, 8]), tf.constant(5))


def message_pad_in_a_while_loop():
    def grow(index, total):
        padded = tf.pad(tf.ones([2, 2]), [[0, index], [0, 0]])
        return index + 1, total + tf.reduce_sum(padded)

    @tf.function(jit_compile=True)
    def pad_rows(limit):
        return tf.while_loop(lambda index, total: index < limit, grow, (0, 0.0))

    return pad_rows(tf.constant(3))
