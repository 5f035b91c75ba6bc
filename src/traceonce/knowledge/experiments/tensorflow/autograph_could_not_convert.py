"""AutoGraph cannot read or rewrite a function: it warns, runs it as it is, and Python decides what tensors should."""

import importlib
import pathlib
import sys

import tensorflow as tf

from traceonce.knowledge.experiment import Logs

symptom = Logs(text=r"AutoGraph could not transform")

LOSSES = [2.0, 9.0]


def failure():
    class Clip(tf.Module):
        def __init__(self):
            self.__limit = tf.constant(5.0)

        @tf.function
        def __call__(self, loss):
            if loss > self.__limit:
                return self.__limit
            return loss

    clip = Clip()
    return [clip(tf.constant(loss)) for loss in LOSSES]


def right():
    return [min(loss, 5.0) for loss in LOSSES]


def workaround_plain_name():
    class Clip(tf.Module):
        def __init__(self):
            self._limit = tf.constant(5.0)

        @tf.function
        def __call__(self, loss):
            if loss > self._limit:
                return self._limit
            return loss

    clip = Clip()
    return [clip(tf.constant(loss)) for loss in LOSSES]


def workaround_operations_without_autograph():
    class Clip(tf.Module):
        def __init__(self):
            self.__limit = tf.constant(5.0)

        @tf.function(autograph=False)
        def __call__(self, loss):
            return tf.where(loss > self.__limit, self.__limit, loss)

    clip = Clip()
    return [clip(tf.constant(loss)) for loss in LOSSES]


def workaround_branch_in_a_function():
    @tf.function
    def clipped(loss, limit):
        if loss > limit:
            return limit
        return loss

    class Clip(tf.Module):
        def __init__(self):
            self.__limit = tf.constant(5.0)

        def __call__(self, loss):
            return clipped(loss, self.__limit)

    clip = Clip()
    return [clip(tf.constant(loss)) for loss in LOSSES]


def dead_end_do_not_convert():
    class Clip(tf.Module):
        def __init__(self):
            self.__limit = tf.constant(5.0)

        @tf.function
        @tf.autograph.experimental.do_not_convert
        def __call__(self, loss):
            if loss > self.__limit:
                return self.__limit
            return loss

    clip = Clip()
    return [clip(tf.constant(loss)) for loss in LOSSES]


def dead_end_hide_the_warning():
    tf.get_logger().setLevel("ERROR")

    class Clip(tf.Module):
        def __init__(self):
            self.__limit = tf.constant(5.0)

        @tf.function
        def __call__(self, loss):
            if loss > self.__limit:
                return self.__limit
            return loss

    clip = Clip()
    return [clip(tf.constant(loss)) for loss in LOSSES]


def message_two_lambdas_in_a_line():
    numbers = tf.data.Dataset.range(4).map(lambda x: x + 1).filter(lambda x: x > 2)
    return list(numbers)


def message_match_statement():
    @tf.function
    def activate(logits, kind):
        match kind:
            case "relu":
                return tf.nn.relu(logits)
            case _:
                return logits

    return activate(tf.constant([-1.0, 1.0]), "relu")


def message_generator_inside():
    @tf.function
    def power_series(x):
        def terms():
            term = x
            for _ in range(3):
                yield term
                term = term * x

        return tf.add_n(list(terms()))

    return power_series(tf.constant(2.0))


def message_source_is_gone():
    scale = import_generated("def scale(x):\n    return 2 * x\n")
    pathlib.Path("generated.py").unlink()
    return tf.function(scale)(tf.constant(3.0))


def message_file_was_edited():
    scale = import_generated("def scale(x):\n    return 3 * x\n")
    pathlib.Path("generated.py").write_text("# emptied while the program runs\n")
    return tf.function(scale)(tf.constant(3.0))


def import_generated(source):
    """The function `scale` of a module that a program has just written."""
    pathlib.Path("generated.py").write_text(source)
    sys.path.insert(0, ".")
    return importlib.import_module("generated").scale
