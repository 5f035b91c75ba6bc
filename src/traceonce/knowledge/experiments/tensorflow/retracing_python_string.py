"""A Python string is part of the signature: every new text is a new trace."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=4, cause="value", path="name")


@cases("in operations", "a key of a dictionary", "an f-string")
def failure(use):
    reductions = {"sum": tf.reduce_sum, "mean": tf.reduce_mean, "max": tf.reduce_max, "min": tf.reduce_min}

    @tf.function
    def summarize(x, name):
        if use == "a key of a dictionary":
            return reductions[name](x)
        if use == "an f-string":
            return tf.constant(f"loss/{name}")
        text = tf.strings.upper("loss/" + name)
        if name == "sum":
            return text, tf.reduce_sum(x)
        return text, tf.reduce_max(x)

    return [summarize(tf.constant([1.0, 2.0, 6.0]), name) for name in ("sum", "mean", "max", "min")]


@cases("in operations")
def workaround_tensor(use):
    @tf.function
    def summarize(x, name):
        text = tf.strings.upper("loss/" + name)
        if name == "sum":
            return text, tf.reduce_sum(x)
        return text, tf.reduce_max(x)

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, tf.constant(name)) for name in ("sum", "mean", "max", "min")]


@cases("in operations")
def workaround_signature(use):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.string)])
    def summarize(x, name):
        text = tf.strings.upper("loss/" + name)
        if name == "sum":
            return text, tf.reduce_sum(x)
        return text, tf.reduce_max(x)

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, name) for name in ("sum", "mean", "max", "min")]


@cases("a key of a dictionary")
def workaround_switch_case(use):
    reductions = {"sum": tf.reduce_sum, "mean": tf.reduce_mean, "max": tf.reduce_max, "min": tf.reduce_min}
    numbers = {name: number for number, name in enumerate(reductions)}

    @tf.function
    def summarize(x, number):
        return tf.switch_case(number, [lambda reduce=reduce: reduce(x) for reduce in reductions.values()])

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, tf.constant(numbers[name])) for name in ("sum", "mean", "max", "min")]


@cases("an f-string")
def workaround_join(use):
    @tf.function
    def summarize(x, name):
        return tf.strings.join(["loss/", name])

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, tf.constant(name)) for name in ("sum", "mean", "max", "min")]


@cases("a key of a dictionary")
def dead_end_tensor_as_key(use):
    reductions = {"sum": tf.reduce_sum, "mean": tf.reduce_mean, "max": tf.reduce_max, "min": tf.reduce_min}

    @tf.function
    def summarize(x, name):
        return reductions[name](x)

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, tf.constant(name)) for name in ("sum", "mean", "max", "min")]


@cases("an f-string")
def dead_end_tensor_in_f_string(use):
    @tf.function
    def summarize(x, name):
        return tf.constant(f"loss/{name}")

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, tf.constant(name)) for name in ("sum", "mean", "max", "min")]


@cases("in operations")
def dead_end_relax(use):
    @tf.function(reduce_retracing=True)
    def summarize(x, name):
        text = tf.strings.upper("loss/" + name)
        if name == "sum":
            return text, tf.reduce_sum(x)
        return text, tf.reduce_max(x)

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, name) for name in ("sum", "mean", "max", "min")]


@cases("in operations")
def dead_end_numpy_string(use):
    @tf.function
    def summarize(x, name):
        text = tf.strings.upper("loss/" + name)
        if name == "sum":
            return text, tf.reduce_sum(x)
        return text, tf.reduce_max(x)

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, np.str_(name)) for name in ("sum", "mean", "max", "min")]


@cases("in operations")
def dead_end_constant_inside(use):
    @tf.function
    def summarize(x, name):
        name = tf.constant(name)
        text = tf.strings.upper("loss/" + name)
        if name == "sum":
            return text, tf.reduce_sum(x)
        return text, tf.reduce_max(x)

    x = tf.constant([1.0, 2.0, 6.0])
    return [summarize(x, name) for name in ("sum", "mean", "max", "min")]


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
