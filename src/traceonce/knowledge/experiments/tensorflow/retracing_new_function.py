"""A tf.function made again, over the same code, starts without traces."""

import functools

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=10, cause="new_function")


def failure():
    batch = tf.constant([1.0, 2.0, 3.0])
    losses = []
    for step in range(10):

        @tf.function
        def train_step(batch, weight):
            return tf.reduce_sum(batch * weight)

        losses.append(train_step(batch, tf.constant(float(step))))
    return losses


def workaround_make_it_once():
    @tf.function
    def train_step(batch, weight):
        return tf.reduce_sum(batch * weight)

    batch = tf.constant([1.0, 2.0, 3.0])
    losses = [train_step(batch, tf.constant(float(step))) for step in range(10)]
    return losses


def workaround_cached_factory():
    @functools.cache
    def make_train_step(reduction):
        @tf.function
        def train_step(batch, weight):
            return reduction(batch * weight)

        return train_step

    batch = tf.constant([1.0, 2.0, 3.0])
    losses = []
    for step in range(10):
        train_step = make_train_step(tf.reduce_sum)
        losses.append(train_step(batch, tf.constant(float(step))))
    return losses


def workaround_argument_for_closure():
    train_step = tf.function(lambda batch, weight: tf.reduce_sum(batch * weight))

    batch = tf.constant([1.0, 2.0, 3.0])
    losses = []
    for step in range(10):
        weight = tf.constant(float(step))  # what a lambda made in the loop would have closed over
        losses.append(train_step(batch, weight))
    return losses


def dead_end_reduce_retracing():
    batch = tf.constant([1.0, 2.0, 3.0])
    losses = []
    for step in range(10):

        @tf.function(reduce_retracing=True)
        def train_step(batch, weight):
            return tf.reduce_sum(batch * weight)

        losses.append(train_step(batch, tf.constant(float(step))))
    return losses


def dead_end_input_signature():
    batch = tf.constant([1.0, 2.0, 3.0])
    losses = []
    for step in range(10):

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
        def train_step(batch, weight):
            return tf.reduce_sum(batch * weight)

        losses.append(train_step(batch, tf.constant(float(step))))
    return losses


def dead_end_wrap_one_python_function():
    def train_step(batch, weight):
        return tf.reduce_sum(batch * weight)

    batch = tf.constant([1.0, 2.0, 3.0])
    losses = []
    for step in range(10):
        compiled = tf.function(train_step)
        losses.append(compiled(batch, tf.constant(float(step))))
    return losses


def message_lambda_in_a_loop():
    image = tf.ones([4, 4])
    for brightness in range(12):
        adjust = tf.function(lambda image: image * float(brightness))
        adjust(image)


def message_inside_a_function():
    def evaluate(labels, logits):
        @tf.function
        def cross_entropy(labels, logits):
            return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

        return tf.reduce_mean(cross_entropy(labels, logits))

    for epoch in range(8):
        evaluate(tf.constant([0, 1]), tf.constant([[1.0, 2.0], [0.5, float(epoch)]]))


def message_helper_that_wraps_its_argument():
    def compiled(function, tokens):
        return tf.function(function)(tokens)

    def embed(tokens):
        return tf.one_hot(tokens, 8)

    for length in range(9):
        compiled(embed, tf.constant([length, length + 1]))
