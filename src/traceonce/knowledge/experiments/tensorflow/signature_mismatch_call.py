"""With an input signature, a call must have its arguments: as many, by these names, in this structure."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"Binding inputs to tf\.function failed due to")

FEATURES = tf.TensorSpec([None, 2], tf.float32)
LABELS = tf.TensorSpec([None], tf.float32)


def pairs():
    """Batches of features and labels."""
    features = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    return tf.data.Dataset.from_tensor_slices((features, tf.constant([1.0, 0.0, 1.0, 0.0]))).batch(2)


def failure():
    @tf.function(input_signature=[FEATURES, LABELS])
    def train_step(features, labels):
        return tf.reduce_mean(tf.square(tf.reduce_sum(features, axis=1) - labels))

    return [train_step(batch) for batch in pairs()]


def right():
    return [
        sum((sum(row) - label) ** 2 for row, label in zip(features.numpy().tolist(), labels.numpy(), strict=True)) / 2
        for features, labels in pairs()
    ]


def workaround_unpack():
    @tf.function(input_signature=[FEATURES, LABELS])
    def train_step(features, labels):
        return tf.reduce_mean(tf.square(tf.reduce_sum(features, axis=1) - labels))

    return [train_step(*batch) for batch in pairs()]


def workaround_nested_signature():
    @tf.function(input_signature=[(FEATURES, LABELS)])
    def train_step(batch):
        features, labels = batch
        return tf.reduce_mean(tf.square(tf.reduce_sum(features, axis=1) - labels))

    return [train_step(batch) for batch in pairs()]


def workaround_signature_of_the_dataset():
    @tf.function(input_signature=[pairs().element_spec])
    def train_step(batch):
        features, labels = batch
        return tf.reduce_mean(tf.square(tf.reduce_sum(features, axis=1) - labels))

    return [train_step(batch) for batch in pairs()]


def dead_end_no_signature():
    @tf.function
    def train_step(features, labels):
        return tf.reduce_mean(tf.square(tf.reduce_sum(features, axis=1) - labels))

    return [train_step(batch) for batch in pairs()]


def dead_end_default_none():
    @tf.function(input_signature=[FEATURES, LABELS])
    def train_step(features, labels=None):
        return tf.reduce_mean(tf.square(tf.reduce_sum(features, axis=1) - labels))

    return [train_step(batch) for batch in pairs()]


def dead_end_list():
    @tf.function(input_signature=[(FEATURES, LABELS)])
    def train_step(batch):
        features, labels = batch
        return tf.reduce_mean(tf.square(tf.reduce_sum(features, axis=1) - labels))

    return [train_step(list(batch)) for batch in pairs()]


def message_too_many():
    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def predict(images):
        return tf.reduce_mean(images, axis=1)

    return predict(tf.ones([2, 4]), False)


def message_unknown_keyword():
    class Classifier(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
        def __call__(self, logits):
            return tf.nn.softmax(logits)

    return Classifier()(tf.ones([1, 3]), training=True)


def message_frozen_default():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def dropout(activations, rate=0.1):
        return tf.nn.dropout(activations, rate)

    return dropout(tf.ones([4]), 0.5)


def message_other_keys():
    @tf.function(input_signature=[{"ids": tf.TensorSpec([None], tf.int32), "mask": tf.TensorSpec([None], tf.int32)}])
    def encode(tokens):
        return tokens["ids"] * tokens["mask"]

    return encode({"ids": tf.constant([1, 2])})


def message_inside_another_function():
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)])
    def decay(rate, factor):
        return rate * factor

    @tf.function
    def schedule(rate):
        return decay(rate)

    return schedule(tf.constant(0.1))


def message_none_for_a_tensor():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.bool)])
    def pool(features, mask):
        return tf.boolean_mask(features, mask)

    return pool(tf.ones([3, 2]), None)
