"""A comprehension, list() or unpacking asks a tensor for its rows while it is traced; it has none to give yet."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="OperatorNotAllowedInGraphError", text=r"Iterating over a symbolic `tf.Tensor` is not allowed")

HEADS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def failure():
    @tf.function
    def scale_heads(heads):
        return tf.stack([head / tf.reduce_sum(head) for head in heads])

    return scale_heads(tf.constant(HEADS))


def right():
    return [[value / sum(head) for value in head] for head in HEADS]


def workaround_whole_axis():
    @tf.function
    def scale_heads(heads):
        return heads / tf.reduce_sum(heads, axis=1, keepdims=True)

    return scale_heads(tf.constant(HEADS))


def workaround_map_fn():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def scale_heads(heads):
        return tf.map_fn(lambda head: head / tf.reduce_sum(head), heads)

    return scale_heads(tf.constant(HEADS))


def workaround_unstack():
    @tf.function
    def scale_heads(heads):
        return tf.stack([head / tf.reduce_sum(head) for head in tf.unstack(heads)])

    return scale_heads(tf.constant(HEADS))


def workaround_for_statement():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def scale_heads(heads):
        scaled = tf.TensorArray(tf.float32, size=tf.shape(heads)[0], element_shape=[2])
        for i in tf.range(tf.shape(heads)[0]):
            scaled = scaled.write(i, heads[i] / tf.reduce_sum(heads[i]))
        return scaled.stack()

    return scale_heads(tf.constant(HEADS))


def dead_end_range_of_shape():
    @tf.function
    def scale_heads(heads):
        return tf.stack([heads[i] / tf.reduce_sum(heads[i]) for i in range(tf.shape(heads)[0])])

    return scale_heads(tf.constant(HEADS))


def dead_end_list():
    @tf.function
    def scale_heads(heads):
        return tf.stack([head / tf.reduce_sum(head) for head in list(heads)])

    return scale_heads(tf.constant(HEADS))


def dead_end_enumerate():
    @tf.function
    def scale_heads(heads):
        scaled = tf.TensorArray(tf.float32, size=3, element_shape=[2])
        for i, head in enumerate(heads):
            scaled = scaled.write(i, head / tf.reduce_sum(head))
        return scaled.stack()

    return scale_heads(tf.constant(HEADS))


def dead_end_fixed_signature():
    @tf.function(input_signature=[tf.TensorSpec([3, 2], tf.float32)])
    def scale_heads(heads):
        return tf.stack([head / tf.reduce_sum(head) for head in heads])

    return scale_heads(tf.constant(HEADS))


def dead_end_unstack_of_unknown_length():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def scale_heads(heads):
        return tf.stack([head / tf.reduce_sum(head) for head in tf.unstack(heads)])

    return scale_heads(tf.constant(HEADS))


def message_unpacking():
    @tf.function
    def box_area(box):
        top, left, bottom, right = box
        return (bottom - top) * (right - left)

    return box_area(tf.constant([0.0, 0.0, 2.0, 3.0]))


def message_without_autograph():
    @tf.function(autograph=False)
    def total_length(lengths):
        total = 0
        for length in lengths:
            total += length
        return total

    return total_length(tf.constant([3, 5, 2]))


def message_in_a_dataset():
    sentences = tf.data.Dataset.from_tensors([[1, 2], [3, 4]])
    return list(sentences.map(lambda tokens: tf.concat([row[::-1] for row in tokens], axis=0)))


def message_in_a_method_of_a_model():
    class Beam(tf.Module):
        @tf.function
        def best(self, scores):
            return dict(zip(("first", "second"), scores, strict=False))

    return Beam().best(tf.constant([[0.2, 0.8], [0.5, 0.5]]))


def message_in_a_layer():
    class Ensemble(tf.keras.layers.Layer):
        def call(self, votes):
            return tf.add_n([*votes])

    votes = tf.keras.Input((3,))
    return tf.keras.Model(votes, Ensemble()(votes))
