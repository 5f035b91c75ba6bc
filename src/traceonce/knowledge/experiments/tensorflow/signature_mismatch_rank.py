"""An input signature fixes the number of axes: a tensor of another rank is refused."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"Can not cast TensorSpec\(shape=\(3,\).* to TensorSpec\(shape=\(None, 3\)")


def failure():
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def predict(rows):
        return tf.reduce_sum(rows * [1.0, 10.0, 100.0], axis=-1)

    return predict(tf.constant([1.0, 2.0, 3.0]))


def right():
    return [321.0]


def workaround_add_the_axis():
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def predict(rows):
        return tf.reduce_sum(rows * [1.0, 10.0, 100.0], axis=-1)

    return predict(tf.constant([1.0, 2.0, 3.0])[tf.newaxis])


def workaround_batch_of_one():
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def predict(rows):
        return tf.reduce_sum(rows * [1.0, 10.0, 100.0], axis=-1)

    rows = tf.data.Dataset.from_tensors([1.0, 2.0, 3.0]).batch(1)
    return predict(next(iter(rows)))


def workaround_any_rank():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def predict(rows):
        rows = tf.reshape(rows, [-1, 3])
        return tf.reduce_sum(rows * [1.0, 10.0, 100.0], axis=-1)

    return predict(tf.constant([1.0, 2.0, 3.0]))


def dead_end_more_none():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def predict(rows):
        return tf.reduce_sum(rows * [1.0, 10.0, 100.0], axis=-1)

    return predict(tf.constant([1.0, 2.0, 3.0]))


def dead_end_reshape_inside():
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def predict(rows):
        rows = tf.reshape(rows, [-1, 3])
        return tf.reduce_sum(rows * [1.0, 10.0, 100.0], axis=-1)

    return predict(tf.constant([1.0, 2.0, 3.0]))


def dead_end_concrete_function():
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def predict(rows):
        return tf.reduce_sum(rows * [1.0, 10.0, 100.0], axis=-1)

    return predict.get_concrete_function()(tf.constant([1.0, 2.0, 3.0]))


def message_image_without_channels():
    @tf.function(input_signature=[tf.TensorSpec([None, 28, 28, 1], tf.float32)])
    def classify(images):
        return tf.reduce_mean(images, axis=[1, 2, 3])

    return classify(tf.zeros([5, 28, 28]))


def message_scalar_for_a_vector():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def lookup(ids):
        return ids + 1

    return lookup(tf.constant(7, tf.int64))


def message_one_label_axis_too_many():
    @tf.function(input_signature=[tf.TensorSpec([None, 10], tf.float32), tf.TensorSpec([None], tf.int32)])
    def loss(logits, labels):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    return loss(tf.ones([2, 10]), tf.constant([[1], [2]]))


def message_inside_another_function():
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def clip(value):
        return tf.minimum(value, 1.0)

    @tf.function
    def train_step(gradients):
        return clip(gradients)

    return train_step(tf.constant([0.5, 2.0]))


def message_a_python_list():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.int32)])
    def pairs(tokens):
        return tf.reduce_sum(tokens, axis=1)

    return pairs([4, 5])
