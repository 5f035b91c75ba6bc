"""After an `if` on a tensor, both paths must have given the variable a value, or have returned."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(
    type="ValueError",
    text=r"must also be initialized in the else branch|the else branch must also have a return statement",
)


@cases("a variable", "a return")
def failure(use):
    @tf.function
    def scaled(loss):
        if loss > 1.0:
            scale = 0.1
        return loss * scale

    @tf.function
    def capped(loss):
        if loss > 1.0:
            return 1.0

    function = scaled if use == "a variable" else capped
    return [function(tf.constant(loss)) for loss in (0.5, 4.0)]


@cases("a variable", "a return", "one of each")
def right(use):
    scaled, capped = [0.5, 0.4], [0.5, 1.0]
    return {"a variable": scaled, "a return": capped}.get(use, scaled + capped)


@cases("one of each")
def workaround_else(use):
    @tf.function
    def scaled(loss):
        if loss > 1.0:
            scale = 0.1
        else:
            scale = 1.0
        return loss * scale

    @tf.function
    def capped(loss):
        if loss > 1.0:
            return 1.0
        else:
            return loss

    return [function(tf.constant(loss)) for function in (scaled, capped) for loss in (0.5, 4.0)]


@cases("a variable")
def workaround_default_before(use):
    @tf.function
    def scaled(loss):
        scale = 1.0
        if loss > 1.0:
            scale = 0.1
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in (0.5, 4.0)]


@cases("a return")
def workaround_return_after_the_if(use):
    @tf.function
    def capped(loss):
        if loss > 1.0:
            return 1.0
        return loss

    return [capped(tf.constant(loss)) for loss in (0.5, 4.0)]


@cases("a variable")
def workaround_where(use):
    @tf.function
    def scaled(loss):
        return loss * tf.where(loss > 1.0, 0.1, 1.0)

    return [scaled(tf.constant(loss)) for loss in (0.5, 4.0)]


@cases("a variable")
def dead_end_none_before(use):
    @tf.function
    def scaled(loss):
        scale = None
        if loss > 1.0:
            scale = 0.1
        if scale is None:
            return loss
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in (0.5, 4.0)]


@cases("a return")
def dead_end_return_none(use):
    @tf.function
    def capped(loss):
        if loss > 1.0:
            return 1.0
        return None

    results = [capped(tf.constant(loss)) for loss in (0.5, 4.0)]
    return [loss if result is None else result for loss, result in zip((0.5, 4.0), results, strict=True)]


@cases("a variable")
def dead_end_raise(use):
    @tf.function
    def scaled(loss):
        if loss > 0.0:
            scale = tf.where(loss > 1.0, 0.1, 1.0)
        else:
            raise ValueError("a loss must be positive")
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in (0.5, 4.0)]


@cases("a variable")
def dead_end_no_autograph(use):
    @tf.function(autograph=False)
    def scaled(loss):
        if loss > 1.0:
            scale = 0.1
        else:
            scale = 1.0
        return loss * scale

    return [scaled(tf.constant(loss)) for loss in (0.5, 4.0)]


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
