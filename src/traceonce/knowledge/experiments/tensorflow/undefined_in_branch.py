"""A variable that is used after an `if` on a tensor must have a value in both branches."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="ValueError", text=r"must also be initialized in the else branch")

LOSSES = [0.5, 4.0]


def failure():
    @tf.function
    def scaled(loss):
        if loss > 1.0:
            scale = 0.1
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in LOSSES]


def right():
    return [loss * 0.1 if loss > 1.0 else loss for loss in LOSSES]


def workaround_default_before():
    @tf.function
    def scaled(loss):
        scale = 1.0
        if loss > 1.0:
            scale = 0.1
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in LOSSES]


def workaround_else():
    @tf.function
    def scaled(loss):
        if loss > 1.0:
            scale = 0.1
        else:
            scale = 1.0
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in LOSSES]


def workaround_where():
    @tf.function
    def scaled(loss):
        return loss * tf.where(loss > 1.0, 0.1, 1.0)

    return [scaled(tf.constant(loss)) for loss in LOSSES]


def dead_end_none_before():
    @tf.function
    def scaled(loss):
        scale = None
        if loss > 1.0:
            scale = 0.1
        if scale is None:
            return loss
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in LOSSES]


def dead_end_raise():
    @tf.function
    def scaled(loss):
        if loss > 0.0:
            scale = tf.where(loss > 1.0, 0.1, 1.0)
        else:
            raise ValueError("a loss must be positive")
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in LOSSES]


def dead_end_no_autograph():
    @tf.function(autograph=False)
    def scaled(loss):
        if loss > 1.0:
            scale = 0.1
        else:
            scale = 1.0
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in LOSSES]


def message_none_at_the_end():
    @tf.function
    def augment(image, chance):
        mask = None
        if chance > 0.5:
            mask = tf.ones_like(image)
        return image if mask is None else image * mask

    return augment(tf.ones([2, 2]), tf.constant(0.7))


def message_return_in_one_branch():
    class Gate(tf.keras.layers.Layer):
        @tf.function
        def call(self, inputs):
            if tf.reduce_mean(inputs) > 0.0:
                return inputs

    return Gate()(tf.ones([4, 2]))


def message_main_branch():
    class Trainer(tf.Module):
        @tf.function
        def step(self, gradients):
            norm = tf.norm(gradients)
            if norm < 1.0:
                tf.print("small")
            else:
                clipped = gradients / norm
            return clipped

    return Trainer().step(tf.constant([3.0, 4.0]))


def message_before_a_loop():
    @tf.function
    def total_of(values):
        index = 0
        while index < tf.size(values):
            total = total + values[index]  # noqa: F821
            index += 1
        return total

    return total_of(tf.constant([1.0, 2.0]))


def message_empty_loop():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def last_of(values):
        for value in values:
            last = value
        return last

    return last_of(tf.zeros([0]))


def message_return_in_a_loop():
    @tf.function
    def first_large(values):
        for value in values:
            if value > 2.0:
                return value

    return first_large(tf.constant([1.0, 3.0]))
