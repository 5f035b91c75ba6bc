"""A trace is tied to an object that lives: once it is gone, an equal one made anew cannot use the trace."""

import dataclasses
import functools
import gc
from typing import NamedTuple

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="collected", path="options")

logits = tf.constant([1.0, 2.0, 3.0])


def failure():
    class Options:
        def __init__(self, temperature):
            self.temperature = temperature

    @tf.function
    def sample(logits, options):
        return tf.nn.softmax(logits / options.temperature)

    return [sample(logits, Options(temperature=0.7)) for _ in range(5)]


def workaround_keep_one_object():
    class Options:
        def __init__(self, temperature):
            self.temperature = temperature

    @tf.function
    def sample(logits, options):
        return tf.nn.softmax(logits / options.temperature)

    options = Options(temperature=0.7)
    return [sample(logits, options) for _ in range(5)]


def workaround_named_tuple():
    class Options(NamedTuple):
        temperature: tf.Tensor

    @tf.function
    def sample(logits, options):
        return tf.nn.softmax(logits / options.temperature)

    return [sample(logits, Options(temperature=tf.constant(0.7))) for _ in range(5)]


def workaround_cached_factory():
    class Options:
        def __init__(self, temperature):
            self.temperature = temperature

    @functools.cache
    def options_for(temperature):  # the cache keeps each object alive
        return Options(temperature)

    @tf.function
    def sample(logits, options):
        return tf.nn.softmax(logits / options.temperature)

    return [sample(logits, options_for(0.7)) for _ in range(5)]


def dead_end_equality_and_hash():
    @dataclasses.dataclass(frozen=True)  # writes __eq__ and __hash__
    class Options:
        temperature: float

    @tf.function
    def sample(logits, options):
        return tf.nn.softmax(logits / options.temperature)

    return [sample(logits, Options(temperature=0.7)) for _ in range(5)]


def dead_end_no_garbage_collector():
    class Options:
        def __init__(self, temperature):
            self.temperature = temperature

    @tf.function
    def sample(logits, options):
        return tf.nn.softmax(logits / options.temperature)

    gc.disable()
    return [sample(logits, Options(temperature=0.7)) for _ in range(5)]


def dead_end_reduce_retracing():
    class Options:
        def __init__(self, temperature):
            self.temperature = temperature

    @tf.function(reduce_retracing=True)
    def sample(logits, options):
        return tf.nn.softmax(logits / options.temperature)

    return [sample(logits, Options(temperature=0.7)) for _ in range(5)]


def message_schedule_made_anew():
    @dataclasses.dataclass(frozen=True)
    class Schedule:
        warmup: int = 100

    class Trainer:
        @tf.function
        def learning_rate(self, step, schedule):
            return tf.minimum(1.0, step / schedule.warmup)

    trainer = Trainer()
    return [trainer.learning_rate(tf.constant(float(step)), Schedule()) for step in range(8)]


class Padding:
    value = 0.0


@tf.function
def collate(batch):
    return batch["tokens"] + batch["padding"].value


def message_in_a_dictionary():
    return [collate({"tokens": tf.ones([3]), "padding": Padding()}) for _ in range(6)]


def message_keyword_only():
    class Reduction:
        def __call__(self, losses):
            return tf.reduce_sum(losses)

    @tf.function
    def total_loss(losses, *, reduction):
        return reduction(losses)

    return [total_loss(tf.constant([1.0, 2.0]), reduction=Reduction()) for _ in range(2)]
