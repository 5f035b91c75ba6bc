"""XLA compiles for every new shape, also where one trace serves them all."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Recompiles

symptom = Recompiles(compilations=8, cured=2)

LENGTHS = [3, 5, 2, 7, 4, 8, 6, 1]


def failure():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.float32)])
    def score(tokens):
        return tf.reduce_sum(tf.nn.tanh(tokens))

    return [score(tf.ones([length])) for length in LENGTHS]


def workaround_pad():
    @tf.function(jit_compile=True)
    def score(tokens, length):
        inside = tf.cast(tf.range(8) < length, tf.float32)
        return tf.reduce_sum(tf.nn.tanh(tokens) * inside)

    def pad(tokens):
        return tf.pad(tokens, [[0, 8 - len(tokens)]])

    return [score(pad(tf.ones([length])), tf.constant(length)) for length in LENGTHS]


def workaround_buckets():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    def score(tokens, length):
        inside = tf.sequence_mask(length, tf.shape(tokens)[0], tf.float32)
        return tf.reduce_sum(tf.nn.tanh(tokens) * inside)

    def pad_to_bucket(tokens):
        bucket = 4 if len(tokens) <= 4 else 8
        return np.pad(tokens, [0, bucket - len(tokens)])

    return [score(pad_to_bucket(np.ones(length, np.float32)), tf.constant(length)) for length in LENGTHS]


def workaround_without_xla():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def score(tokens):
        return tf.reduce_sum(tf.nn.tanh(tokens))

    return [score(tf.ones([length])) for length in LENGTHS]


def dead_end_reduce_retracing():
    @tf.function(jit_compile=True, reduce_retracing=True)
    def score(tokens):
        return tf.reduce_sum(tf.nn.tanh(tokens))

    return [score(tf.ones([length])) for length in LENGTHS]


def dead_end_unknown_rank():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec(None, tf.float32)])
    def score(tokens):
        return tf.reduce_sum(tf.nn.tanh(tokens))

    return [score(tf.ones([length])) for length in LENGTHS]


def dead_end_padded_batch():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([2, None], tf.float32)])
    def score(tokens):
        return tf.reduce_sum(tf.nn.tanh(tokens), axis=1)

    sentences = tf.data.Dataset.from_tensor_slices(LENGTHS).map(lambda length: tf.ones([length]))
    return [row for batch in sentences.padded_batch(2) for row in score(batch)]


def dead_end_pad_inside():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.float32)])
    def score(tokens):
        tokens = tf.ensure_shape(tf.pad(tokens, [[0, 8 - tf.shape(tokens)[0]]]), [8])
        return tf.reduce_sum(tf.nn.tanh(tokens))

    return [score(tf.ones([length])) for length in LENGTHS]


def message_attention_in_two_dimensions():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, None, 4]), tf.TensorSpec([None, None, 4])])
    def attend(queries, keys):
        return tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True))

    return [attend(tf.ones([1, n, 4]), tf.ones([1, m, 4])) for n, m in ((2, 3), (2, 4), (3, 4), (5, 6), (6, 7))]


def message_a_value_decides():
    @tf.function(jit_compile=True)
    def positions(count):
        return tf.range(count) * 2

    return [positions(tf.constant(count)) for count in (1, 2, 3, 4, 5, 6)]


def message_method_of_a_model():
    class Encoder(tf.Module):
        def __init__(self):
            super().__init__()
            self.weights = tf.Variable(tf.ones([2, 3]))

        @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 2])])
        def encode(self, rows):
            return tf.matmul(rows, self.weights)

    encoder = Encoder()
    return [encoder.encode(tf.ones([count, 2])) for count in range(1, 8)]
