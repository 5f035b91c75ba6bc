"""An input signature fixes the data type of every tensor, and tensors are never cast to it."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"Can not cast TensorSpec\(.*dtype=tf\.float64.* to TensorSpec\(.*tf\.float32")

MEASURED = np.array([1.0, 2.0, 3.0])  # float64, as NumPy makes it


def failure():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def rescale(features):
        return features * 0.5

    return rescale(tf.constant(MEASURED))


def right():
    return MEASURED * 0.5


def workaround_cast_before():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def rescale(features):
        return features * 0.5

    return rescale(tf.cast(tf.constant(MEASURED), tf.float32))


def workaround_make_it_so():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def rescale(features):
        return features * 0.5

    return rescale(tf.constant(MEASURED, dtype=tf.float32))


def workaround_pass_the_array():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def rescale(features):
        return features * 0.5

    return rescale(MEASURED)


def workaround_cast_inside_without_signature():
    @tf.function(reduce_retracing=True)
    def rescale(features):
        return tf.cast(features, tf.float32) * 0.5

    return rescale(tf.constant(MEASURED))


def dead_end_cast_inside():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def rescale(features):
        return tf.cast(features, tf.float32) * 0.5

    return rescale(tf.constant(MEASURED))


def dead_end_floatx():
    tf.keras.backend.set_floatx("float32")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def rescale(features):
        return features * 0.5

    return rescale(tf.constant(MEASURED))


def dead_end_dtype_none():
    @tf.function(input_signature=[tf.TensorSpec([None], None)])
    def rescale(features):
        return tf.cast(features, tf.float32) * 0.5

    return rescale(tf.constant(MEASURED))


def message_token_ids():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def embed(ids):
        return tf.one_hot(ids, 10)

    return embed(tf.constant([1, 2, 3], tf.int64))


def message_waveform_of_a_method():
    class Recognizer(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, waveform):
            return tf.abs(waveform)

    return Recognizer()(tf.zeros([8], tf.int16))


def message_python_float_for_an_integer():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def positions(length):
        return tf.range(length)

    return positions(4.5)


def message_in_a_dataset():
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def normalize(pixel):
        return pixel / 255.0

    return list(tf.data.Dataset.range(3).map(lambda pixel: normalize(pixel)))


def message_a_mask():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32), tf.TensorSpec([None], tf.float32)])
    def masked_sum(logits, mask):
        return tf.reduce_sum(logits * mask)

    return masked_sum(tf.ones([2, 3]), tf.constant([True, False, True]))


def message_of_a_concrete_function():
    @tf.function
    def step(gradients):
        return gradients * 0.1

    concrete = step.get_concrete_function(tf.TensorSpec([None], tf.float32))
    return concrete(tf.constant([1.0, 2.0], tf.float16))
