"""None and a tensor are two kinds of argument: every combination of those given and those left out is a trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=4, cause="kind", path="mask")

scores = tf.constant([1.0, 2.0, 3.0])
a_mask = tf.constant([1.0, 0.0, 1.0])
a_bias = tf.constant([0.5, 0.5, 0.5])
options = [(None, None), (a_mask, None), (None, a_bias), (a_mask, a_bias)]


def failure():
    @tf.function
    def attend(scores, mask=None, bias=None):
        if bias is not None:
            scores = scores + bias
        return scores if mask is None else scores * mask

    return [attend(scores, mask, bias) for mask, bias in options]


def workaround_neutral_tensor():
    @tf.function
    def attend(scores, mask, bias):
        return (scores + bias) * mask

    no_mask, no_bias = tf.ones_like(scores), tf.zeros_like(scores)
    return [
        attend(scores, no_mask if mask is None else mask, no_bias if bias is None else bias) for mask, bias in options
    ]


def workaround_optional():
    spec = tf.TensorSpec([3], tf.float32)

    def optional(value):
        if value is None:
            return tf.experimental.Optional.empty(spec)
        return tf.experimental.Optional.from_value(value)

    @tf.function
    def attend(scores, mask, bias):
        if bias.has_value():
            scores = scores + bias.get_value()
        if mask.has_value():
            scores = scores * mask.get_value()
        return scores

    return [attend(scores, optional(mask), optional(bias)) for mask, bias in options]


def workaround_flag_tensor():
    @tf.function
    def attend(scores, mask, has_mask, bias, has_bias):
        scores = tf.where(has_bias, scores + bias, scores)
        return tf.where(has_mask, scores * mask, scores)

    unused = tf.zeros_like(scores)
    results = []
    for mask, bias in options:
        has_mask, has_bias = tf.constant(mask is not None), tf.constant(bias is not None)
        mask, bias = (unused if tensor is None else tensor for tensor in (mask, bias))
        results.append(attend(scores, mask, has_mask, bias, has_bias))
    return results


def dead_end_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def attend(scores, mask=None, bias=None):
        if bias is not None:
            scores = scores + bias
        return scores if mask is None else scores * mask

    return [attend(scores, mask, bias) for mask, bias in options]


def dead_end_type_hint():
    @tf.function
    def attend(scores: tf.Tensor, mask: tf.Tensor | None = None, bias: tf.Tensor | None = None):
        if bias is not None:
            scores = scores + bias
        return scores if mask is None else scores * mask

    return [attend(scores, mask, bias) for mask, bias in options]


def dead_end_signature():
    vector = tf.TensorSpec([3], tf.float32)

    @tf.function(input_signature=[vector, vector, vector])
    def attend(scores, mask=None, bias=None):
        if bias is not None:
            scores = scores + bias
        return scores if mask is None else scores * mask

    return [attend(scores, mask, bias) for mask, bias in options]


@tf.function
def pool(tokens, padding_mask=None):
    weights = tf.ones([2, 5]) if padding_mask is None else padding_mask
    return tf.reduce_sum(tokens * weights[..., None], axis=1)


def message_optional_mask():
    tokens = tf.ones([2, 5, 8])
    return [pool(tokens), pool(tokens, tf.ones([2, 5]))]


def message_state_of_the_first_step():
    class Decoder:
        @tf.function
        def step(self, token, state=None):
            return token if state is None else token + state

    decoder = Decoder()
    state = None
    for token in range(6):
        state = decoder.step(tf.constant([float(token)]), state)
    return state


def message_label_or_none():
    @tf.function
    def forward(features, labels):
        logits = features * 2.0
        return logits if labels is None else tf.reduce_mean(logits - labels)

    return [forward(tf.ones([4]), tf.zeros([4])), forward(tf.ones([4]), None)]
