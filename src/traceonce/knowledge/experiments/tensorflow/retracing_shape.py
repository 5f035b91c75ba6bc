"""Every new size of a tensor is a new trace, until the dimension is declared open."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=6, cause="shape", path="batch.shape[1]", cured=2)

SENTENCES = [np.full([2, length], 0.5 * length, np.float32) for length in (12, 9, 15, 20, 7, 11)]


def failure():
    @tf.function
    def encode(batch):
        return tf.reduce_mean(batch, axis=1)

    return [encode(tf.constant(batch)) for batch in SENTENCES]


def workaround_signature():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def encode(batch):
        return tf.reduce_mean(batch, axis=1)

    return [encode(tf.constant(batch)) for batch in SENTENCES]


def workaround_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def encode(batch):
        return tf.reduce_mean(batch, axis=1)

    return [encode(tf.constant(batch)) for batch in SENTENCES]


def workaround_pad_and_mask():
    @tf.function
    def encode(batch, length):
        mask = tf.sequence_mask(length, maxlen=32, dtype=batch.dtype)
        return tf.reduce_sum(batch * mask, axis=1) / tf.cast(length, batch.dtype)

    means = []
    for batch in SENTENCES:
        length = batch.shape[1]
        padded = tf.pad(batch, [[0, 0], [0, 32 - length]])
        means.append(encode(padded, tf.constant(length)))
    return means


def dead_end_pad_without_a_mask():
    @tf.function
    def encode(batch):
        return tf.reduce_mean(batch, axis=1)

    return [encode(tf.pad(batch, [[0, 0], [0, 32 - batch.shape[1]]])) for batch in SENTENCES]


def dead_end_numpy():
    @tf.function
    def encode(batch):
        return tf.reduce_mean(batch, axis=1)

    return [encode(batch) for batch in SENTENCES]  # NumPy arrays instead of tensors


def dead_end_shape_inside():
    @tf.function
    def encode(batch):
        batch = tf.reshape(batch, [2, -1])
        return tf.reduce_sum(batch, axis=1) / tf.cast(tf.shape(batch)[1], tf.float32)

    return [encode(tf.constant(batch)) for batch in SENTENCES]


def message_images():
    @tf.function
    def detect(images, threshold):
        return tf.reduce_sum(tf.cast(images > threshold, tf.int32))

    sizes = [(32, 48), (40, 40), (64, 32), (24, 56), (48, 64)]
    return [detect(tf.ones([1, *size, 3]), tf.constant(0.5)) for size in sizes]


def message_dictionary():
    @tf.function
    def train_step(features):
        return tf.reduce_sum(features["ids"]) + tf.reduce_sum(features["mask"])

    lengths = (31, 18, 44, 27, 50)
    return [train_step({name: tf.ones([4, n], tf.int32) for name in ("ids", "mask")}) for n in lengths]


def message_method():
    class Tagger(tf.Module):
        @tf.function
        def tag(self, words):
            return tf.argmax(tf.one_hot(words, 8), axis=-1)

    tagger = Tagger()
    return [tagger.tag(tf.zeros([length], tf.int32)) for length in (6, 3, 8, 5, 11)]
