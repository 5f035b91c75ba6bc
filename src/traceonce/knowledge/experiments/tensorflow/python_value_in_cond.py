"""tf.cond and tf.switch_case take a tensor: a Python bool or int is refused inside tf.function."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"pred must not be a Python bool")

INPUTS = [1.0, 2.0, 3.0]


def failure():
    @tf.function
    def forward(x, training):
        return tf.cond(training, lambda: x * 0.5, lambda: x)

    return [forward(tf.constant(INPUTS), training) for training in (True, False)]


def right():
    return [np.array(INPUTS) * 0.5, np.array(INPUTS)]


def workaround_python_if():
    @tf.function
    def forward(x, training):
        return x * 0.5 if training else x

    return [forward(tf.constant(INPUTS), training) for training in (True, False)]


def workaround_tensor():
    @tf.function
    def forward(x, training):
        return tf.cond(training, lambda: x * 0.5, lambda: x)

    return [forward(tf.constant(INPUTS), tf.constant(training)) for training in (True, False)]


def workaround_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.bool)])
    def forward(x, training):
        return tf.cond(training, lambda: x * 0.5, lambda: x)

    return [forward(tf.constant(INPUTS), training) for training in (True, False)]


def dead_end_int():
    @tf.function
    def forward(x, training):
        return tf.cond(training, lambda: x * 0.5, lambda: x)

    return [forward(tf.constant(INPUTS), training) for training in (1, 0)]


def dead_end_switch_case():
    @tf.function
    def forward(x, training):
        return tf.switch_case(int(training), [lambda: x, lambda: x * 0.5])

    return [forward(tf.constant(INPUTS), training) for training in (True, False)]


def dead_end_case():
    @tf.function
    def forward(x, training):
        return tf.case([(training, lambda: x * 0.5)], default=lambda: x)

    return [forward(tf.constant(INPUTS), training) for training in (True, False)]


def message_comparison_of_numbers():
    @tf.function
    def warm_up(rate, epoch):
        return tf.cond(epoch < 5, lambda: rate * 0.1, lambda: rate)

    return warm_up(tf.constant(0.01), 3)


def message_switch_case():
    @tf.function
    def expert(index, x):
        return tf.switch_case(index, [lambda: x, lambda: x + 1.0, lambda: x * 2.0])

    return expert(2, tf.ones([2, 2]))


def message_static_shape_in_a_layer():
    class Pool(tf.keras.layers.Layer):
        def call(self, inputs):
            return tf.cond(inputs.shape[-1] > 2, lambda: tf.reduce_mean(inputs), lambda: tf.reduce_sum(inputs))

    layer = Pool()

    @tf.function
    def train_step(batch):
        return layer(batch)

    return train_step(tf.ones([4, 2]))


def message_case():
    class Schedule(tf.Module):
        def __init__(self):
            super().__init__()
            self.warm = True

        @tf.function
        def rate(self, step):
            return tf.case([(self.warm, lambda: 0.01 * tf.cast(step, tf.float32))], default=lambda: 0.1)

    schedule = Schedule()
    return schedule.rate(tf.constant(7))


def message_int_as_condition():
    @tf.function
    def forward(x, use_bias):
        return tf.cond(use_bias, lambda: x + 1.0, lambda: x)

    return forward(tf.ones([3]), 1)
