"""Python numbers are part of the signature: every new value is a new trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=10, cause="value", path="step")


def failure():
    @tf.function
    def train_step(x, step):
        return x * step

    return [train_step(tf.constant(2.0), float(step)) for step in range(10)]


def workaround_tensor():
    @tf.function
    def train_step(x, step):
        return x * step

    return [train_step(tf.constant(2.0), tf.constant(float(step))) for step in range(10)]


def dead_end_relax():
    @tf.function(reduce_retracing=True)
    def train_step(x, step):
        return x * step

    return [train_step(tf.constant(2.0), float(step)) for step in range(10)]
