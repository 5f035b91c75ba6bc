"""A variable of a loop on tensors must keep its shape from one iteration to the next."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="ValueError", text=r"has shape .+ before the loop, but shape .+ after one iteration")

COUNTS = [3, 5]


def failure():
    @tf.function
    def powers_of_two(count):
        powers = tf.zeros([0], tf.int32)
        for step in tf.range(count):
            powers = tf.concat([powers, [2**step]], axis=0)
        return powers

    return [powers_of_two(tf.constant(count)) for count in COUNTS]


def right():
    return [[2**step for step in range(count)] for count in COUNTS]


def workaround_tensor_array():
    @tf.function
    def powers_of_two(count):
        powers = tf.TensorArray(tf.int32, size=count)
        for step in tf.range(count):
            powers = powers.write(step, 2**step)
        return powers.stack()

    return [powers_of_two(tf.constant(count)) for count in COUNTS]


def workaround_shape_invariants():
    @tf.function
    def powers_of_two(count):
        powers = tf.zeros([0], tf.int32)
        for step in tf.range(count):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(powers, tf.TensorShape([None]))])
            powers = tf.concat([powers, [2**step]], axis=0)
        return powers

    return [powers_of_two(tf.constant(count)) for count in COUNTS]


def workaround_map_fn():
    @tf.function
    def powers_of_two(count):
        return tf.map_fn(lambda step: 2**step, tf.range(count))

    return [powers_of_two(tf.constant(count)) for count in COUNTS]


def dead_end_python_list():
    @tf.function
    def powers_of_two(count):
        powers = []
        for step in tf.range(count):
            powers.append(2**step)
        return tf.stack(powers)

    return [powers_of_two(tf.constant(count)) for count in COUNTS]


def dead_end_set_shape():
    @tf.function
    def powers_of_two(count):
        powers = tf.zeros([0], tf.int32)
        for step in tf.range(count):
            powers = tf.concat([powers, [2**step]], axis=0)
            powers.set_shape([None])
        return powers

    return [powers_of_two(tf.constant(count)) for count in COUNTS]


def dead_end_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def powers_of_two(count):
        powers = tf.zeros([0], tf.int32)
        for step in tf.range(count):
            powers = tf.concat([powers, [2**step]], axis=0)
        return powers

    return [powers_of_two(tf.constant(count)) for count in COUNTS]


def message_decode_with_while():
    @tf.function
    def decode(prompt, limit):
        tokens = prompt
        while tf.shape(tokens)[1] < limit:
            following = tf.reduce_max(tokens, axis=1, keepdims=True) + 1
            tokens = tf.concat([tokens, following], axis=1)
        return tokens

    return decode(tf.constant([[1, 2], [3, 4]]), tf.constant(6))


def message_while_loop():
    @tf.function
    def unroll(start):
        return tf.while_loop(
            lambda index, states: index < 4,
            lambda index, states: (index + 1, tf.concat([states, states[-1:] * 2.0], axis=0)),
            (0, start),
        )

    return unroll(tf.ones([1, 3]))


def message_scalar_becomes_a_vector():
    class Pool(tf.keras.layers.Layer):
        @tf.function
        def call(self, inputs):
            pooled = 0.0
            for row in inputs:
                pooled += row
            return pooled

    return Pool()(tf.ones([4, 2]))


def message_wrong_invariant():
    @tf.function
    def collect(rows):
        kept = tf.zeros([1, 2])
        for row in rows:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(kept, tf.TensorShape([1, 2]))])
            kept = tf.concat([kept, row[tf.newaxis]], axis=0)
        return kept

    return collect(tf.ones([3, 2]))


def message_list_grows():
    @tf.function
    def collect(frames):
        kept = []
        for frame in frames:
            kept = [*kept, frame]
        return kept

    return collect(tf.ones([3, 2]))


def message_invariants_under_xla():
    @tf.function(jit_compile=True)
    def powers_of_two(count):
        powers = tf.zeros([0], tf.int32)
        for step in tf.range(count):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(powers, tf.TensorShape([None]))])
            powers = tf.concat([powers, [2**step]], axis=0)
        return powers

    return powers_of_two(tf.constant(3))
