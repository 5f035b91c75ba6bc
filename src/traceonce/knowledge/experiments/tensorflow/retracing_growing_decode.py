"""A decoder that is called with one token more each time is traced for every length."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=8, cause="shape", path="tokens.shape[1]", cured=2)

PROMPT = tf.constant([[3, 1]])
STEPS = 8


def choose_next(tokens):
    """Stands for a model and the argmax over its logits."""
    return (3 * tokens[:, -1] + 5 * tf.reduce_sum(tokens, axis=1)) % 11


def failure():
    @tf.function
    def next_token(tokens):
        return choose_next(tokens)

    tokens = PROMPT
    for _ in range(STEPS):
        tokens = tf.concat([tokens, next_token(tokens)[:, tf.newaxis]], axis=1)
    return tokens


def workaround_signature():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def next_token(tokens):
        return choose_next(tokens)

    tokens = PROMPT
    for _ in range(STEPS):
        tokens = tf.concat([tokens, next_token(tokens)[:, tf.newaxis]], axis=1)
    return tokens


def workaround_buffer():
    @tf.function
    def decode_one(buffer, length):
        token = choose_next(buffer[:, :length])
        return tf.concat([buffer[:, :length], token[:, tf.newaxis], buffer[:, length + 1 :]], axis=1)

    buffer = tf.pad(PROMPT, [[0, 0], [0, STEPS]])
    for length in range(2, 2 + STEPS):
        buffer = decode_one(buffer, tf.constant(length))
    return buffer


def workaround_loop_inside():
    @tf.function
    def generate(tokens, steps):
        for _ in tf.range(steps):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(tokens, tf.TensorShape([1, None]))])
            tokens = tf.concat([tokens, choose_next(tokens)[:, tf.newaxis]], axis=1)
        return tokens

    return generate(PROMPT, tf.constant(STEPS))


def workaround_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def next_token(tokens):
        return choose_next(tokens)

    tokens = PROMPT
    for _ in range(STEPS):
        tokens = tf.concat([tokens, next_token(tokens)[:, tf.newaxis]], axis=1)
    return tokens


def dead_end_python_length():
    @tf.function
    def decode_one(buffer, length):
        token = choose_next(buffer[:, :length])
        return tf.concat([buffer[:, :length], token[:, tf.newaxis], buffer[:, length + 1 :]], axis=1)

    buffer = tf.pad(PROMPT, [[0, 0], [0, STEPS]])
    for length in range(2, 2 + STEPS):
        buffer = decode_one(buffer, length)
    return buffer


def dead_end_python_list():
    @tf.function
    def next_token(tokens):
        return choose_next(tf.convert_to_tensor(tokens)[tf.newaxis])

    tokens = [3, 1]
    for _ in range(STEPS):
        tokens.append(int(next_token(tokens)[0]))
    return [tokens]


def dead_end_pad_without_a_mask():
    @tf.function
    def next_token(tokens):
        return choose_next(tokens)

    tokens = PROMPT
    for _ in range(STEPS):
        padded = tf.pad(tokens, [[0, 0], [0, 16 - tokens.shape[1]]])
        tokens = tf.concat([tokens, next_token(padded)[:, tf.newaxis]], axis=1)
    return tokens


def message_model():
    embed = tf.keras.layers.Embedding(8, 4, embeddings_initializer="ones")

    @tf.function
    def predict_logits(ids, mask):
        return tf.reduce_sum(embed(ids) * mask[..., tf.newaxis], axis=1)

    return [predict_logits(tf.ones([1, n], tf.int32), tf.ones([1, n])) for n in range(1, 7)]


def message_window_of_a_series():
    class Forecaster(tf.Module):
        @tf.function
        def forecast(self, history):
            return tf.reduce_mean(history) + history[-1]

    forecaster, history = Forecaster(), [1.0, 2.0, 3.0, 4.0]
    while len(history) < 26:
        history += 4 * [float(forecaster.forecast(tf.constant(history)))]
    return history


def message_cache():
    @tf.function
    def attend(query, keys):
        return tf.reduce_max(tf.linalg.matvec(keys, query))

    keys, outputs = tf.ones([0, 3]), []
    for _ in range(6):
        keys = tf.concat([keys, tf.ones([1, 3])], axis=0)
        outputs.append(attend(tf.ones([3]), keys))
    return outputs
