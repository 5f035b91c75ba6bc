"""Both branches of an `if` on a tensor, or of tf.cond, must give the same structure."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"must have the same nested structure in the main and else branches")

LOSSES = [0.5, 4.0]


def failure():
    @tf.function
    def summarize(loss):
        if loss > 1.0:
            report = {"loss": loss, "clipped": tf.minimum(loss, 1.0)}
        else:
            report = {"loss": loss}
        return report

    return [summarize(tf.constant(loss)) for loss in LOSSES]


def right():
    return [{"loss": loss, "clipped": min(loss, 1.0)} for loss in LOSSES]


def workaround_same_keys():
    @tf.function
    def summarize(loss):
        if loss > 1.0:
            report = {"loss": loss, "clipped": tf.minimum(loss, 1.0)}
        else:
            report = {"loss": loss, "clipped": loss}
        return report

    return [summarize(tf.constant(loss)) for loss in LOSSES]


def workaround_assemble_after():
    @tf.function
    def summarize(loss):
        clipped = loss
        if loss > 1.0:
            clipped = tf.minimum(loss, 1.0)
        return {"loss": loss, "clipped": clipped}

    return [summarize(tf.constant(loss)) for loss in LOSSES]


def workaround_where():
    @tf.function
    def summarize(loss):
        return {"loss": loss, "clipped": tf.where(loss > 1.0, tf.minimum(loss, 1.0), loss)}

    return [summarize(tf.constant(loss)) for loss in LOSSES]


def dead_end_tf_cond():
    @tf.function
    def summarize(loss):
        return tf.cond(
            loss > 1.0,
            lambda: {"loss": loss, "clipped": tf.minimum(loss, 1.0)},
            lambda: {"loss": loss},
        )

    return [summarize(tf.constant(loss)) for loss in LOSSES]


def dead_end_none():
    @tf.function
    def summarize(loss):
        if loss > 1.0:
            report = {"loss": loss, "clipped": tf.minimum(loss, 1.0)}
        else:
            report = {"loss": loss, "clipped": None}
        return report

    return [summarize(tf.constant(loss)) for loss in LOSSES]


def dead_end_no_autograph():
    @tf.function(autograph=False)
    def summarize(loss):
        if loss > 1.0:
            report = {"loss": loss, "clipped": tf.minimum(loss, 1.0)}
        else:
            report = {"loss": loss}
        return report

    return [summarize(tf.constant(loss)) for loss in LOSSES]


def message_tuple_or_tensor():
    @tf.function
    def decode(logits, beam):
        if tf.reduce_max(logits) > 0.0:
            return tf.argmax(logits), tf.reduce_max(logits)
        else:
            return tf.argmax(logits)

    return decode(tf.constant([0.1, 0.9]), 2)


def message_list_grows():
    @tf.function
    def collect(frames):
        kept = [frames]
        if tf.size(frames) > 2:
            kept = [*kept, frames * 2]
        return kept

    return collect(tf.constant([1, 2, 3]))


def message_list_and_tuple_in_tf_cond():
    @tf.function
    def route(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: [x, x], lambda: (x, x))

    return route(tf.ones([2]))


def message_lengths_in_tf_cond():
    @tf.function
    def route(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: (x, 2 * x), lambda: x)

    return route(tf.ones([2]))


def message_none_in_tf_cond():
    class Gate(tf.Module):
        @tf.function
        def forward(self, x):
            return tf.cond(tf.reduce_any(x > 1.0), lambda: x, lambda: None)

    return Gate().forward(tf.ones([2]))


def message_switch_case():
    @tf.function
    def expert(index, x):
        return tf.switch_case(index, [lambda: [x], lambda: [x + 1], lambda: (x + 2,)])

    return expert(tf.constant(1), tf.ones([2]))


def message_in_a_layer():
    class Scale(tf.keras.layers.Layer):
        @tf.function
        def call(self, inputs):
            if tf.reduce_mean(inputs) > 0.0:
                outputs = (inputs, inputs)
            else:
                outputs = inputs
            return outputs

    return Scale()(tf.ones([4, 2]))
