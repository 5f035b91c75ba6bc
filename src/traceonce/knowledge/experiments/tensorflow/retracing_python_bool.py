"""A Python bool is part of the signature: each flag doubles the number of traces."""

import itertools

import tensorflow as tf

import traceonce
from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=8, cause="value", path="training")


@cases("if, and, or, not", "a Keras layer")
def failure(use):
    dropout = tf.keras.layers.Dropout(0.5)

    @tf.function
    def train_step(x, training, clip, scale):
        if use == "a Keras layer":
            x = x + dropout(tf.zeros([2]), training=training)  # zeros, dropped or not
        if training and not clip:
            x = x + 1.0
        if clip or scale:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    return [train_step(tf.constant([3.0, -4.0]), *flags) for flags in itertools.product((False, True), repeat=3)]


@cases("if, and, or, not")
def workaround_tensor(use):
    @tf.function
    def train_step(x, training, clip, scale):
        if training and not clip:
            x = x + 1.0
        if clip or scale:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    x = tf.constant([3.0, -4.0])
    outputs = []
    for training, clip, scale in itertools.product((False, True), repeat=3):
        outputs.append(train_step(x, tf.constant(training), tf.constant(clip), tf.constant(scale)))
    return outputs


@cases("if, and, or, not")
def workaround_signature(use):
    flag = tf.TensorSpec([], tf.bool)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), flag, flag, flag])
    def train_step(x, training, clip, scale):
        if training and not clip:
            x = x + 1.0
        if clip or scale:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    x = tf.constant([3.0, -4.0])
    return [train_step(x, *flags) for flags in itertools.product((False, True), repeat=3)]


@cases("if, and, or, not")
def workaround_variable(use):
    training, clip, scale = (tf.Variable(False) for _ in range(3))

    @tf.function
    def train_step(x):
        if training and not clip:
            x = x + 1.0
        if clip or scale:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    outputs = []
    for flags in itertools.product((False, True), repeat=3):
        for variable, flag in zip((training, clip, scale), flags, strict=True):
            variable.assign(flag)
        outputs.append(train_step(tf.constant([3.0, -4.0])))
    return outputs


@cases("a Keras layer")
def workaround_layer_in_cond(use):
    dropout = tf.keras.layers.Dropout(0.5)

    @tf.function
    def train_step(x, training, clip, scale):
        noise = tf.zeros([2])
        x += tf.cond(training, lambda: dropout(noise, training=True), lambda: dropout(noise, training=False))
        if training and not clip:
            x = x + 1.0
        if clip or scale:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    x = tf.constant([3.0, -4.0])
    outputs = []
    for training, clip, scale in itertools.product((False, True), repeat=3):
        outputs.append(train_step(x, tf.constant(training), tf.constant(clip), tf.constant(scale)))
    return outputs


@cases("if, and, or, not")
def dead_end_relax(use):
    @tf.function(reduce_retracing=True)
    def train_step(x, training, clip, scale):
        if training and not clip:
            x = x + 1.0
        if clip or scale:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    x = tf.constant([3.0, -4.0])
    return [train_step(x, *flags) for flags in itertools.product((False, True), repeat=3)]


@cases("if, and, or, not")
def dead_end_zero_and_one(use):
    @tf.function
    def train_step(x, training, clip, scale):
        if training and not clip:
            x = x + 1.0
        if clip or scale:
            x = tf.clip_by_value(x, -1.0, 1.0)
        return x * 10.0 if scale else x

    x = tf.constant([3.0, -4.0])
    return [train_step(x, *flags) for flags in itertools.product((0, 1), repeat=3)]


@cases("if, and, or, not")
def dead_end_cond(use):
    @tf.function
    def train_step(x, training, clip, scale):
        x = tf.cond(training and not clip, lambda: x + 1.0, lambda: x)
        x = tf.cond(clip or scale, lambda: tf.clip_by_value(x, -1.0, 1.0), lambda: x)
        return tf.cond(scale, lambda: x * 10.0, lambda: x)

    x = tf.constant([3.0, -4.0])
    return [train_step(x, *flags) for flags in itertools.product((False, True), repeat=3)]


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
