"""A Python bool is part of the signature: each flag doubles the number of traces."""

import itertools

import tensorflow as tf

import traceonce
from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=8, cause="value", path="training")

FLAGS = list(itertools.product((False, True), repeat=3))
X = tf.constant([3.0, -4.0])
DROPOUT = tf.keras.layers.Dropout(0.5)


def with_if(x, training, clip, scale):
    if training:
        x = x + 1.0
    if clip:
        x = tf.clip_by_value(x, -1.0, 1.0)
    return x * 10.0 if scale else x


def with_and_or(x, training, clip, scale):
    if training and not clip:
        x = x + 1.0
    if clip or scale:
        x = x * 2.0
    return x


def with_a_layer(x, training, clip, scale):
    x = x + DROPOUT(tf.zeros([2]), training=training)  # zeros, dropped or not
    if clip:
        x = tf.clip_by_value(x, -1.0, 1.0)
    return x * 10.0 if scale else x


BODIES = {"if statements": with_if, "and, or, not": with_and_or, "a Keras layer": with_a_layer}


@cases("if statements", "and, or, not", "a Keras layer")
def failure(use):
    @tf.function
    def train_step(x, training, clip, scale):
        return BODIES[use](x, training, clip, scale)  # if training: …, if clip: …

    return [train_step(X, *flags) for flags in FLAGS]


@cases("if statements", "and, or, not", "a Keras layer")
def workaround_tensor(use):
    @tf.function
    def train_step(x, training, clip, scale):
        return BODIES[use](x, training, clip, scale)  # if training: …, if clip: …

    return [train_step(X, *(tf.constant(flag) for flag in flags)) for flags in FLAGS]


@cases("if statements", "and, or, not", "a Keras layer")
def workaround_signature(use):
    flag = tf.TensorSpec([], tf.bool)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), flag, flag, flag])
    def train_step(x, training, clip, scale):
        return BODIES[use](x, training, clip, scale)  # if training: …, if clip: …

    return [train_step(X, *flags) for flags in FLAGS]


@cases("if statements", "and, or, not", "a Keras layer")
def workaround_variable(use):
    training, clip, scale = (tf.Variable(False) for _ in range(3))

    @tf.function
    def train_step(x):
        return BODIES[use](x, training, clip, scale)  # if training: …, if clip: …

    outputs = []
    for flags in FLAGS:
        for variable, flag in zip((training, clip, scale), flags, strict=True):
            variable.assign(flag)
        outputs.append(train_step(X))
    return outputs


@cases("a Keras layer")
def workaround_layer_in_cond(use):
    @tf.function
    def train_step(x, training, clip, scale):
        noise = tf.zeros([2])
        x += tf.cond(training, lambda: DROPOUT(noise, training=True), lambda: DROPOUT(noise, training=False))
        if clip:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    return [train_step(X, *(tf.constant(flag) for flag in flags)) for flags in FLAGS]


@cases("if statements", "and, or, not", "a Keras layer")
def dead_end_relax(use):
    @tf.function(reduce_retracing=True)
    def train_step(x, training, clip, scale):
        return BODIES[use](x, training, clip, scale)  # if training: …, if clip: …

    return [train_step(X, *flags) for flags in FLAGS]


@cases("if statements", "and, or, not", "a Keras layer")
def dead_end_zero_and_one(use):
    @tf.function
    def train_step(x, training, clip, scale):
        return BODIES[use](x, training, clip, scale)  # if training: …, if clip: …

    return [train_step(X, *(int(flag) for flag in flags)) for flags in FLAGS]


@cases("if statements")
def dead_end_cond(use):
    @tf.function
    def train_step(x, training, clip, scale):
        x = tf.cond(training, lambda: x + 1.0, lambda: x)
        x = tf.cond(clip, lambda: tf.clip_by_value(x, -1.0, 1.0), lambda: x)
        return tf.cond(scale, lambda: x * 10.0, lambda: x)

    return [train_step(X, *flags) for flags in FLAGS]


def message_method():
    class Normalization(tf.Module):
        @tf.function
        def __call__(self, inputs, is_training=False):
            return inputs - tf.reduce_mean(inputs) if is_training else inputs

    normalize = Normalization()
    return [normalize(tf.ones([2, 3]), is_training=step % 2 == 0) for step in range(6)]


def message_with_a_number():
    @tf.function
    def sample(logits, greedy, top_k):
        return tf.argmax(logits) if greedy else tf.math.top_k(logits, top_k).indices[0]

    return [sample(tf.constant([0.1, 0.7, 0.2]), greedy, 2) for greedy in (True, False, True)]


def message_past_a_limit():
    @traceonce.max_traces(2, on_limit="warn")
    @tf.function
    def decode(tokens, use_cache, return_logits):
        return tokens + 1 if use_cache else tokens if return_logits else -tokens

    return [decode(tf.ones([2], tf.int32), a, b) for a in (True, False) for b in (True, False)]
