"""A Python string is part of the signature: every new text is a new trace."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=4, cause="value", path="name")

NAMES = ("sum", "mean", "max", "min")
X = tf.constant([1.0, 2.0, 6.0])
REDUCTIONS = {"sum": tf.reduce_sum, "mean": tf.reduce_mean, "max": tf.reduce_max, "min": tf.reduce_min}


def reduce_if_sum(x, name):
    if name == "sum":
        return tf.reduce_sum(x)
    return tf.reduce_max(x)


USES = {
    "an operation of tf.strings": lambda x, name: tf.strings.upper(name),
    "a comparison": reduce_if_sum,
    "a sum of strings": lambda x, name: "loss/" + name,
    "a key of a dictionary": lambda x, name: REDUCTIONS[name](x),
    "an f-string": lambda x, name: tf.strings.length(f"loss/{name}"),
}


@cases(
    "an operation of tf.strings",
    "a comparison",
    "a sum of strings",
    "a key of a dictionary",
    "an f-string",
)
def failure(use):
    @tf.function
    def summarize(x, name):
        return tf.identity(USES[use](x, name))  # tf.strings.upper(name), name == "sum", …

    return [summarize(X, name) for name in NAMES]


@cases(
    "an operation of tf.strings",
    "a comparison",
    "a sum of strings",
    "a key of a dictionary",
    "an f-string",
)
def workaround_tensor(use):
    @tf.function
    def summarize(x, name):
        return tf.identity(USES[use](x, name))  # tf.strings.upper(name), name == "sum", …

    return [summarize(X, tf.constant(name)) for name in NAMES]


@cases(
    "an operation of tf.strings",
    "a comparison",
    "a sum of strings",
    "a key of a dictionary",
    "an f-string",
)
def workaround_signature(use):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.string)])
    def summarize(x, name):
        return tf.identity(USES[use](x, name))  # tf.strings.upper(name), name == "sum", …

    return [summarize(X, name) for name in NAMES]


@cases("a key of a dictionary")
def workaround_switch_case(use):
    @tf.function
    def summarize(x, number):
        return tf.switch_case(number, [lambda reduce=reduce: reduce(x) for reduce in REDUCTIONS.values()])

    numbers = {name: number for number, name in enumerate(REDUCTIONS)}
    return [summarize(X, tf.constant(numbers[name])) for name in NAMES]


@cases(
    "an operation of tf.strings",
    "a comparison",
    "a sum of strings",
    "a key of a dictionary",
    "an f-string",
)
def dead_end_relax(use):
    @tf.function(reduce_retracing=True)
    def summarize(x, name):
        return tf.identity(USES[use](x, name))  # tf.strings.upper(name), name == "sum", …

    return [summarize(X, name) for name in NAMES]


@cases("an operation of tf.strings", "a comparison", "a sum of strings", "an f-string")
def dead_end_numpy_string(use):
    @tf.function
    def summarize(x, name):
        return tf.identity(USES[use](x, name))  # tf.strings.upper(name), name == "sum", …

    return [summarize(X, np.str_(name)) for name in NAMES]


@cases("an operation of tf.strings", "a comparison", "a sum of strings")
def dead_end_constant_inside(use):
    @tf.function
    def summarize(x, name):
        return tf.identity(USES[use](x, tf.constant(name)))  # tf.strings.upper(name), …

    return [summarize(X, name) for name in NAMES]


def message_file_names():
    @tf.function
    def label_of(path):
        return tf.strings.split(path, "/")[0]

    return [label_of(f"class{number}/image{number}.png") for number in range(5)]


def message_option_of_a_method():
    class Loss(tf.Module):
        @tf.function
        def compute(self, errors, *, reduction="sum"):
            return tf.reduce_sum(errors) if reduction == "sum" else tf.reduce_mean(errors)

    loss = Loss()
    return [loss.compute(tf.ones([3]), reduction=name) for name in ("sum", "mean", "none", "auto", "batch")]


def message_bytes():
    @tf.function
    def parse(line, separator):
        return tf.strings.split(line, separator)

    return [parse(tf.constant("a,b;c|d e"), separator) for separator in (b",", b";", b"|", b" ")]
