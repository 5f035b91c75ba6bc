"""A tensor with another number of dimensions is another signature, whatever the function does with it."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=4, cause="rank", path="features.shape", cured=2)

INPUTS = [tf.ones([8]), tf.ones([5, 8]), tf.ones([3, 5, 8]), tf.ones([2, 3, 5, 8])]


def failure():
    @tf.function
    def score(features):
        return tf.reduce_sum(features, axis=-1)

    return [score(features) for features in INPUTS]


def workaround_reshape():
    @tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32)])
    def score(features):
        return tf.reduce_sum(features, axis=-1)

    scores = []
    for features in INPUTS:
        rows = tf.reshape(features, [-1, 8])
        scores.append(tf.reshape(score(rows), features.shape[:-1]))
    return scores


def workaround_open_rank():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def score(features):
        return tf.reduce_sum(features, axis=-1)

    return [score(features) for features in INPUTS]


def workaround_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def score(features):
        return tf.reduce_sum(features, axis=-1)

    return [score(features) for features in INPUTS]


def dead_end_fixed_rank():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def score(features):
        return tf.reduce_sum(features, axis=-1)

    return [score(features) for features in INPUTS]


def dead_end_reshape_inside():
    @tf.function
    def score(features):
        rows = tf.reshape(features, [-1, 8])
        return tf.reshape(tf.reduce_sum(rows, axis=-1), tf.shape(features)[:-1])

    return [score(features) for features in INPUTS]


def message_image_and_batch():
    class Classifier(tf.Module):
        @tf.function
        def __call__(self, image):
            return tf.reduce_mean(image, axis=[-3, -2, -1])

    classify = Classifier()
    shapes = ([32, 32, 3], [1, 32, 32, 3], [2, 1, 32, 32, 3], [1, 2, 1, 32, 32, 3])
    return [classify(tf.ones(shape)) for shape in shapes]


def message_labels():
    @tf.function
    def accuracy(labels, predictions):
        return tf.reduce_mean(tf.cast(tf.equal(tf.squeeze(labels), predictions), tf.float32))

    shapes = ([4], [4, 1], [4, 1, 1], [1, 4, 1, 1])
    return [accuracy(tf.zeros(shape, tf.int64), tf.zeros([4], tf.int64)) for shape in shapes]
