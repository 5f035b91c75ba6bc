"""While a function is traced, a tensor has no value: Python cannot ask whether it is true."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="OperatorNotAllowedInGraphError", text=r"Using a symbolic `tf.Tensor` as a Python `bool`")

LOSSES = [[1.0, 20.0, 3.0], [40.0, 5.0, 6.0]]


def failure():
    @tf.function
    def robust_loss(losses):
        kept = [loss for loss in tf.unstack(losses) if loss < 10.0]
        return tf.add_n(kept)

    return [robust_loss(tf.constant(losses)) for losses in LOSSES]


def right():
    return [sum(loss for loss in losses if loss < 10.0) for losses in LOSSES]


def workaround_choose_with_where():
    @tf.function
    def robust_loss(losses):
        return tf.reduce_sum(tf.where(losses < 10.0, losses, 0.0))

    return [robust_loss(tf.constant(losses)) for losses in LOSSES]


def workaround_if_statement():
    @tf.function
    def robust_loss(losses):
        total = tf.constant(0.0)
        for loss in losses:
            if loss < 10.0:
                total += loss
        return total

    return [robust_loss(tf.constant(losses)) for losses in LOSSES]


def workaround_tf_cond():
    @tf.function(autograph=False)
    def robust_loss(losses):
        kept = [tf.cond(loss < 10.0, lambda loss=loss: loss, lambda: 0.0) for loss in tf.unstack(losses)]
        return tf.add_n(kept)

    return [robust_loss(tf.constant(losses)) for losses in LOSSES]


def dead_end_decorate_the_helper():
    @tf.function
    def small_ones(losses):
        return tf.add_n([loss for loss in tf.unstack(losses) if loss < 10.0])

    @tf.function
    def robust_loss(losses):
        return small_ones(losses)

    return [robust_loss(tf.constant(losses)) for losses in LOSSES]


def dead_end_call_bool():
    @tf.function
    def robust_loss(losses):
        kept = [loss for loss in tf.unstack(losses) if bool(tf.less(loss, 10.0))]
        return tf.add_n(kept)

    return [robust_loss(tf.constant(losses)) for losses in LOSSES]


def dead_end_run_eagerly():
    tf.config.run_functions_eagerly(True)

    @tf.function
    def robust_loss(losses):
        kept = [loss for loss in tf.unstack(losses) if loss < 10.0]
        return tf.add_n(kept)

    return [robust_loss(tf.constant(losses)) for losses in LOSSES]


def message_without_autograph():
    @tf.function(autograph=False)
    def relu_by_hand(logits):
        if tf.reduce_sum(logits) > 0:
            return logits
        return tf.zeros_like(logits)

    return relu_by_hand(tf.constant([0.3, -0.1]))


def message_in_a_layer():
    class Clip(tf.keras.layers.Layer):
        def call(self, features):
            return features / max(tf.reduce_max(features), 1.0)

    inputs = tf.keras.Input((4,))
    return tf.keras.Model(inputs, Clip()(inputs))


def message_in_a_dataset():
    def smaller_first(left, right):
        return sorted([left, right])

    pairs = tf.data.Dataset.from_tensor_slices(([3, 1], [2, 5]))
    return list(pairs.map(smaller_first))


def message_in_a_method():
    class EarlyStop(tf.Module):
        @tf.function
        def should_stop(self, token):
            return token in [tf.constant(2), tf.constant(3)]

    return EarlyStop().should_stop(tf.constant(3))


def message_in_an_unconverted_helper():
    @tf.autograph.experimental.do_not_convert
    def keep_finite(gradient):
        return gradient if tf.reduce_all(tf.math.is_finite(gradient)) else tf.zeros_like(gradient)

    @tf.function
    def apply_gradient(weights, gradient):
        return weights - 0.1 * keep_finite(gradient)

    return apply_gradient(tf.ones([2, 2]), tf.ones([2, 2]))
