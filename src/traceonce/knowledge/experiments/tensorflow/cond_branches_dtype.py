"""Both branches of an `if` on a tensor, or of tf.cond, must give the same dtype."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"has dtype \w+ in the main branch, but dtype \w+ in the else branch")

BATCHES = [[], [1.0, 2.0, 6.0]]


def failure():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def mean_loss(losses):
        if tf.size(losses) > 0:
            mean = tf.reduce_mean(losses)
        else:
            mean = 0
        return mean

    return [mean_loss(losses) for losses in BATCHES]


def right():
    return [sum(losses) / len(losses) if losses else 0.0 for losses in BATCHES]


def workaround_float_literal():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def mean_loss(losses):
        if tf.size(losses) > 0:
            mean = tf.reduce_mean(losses)
        else:
            mean = 0.0
        return mean

    return [mean_loss(losses) for losses in BATCHES]


def workaround_zeros_of_dtype():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def mean_loss(losses):
        if tf.size(losses) > 0:
            mean = tf.reduce_mean(losses)
        else:
            mean = tf.zeros([], losses.dtype)
        return mean

    return [mean_loss(losses) for losses in BATCHES]


def workaround_no_branch():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def mean_loss(losses):
        return tf.math.divide_no_nan(tf.reduce_sum(losses), tf.cast(tf.size(losses), losses.dtype))

    return [mean_loss(losses) for losses in BATCHES]


def dead_end_cast_after():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def mean_loss(losses):
        if tf.size(losses) > 0:
            mean = tf.reduce_mean(losses)
        else:
            mean = 0
        return tf.cast(mean, tf.float32)

    return [mean_loss(losses) for losses in BATCHES]


def dead_end_constant():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def mean_loss(losses):
        if tf.size(losses) > 0:
            mean = tf.reduce_mean(losses)
        else:
            mean = tf.constant(0)
        return mean

    return [mean_loss(losses) for losses in BATCHES]


def dead_end_tf_cond():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def mean_loss(losses):
        return tf.cond(tf.size(losses) > 0, lambda: tf.reduce_mean(losses), lambda: 0)

    return [mean_loss(losses) for losses in BATCHES]


def message_returns():
    @tf.function
    def pick(scores, threshold):
        if tf.reduce_max(scores) > threshold:
            return tf.argmax(scores)
        else:
            return -1

    return pick(tf.constant([0.1, 0.7]), tf.constant(0.5))


def message_half_precision_in_a_layer():
    class Clip(tf.keras.layers.Layer):
        @tf.function
        def call(self, inputs):
            scaled = inputs
            if tf.reduce_max(tf.abs(inputs)) > 1.0:
                scaled = tf.cast(inputs / 2.0, tf.float16)
            return scaled

    return Clip()(tf.ones([4, 2]))


def message_one_line_if():
    class Schedule(tf.Module):
        @tf.function
        def rate(self, step):
            return tf.constant(0.1) if step < 100 else 0

    return Schedule().rate(tf.constant(7))


def message_tf_cond():
    @tf.function
    def select(flag, x):
        return tf.cond(flag, lambda: tf.cast(x, tf.float64), lambda: x)

    return select(tf.constant(True), tf.ones([2, 3]))


def message_switch_case():
    @tf.function
    def expert(index, x):
        return tf.switch_case(index, [lambda: x, lambda: tf.cast(x, tf.int64)])

    return expert(tf.constant(1), tf.ones([2]))
