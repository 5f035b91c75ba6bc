"""With jit_compile=True every operation of the function must be one that XLA can compile."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="InvalidArgumentError", text=r"Detected unsupported operations when trying to compile graph")

CODES, ROWS = [11, 12, 13], [2, 0, 1]
BATCHES = [[12, 13, 11], [13, 13, 12]]
EMBEDDINGS = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


def failure():
    rows = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(CODES, ROWS), default_value=0)

    @tf.function(jit_compile=True)
    def embed(tokens):
        return tf.nn.tanh(tf.gather(EMBEDDINGS, rows.lookup(tokens)))

    return [embed(tf.constant(tokens)) for tokens in BATCHES]


def right():
    row_of = dict(zip(CODES, ROWS, strict=True))
    return [np.tanh([EMBEDDINGS[row_of[token]] for token in tokens]) for tokens in BATCHES]


def workaround_compile_the_rest():
    rows = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(CODES, ROWS), default_value=0)

    @tf.function(jit_compile=True)
    def forward(indices):
        return tf.nn.tanh(tf.gather(EMBEDDINGS, indices))

    @tf.function
    def embed(tokens):
        return forward(rows.lookup(tokens))

    return [embed(tf.constant(tokens)) for tokens in BATCHES]


def workaround_before_the_call():
    rows = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(CODES, ROWS), default_value=0)

    @tf.function(jit_compile=True)
    def embed(indices):
        return tf.nn.tanh(tf.gather(EMBEDDINGS, indices))

    dataset = tf.data.Dataset.from_tensor_slices(BATCHES).map(rows.lookup)
    return [embed(indices) for indices in dataset]


def workaround_other_operation():
    row_of_code = np.zeros(14, np.int32)
    row_of_code[CODES] = ROWS

    @tf.function(jit_compile=True)
    def embed(tokens):
        return tf.nn.tanh(tf.gather(EMBEDDINGS, tf.gather(row_of_code, tokens)))

    return [embed(tf.constant(tokens)) for tokens in BATCHES]


def dead_end_cpu_device():
    rows = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(CODES, ROWS), default_value=0)
    tf.config.set_soft_device_placement(True)

    @tf.function(jit_compile=True)
    def embed(tokens):
        with tf.device("/CPU:0"):
            indices = rows.lookup(tokens)
        return tf.nn.tanh(tf.gather(EMBEDDINGS, indices))

    return [embed(tf.constant(tokens)) for tokens in BATCHES]


def dead_end_numpy_function():
    row_of = dict(zip(CODES, ROWS, strict=True))

    def look_up(tokens):
        return np.array([row_of[token] for token in tokens], np.int32)

    @tf.function(jit_compile=True)
    def embed(tokens):
        indices = tf.ensure_shape(tf.numpy_function(look_up, [tokens], tf.int32), [3])
        return tf.nn.tanh(tf.gather(EMBEDDINGS, indices))

    return [embed(tf.constant(tokens)) for tokens in BATCHES]


def dead_end_inner_function():
    rows = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(CODES, ROWS), default_value=0)

    @tf.function(jit_compile=False)
    def look_up(tokens):
        return rows.lookup(tokens)

    @tf.function(jit_compile=True)
    def embed(tokens):
        return tf.nn.tanh(tf.gather(EMBEDDINGS, look_up(tokens)))

    return [embed(tf.constant(tokens)) for tokens in BATCHES]


def message_print():
    @tf.function(jit_compile=True)
    def train_step(x, y):
        loss = tf.reduce_mean(tf.square(x - y))
        tf.print("loss:", loss)
        return loss

    return train_step(tf.ones([4, 2]), tf.zeros([4, 2]))


def message_string_argument():
    @tf.function(jit_compile=True)
    def count_words(lines):
        return tf.strings.length(lines)

    return count_words(tf.constant(["one two", "three"]))


def message_bicubic_in_a_layer():
    class Upscale(tf.keras.layers.Layer):
        def call(self, images):
            return tf.image.resize(images, [16, 16], method="bicubic")

    model = tf.keras.Sequential([Upscale()])

    @tf.function(jit_compile=True)
    def predict(images):
        return model(images)

    return predict(tf.ones([1, 8, 8, 3]))


def message_py_function_in_a_method():
    class Metric(tf.Module):
        @tf.function(jit_compile=True)
        def update(self, labels, logits):
            matches = tf.py_function(
                lambda a, b: tf.reduce_mean(tf.cast(a == b, tf.float32)), [labels, logits], tf.float32
            )
            return 100.0 * matches

    return Metric().update(tf.constant([1, 2]), tf.constant([1, 3]))
