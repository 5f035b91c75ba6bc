"""NumPy needs the numbers of a tensor, and while a function is traced there are none."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(
    type="Exception",
    text=r"Cannot convert a symbolic tf\.Tensor .* to a numpy array|'SymbolicTensor' object has no attribute 'numpy'",
)

BATCH = np.array([[1.0, 2.0], [3.0, 6.0]], np.float32)


def failure():
    @tf.function
    def standardize(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    return standardize(tf.constant(BATCH))


def right():
    return (BATCH - np.mean(BATCH)) / np.std(BATCH)


def workaround_tensorflow_operations():
    @tf.function
    def standardize(batch):
        return (batch - tf.reduce_mean(batch)) / tf.math.reduce_std(batch)

    return standardize(tf.constant(BATCH))


def workaround_tensorflow_numpy():
    tnp = tf.experimental.numpy

    @tf.function
    def standardize(batch):
        return (batch - tnp.mean(batch)) / tnp.std(batch)

    return standardize(tf.constant(BATCH))


def workaround_numpy_function():
    def with_numpy(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    @tf.function
    def standardize(batch):
        result = tf.numpy_function(with_numpy, [batch], tf.float32)
        return tf.ensure_shape(result, batch.shape)

    return standardize(tf.constant(BATCH))


def workaround_numpy_outside():
    @tf.function
    def standardize(batch, mean, deviation):
        return (batch - mean) / deviation

    batch = tf.constant(BATCH)
    return standardize(batch, tf.constant(np.mean(batch)), tf.constant(np.std(batch)))


def dead_end_call_numpy():
    @tf.function
    def standardize(batch):
        values = batch.numpy()
        return (values - np.mean(values)) / np.std(values)

    return standardize(tf.constant(BATCH))


def dead_end_numpy_behavior():
    tf.experimental.numpy.experimental_enable_numpy_behavior()

    @tf.function
    def standardize(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    return standardize(tf.constant(BATCH))


def dead_end_run_eagerly():
    tf.config.run_functions_eagerly(True)

    @tf.function
    def standardize(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    return standardize(tf.constant(BATCH))


def message_in_a_dataset():
    def decode(line):
        return line.numpy().decode().upper()

    lines = tf.data.Dataset.from_tensor_slices(["a b", "c d e"])
    return list(lines.map(decode))


def message_in_a_layer():
    class Jitter(tf.keras.layers.Layer):
        def call(self, images):
            return images + np.random.normal(0.0, 0.1, size=np.shape(np.asarray(images)))

    images = tf.keras.Input((8, 8, 3))
    return tf.keras.Model(images, Jitter()(images))


def message_in_a_metric():
    def accuracy(labels, predictions):
        return np.mean(np.round(predictions) == labels)

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[accuracy])
    return model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0).history


def message_of_a_variable():
    step = tf.Variable(0)

    @tf.function
    def learning_rate(initial):
        return initial * 0.5 ** step.numpy()

    return learning_rate(tf.constant(0.1))


def message_of_a_log_line():
    losses = []

    @tf.function
    def train_step(logits, labels):
        loss = tf.reduce_mean(tf.square(logits - labels))
        losses.append(loss.numpy())
        return loss

    return train_step(tf.ones([4, 1]), tf.zeros([4, 1]))
