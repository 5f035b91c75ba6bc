"""While a function is traced, a tensor has no value: Python cannot ask whether it is true."""

import math

import tensorflow as tf

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="OperatorNotAllowedInGraphError", text=r"Using a symbolic `tf.Tensor` as a Python `bool`")


@cases("a condition", "an assert", "code that is not converted")
def failure(use):
    @tf.function
    def robust_loss(losses):
        kept = [loss for loss in tf.unstack(losses) if loss < 10.0]
        return tf.add_n(kept)

    @tf.function
    def mean_log(losses):
        assert tf.reduce_all(losses > 0.0), "a loss must be positive"
        return tf.reduce_mean(tf.math.log(losses))

    def clip_large(losses):
        if tf.reduce_max(losses) > 30.0:
            return tf.minimum(losses, 30.0)
        return losses

    @tf.function(autograph=False)
    def clipped_loss(losses):
        return tf.reduce_sum(clip_large(losses))

    functions = {"a condition": robust_loss, "an assert": mean_log, "code that is not converted": clipped_loss}
    function = functions[use]
    return [function(tf.constant(losses)) for losses in ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])]


@cases("a condition", "an assert", "code that is not converted")
def right(use):
    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    if use == "code that is not converted":
        return [sum(min(loss, 30.0) for loss in losses) for losses in batches]
    if use == "a condition":
        return [sum(loss for loss in losses if loss < 10.0) for losses in batches]
    return [sum(math.log(loss) for loss in losses) / 3 for losses in batches]


@cases("a condition")
def workaround_choose_with_where(use):
    @tf.function
    def robust_loss(losses):
        return tf.reduce_sum(tf.where(losses < 10.0, losses, 0.0))

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [robust_loss(tf.constant(losses)) for losses in batches]


@cases("an assert")
def workaround_debugging_assert(use):
    @tf.function
    def mean_log(losses):
        tf.debugging.assert_positive(losses, message="a loss must be positive")
        return tf.reduce_mean(tf.math.log(losses))

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [mean_log(tf.constant(losses)) for losses in batches]


@cases("a condition")
def workaround_if_statement(use):
    @tf.function
    def robust_loss(losses):
        total = tf.constant(0.0)
        for loss in losses:
            if loss < 10.0:
                total += loss
        return total

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [robust_loss(tf.constant(losses)) for losses in batches]


@cases("code that is not converted")
def workaround_have_it_converted(use):
    @tf.function
    def clip_large(losses):
        if tf.reduce_max(losses) > 30.0:
            return tf.minimum(losses, 30.0)
        return losses

    @tf.function(autograph=False)  # as Keras 3 does with the train_step of a model and the call of a layer
    def clipped_loss(losses):
        return tf.reduce_sum(clip_large(losses))

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [clipped_loss(tf.constant(losses)) for losses in batches]


@cases("a condition")
def workaround_tf_cond(use):
    @tf.function(autograph=False)
    def robust_loss(losses):
        kept = [tf.cond(loss < 10.0, lambda loss=loss: loss, lambda: 0.0) for loss in tf.unstack(losses)]
        return tf.add_n(kept)

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [robust_loss(tf.constant(losses)) for losses in batches]


@cases("a condition")
def dead_end_decorate_the_helper(use):
    @tf.function
    def small_ones(losses):
        return tf.add_n([loss for loss in tf.unstack(losses) if loss < 10.0])

    @tf.function
    def robust_loss(losses):
        return small_ones(losses)

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [robust_loss(tf.constant(losses)) for losses in batches]


@cases("a condition")
def dead_end_call_bool(use):
    @tf.function
    def robust_loss(losses):
        kept = [loss for loss in tf.unstack(losses) if bool(tf.less(loss, 10.0))]
        return tf.add_n(kept)

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [robust_loss(tf.constant(losses)) for losses in batches]


@cases("an assert")
def dead_end_raise(use):
    @tf.function
    def mean_log(losses):
        if tf.reduce_any(losses <= 0.0):
            raise ValueError("a loss must be positive")
        return tf.reduce_mean(tf.math.log(losses))

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [mean_log(tf.constant(losses)) for losses in batches]


@cases("a condition")
def dead_end_run_eagerly(use):
    tf.config.run_functions_eagerly(True)

    @tf.function
    def robust_loss(losses):
        kept = [loss for loss in tf.unstack(losses) if loss < 10.0]
        return tf.add_n(kept)

    batches = ([1.0, 20.0, 3.0], [40.0, 5.0, 6.0])
    return [robust_loss(tf.constant(losses)) for losses in batches]


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


def message_assert_in_a_train_step():
    @tf.function
    def train_step(batch, learning_rate):
        assert learning_rate > 0
        return tf.reduce_mean(batch) * learning_rate

    return train_step(tf.ones([4, 2]), tf.constant(0.1))
