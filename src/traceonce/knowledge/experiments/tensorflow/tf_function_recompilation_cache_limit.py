"""A limit on retraces is reached (traceonce sets it; TensorFlow has none): what stays below it, and what does not."""

import tensorflow as tf

import traceonce
from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(
    type="ResourceExhaustedError",
    text=r"The function 'train_step' has been retraced \d+ times\. The tracing limit has been reached",
)


@cases("lengths and steps", "modes")
def failure(varying):
    @tf.function
    def train_step(batch, number):
        if varying == "lengths and steps":
            return tf.reduce_sum(batch) / (1.0 + number)
        return tf.reduce_sum(batch) if number == 0 else tf.reduce_mean(batch) * float(number)

    traceonce.limit(3)
    if varying == "lengths and steps":
        lengths = (12, 9, 15, 20, 7, 11, 18, 5)
        return [train_step(tf.ones([length]), float(step)) for step, length in enumerate(lengths)]
    return [train_step(tf.range(12.0), mode) for mode in range(6)]


@cases("lengths and steps", "modes")
def right(varying):
    if varying == "lengths and steps":
        return [length / (1.0 + step) for step, length in enumerate((12, 9, 15, 20, 7, 11, 18, 5))]
    return [66.0, 5.5, 11.0, 16.5, 22.0, 27.5]


@cases("lengths and steps")
def workaround_signature(varying):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
    def train_step(batch, step):
        return tf.reduce_sum(batch) / (1.0 + step)

    traceonce.limit(3)
    lengths = (12, 9, 15, 20, 7, 11, 18, 5)
    return [train_step(tf.ones([length]), float(step)) for step, length in enumerate(lengths)]


@cases("lengths and steps")
def workaround_tensors(varying):
    @tf.function(reduce_retracing=True)
    def train_step(batch, step):
        return tf.reduce_sum(batch) / (1.0 + step)

    traceonce.limit(3)
    lengths = (12, 9, 15, 20, 7, 11, 18, 5)
    return [train_step(tf.ones([length]), tf.constant(float(step))) for step, length in enumerate(lengths)]


@cases("modes")
def workaround_switch_case(varying):
    @tf.function
    def train_step(batch, mode):
        return tf.switch_case(
            mode,
            [lambda: tf.reduce_sum(batch)],
            default=lambda: tf.reduce_mean(batch) * tf.cast(mode, tf.float32),
        )

    traceonce.limit(3)
    return [train_step(tf.range(12.0), tf.constant(mode)) for mode in range(6)]


@cases("lengths and steps")
def dead_end_raise_the_limit(varying):
    @tf.function
    def train_step(batch, step):
        return tf.reduce_sum(batch) / (1.0 + step)

    traceonce.limit(4)  # it was 3
    lengths = (12, 9, 15, 20, 7, 11, 18, 5)
    return [train_step(tf.ones([length]), float(step)) for step, length in enumerate(lengths)]


@cases("lengths and steps")
def dead_end_relax(varying):
    @tf.function(reduce_retracing=True)
    def train_step(batch, step):
        return tf.reduce_sum(batch) / (1.0 + step)

    traceonce.limit(3)
    lengths = (12, 9, 15, 20, 7, 11, 18, 5)
    return [train_step(tf.ones([length]), float(step)) for step, length in enumerate(lengths)]


@cases("lengths and steps")
def dead_end_eager(varying):
    tf.config.run_functions_eagerly(True)

    @tf.function
    def train_step(batch, step):
        return tf.reduce_sum(batch) / (1.0 + step)

    traceonce.limit(3)
    lengths = (12, 9, 15, 20, 7, 11, 18, 5)
    return [train_step(tf.ones([length]), float(step)) for step, length in enumerate(lengths)]


@cases("lengths and steps")
def dead_end_catch(varying):
    @tf.function
    def train_step(batch, step):
        return tf.reduce_sum(batch) / (1.0 + step)

    traceonce.limit(3)
    losses = []
    for step, length in enumerate((12, 9, 15, 20, 7, 11, 18, 5)):
        try:
            losses.append(train_step(tf.ones([length]), float(step)))
        except tf.errors.ResourceExhaustedError:
            continue
    return losses


def message_max_traces():
    @traceonce.max_traces(1)
    @tf.function
    def predict(tokens):
        return tf.reduce_sum(tokens, axis=1)

    return [predict(tf.ones([2, length], tf.int32)) for length in (16, 11)]


def message_in_a_layer():
    class Scale(tf.keras.layers.Layer):
        @tf.function
        def call(self, inputs, rate=0.0):
            return inputs * (1.0 - rate)

    scale = Scale()
    traceonce.limit(1)
    return [scale(tf.ones([2, 3]), rate=epoch / 10) for epoch in range(4)]


def message_warning():
    traceonce.limit(2, on_limit="warn")

    @tf.function
    def embed(words, language):
        return tf.strings.length(words) + len(language)

    return [embed(tf.constant(["ein", "un"]), language) for language in ("de", "fr", "it", "es", "pt")]


def message_inside_another_function():
    @tf.function
    def attend(queries, heads):
        return tf.reshape(queries, [heads, -1])

    @tf.function
    def encode(queries, heads):
        return attend(queries, heads) * 2.0

    traceonce.limit(2)
    return [encode(tf.ones([4, 6]), heads) for heads in (1, 2, 3, 4, 6)]
