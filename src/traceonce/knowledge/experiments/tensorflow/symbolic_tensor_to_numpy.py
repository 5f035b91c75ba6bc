"""NumPy needs the numbers of a tensor, and while a function is traced there are none."""

import math

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(
    type="Exception",
    text=r"Cannot convert a symbolic tf\.Tensor .* to a numpy array|'SymbolicTensor' object has no attribute 'numpy'"
    r"|must be real number, not SymbolicTensor|'SymbolicTensor' object cannot be interpreted as an integer"
    r"|unsupported format string passed to SymbolicTensor",
)


@cases("NumPy", "a number for Python", "a range", "a text")
def failure(use):
    @tf.function
    def standardize(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    @tf.function
    def attend(scores, width):
        return scores / math.sqrt(width)

    @tf.function(autograph=False)
    def positions(length):
        return tf.stack([position / 10.0 for position in range(length)])

    @tf.function
    def describe(loss):
        return tf.constant(f"loss {loss:.1f}")

    if use == "a number for Python":
        return attend(tf.constant([2.0, 8.0]), tf.constant(4))
    if use == "a range":
        return positions(tf.constant(4))
    if use == "a text":
        return describe(tf.constant(0.5))
    return standardize(tf.constant([[1.0, 2.0], [3.0, 6.0]]))


@cases("NumPy", "a number for Python", "a range", "a text")
def right(use):
    batch = np.array([[1.0, 2.0], [3.0, 6.0]])
    outputs = {"a number for Python": [1.0, 4.0], "a range": [0.0, 0.1, 0.2, 0.3], "a text": "loss 0.5"}
    return outputs.get(use, (batch - np.mean(batch)) / np.std(batch))


@cases("NumPy")
def workaround_tensorflow_operations(use):
    @tf.function
    def standardize(batch):
        return (batch - tf.reduce_mean(batch)) / tf.math.reduce_std(batch)

    return standardize(tf.constant([[1.0, 2.0], [3.0, 6.0]]))


@cases("a number for Python")
def workaround_cast(use):
    @tf.function
    def attend(scores, width):
        return scores / tf.sqrt(tf.cast(width, tf.float32))  # not math.sqrt(width)

    return attend(tf.constant([2.0, 8.0]), tf.constant(4))


@cases("a range")
def workaround_tf_range(use):
    @tf.function(autograph=False)
    def positions(length):
        return tf.cast(tf.range(length), tf.float32) / 10.0  # not [… for position in range(length)]

    return positions(tf.constant(4))


@cases("a text")
def workaround_strings_format(use):
    @tf.function
    def describe(loss):
        return tf.strings.format("loss {}", loss)  # not f"loss {loss:.1f}"

    return describe(tf.constant(0.5))


@cases("NumPy")
def workaround_tensorflow_numpy(use):
    tnp = tf.experimental.numpy

    @tf.function
    def standardize(batch):
        return (batch - tnp.mean(batch)) / tnp.std(batch)

    return standardize(tf.constant([[1.0, 2.0], [3.0, 6.0]]))


@cases("NumPy")
def workaround_numpy_function(use):
    def with_numpy(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    @tf.function
    def standardize(batch):
        result = tf.numpy_function(with_numpy, [batch], tf.float32)
        return tf.ensure_shape(result, batch.shape)

    return standardize(tf.constant([[1.0, 2.0], [3.0, 6.0]]))


@cases("NumPy")
def workaround_numpy_outside(use):
    @tf.function
    def standardize(batch, mean, deviation):
        return (batch - mean) / deviation

    batch = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    return standardize(batch, tf.constant(np.mean(batch)), tf.constant(np.std(batch)))


@cases("NumPy")
def dead_end_call_numpy(use):
    @tf.function
    def standardize(batch):
        values = batch.numpy()
        return (values - np.mean(values)) / np.std(values)

    return standardize(tf.constant([[1.0, 2.0], [3.0, 6.0]]))


@cases("a text")
def dead_end_plain_f_string(use):
    @tf.function
    def describe(loss):
        return tf.constant(f"loss {loss}")  # without the :.1f

    return describe(tf.constant(0.5))


@cases("NumPy")
def dead_end_numpy_behavior(use):
    tf.experimental.numpy.experimental_enable_numpy_behavior()

    @tf.function
    def standardize(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    return standardize(tf.constant([[1.0, 2.0], [3.0, 6.0]]))


@cases("NumPy")
def dead_end_run_eagerly(use):
    tf.config.run_functions_eagerly(True)

    @tf.function
    def standardize(batch):
        return (batch - np.mean(batch)) / np.std(batch)

    return standardize(tf.constant([[1.0, 2.0], [3.0, 6.0]]))


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


def message_int_without_autograph():
    @tf.function(autograph=False)
    def crop(image, height):
        return image[: int(height)]

    return crop(tf.ones([8, 8]), tf.constant(3))


def message_percent_format():
    class Logger(tf.Module):
        @tf.function
        def tag(self, step):
            return tf.constant("step_%d" % step)  # noqa: UP031

    return Logger().tag(tf.constant(7))


def message_range_in_an_unconverted_helper():
    @tf.autograph.experimental.do_not_convert
    def powers(base, count):
        return tf.stack([base**exponent for exponent in range(count)])

    @tf.function
    def discounts(count):
        return powers(tf.constant(0.9), count)

    return discounts(tf.constant(3))


def message_list_index():
    schedules = [0.1, 0.01, 0.001]

    @tf.function
    def rate_of(phase):
        return tf.constant(1.0) * schedules[phase]

    return rate_of(tf.constant(1))
