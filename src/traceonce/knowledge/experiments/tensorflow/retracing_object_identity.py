"""An object that is no tensor is compared by its own ``__eq__``: without one, each object is a trace."""

import dataclasses

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="identity", path="config")

features = tf.constant([1.0, 2.0])


def failure():
    class Config:
        def __init__(self, scale):
            self.scale = scale

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, config) for config in configs]


def workaround_pass_the_values():
    @dataclasses.dataclass
    class Config:
        scale: float

    @tf.function
    def rescale(features, scale):
        return features * scale

    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, tf.constant(config.scale)) for config in configs]


def workaround_extension_type():
    class Config(tf.experimental.ExtensionType):
        scale: tf.Tensor

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=tf.constant(0.5)) for _ in range(5)]
    return [rescale(features, config) for config in configs]


def workaround_equality_and_hash():
    @dataclasses.dataclass(frozen=True)  # writes __eq__ and __hash__
    class Config:
        scale: float

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=0.5) for _ in range(5)]  # kept: an object that is gone equals nothing
    return [rescale(features, config) for config in configs]


def dead_end_only_hash():
    class Config:
        def __init__(self, scale):
            self.scale = scale

        def __hash__(self):
            return hash(self.scale)

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, config) for config in configs]


def dead_end_only_equality():
    @dataclasses.dataclass  # writes __eq__, and takes __hash__ away
    class Config:
        scale: float

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, config) for config in configs]


def dead_end_reduce_retracing():
    class Config:
        def __init__(self, scale):
            self.scale = scale

    @tf.function(reduce_retracing=True)
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, config) for config in configs]


class Tokenizer:
    offset = 3


@tf.function
def encode(text, tokenizer):
    return tf.strings.length(text) + tokenizer.offset


def message_tokenizers():
    tokenizers = [Tokenizer() for _ in range(6)]
    return [encode(tf.constant("a word"), tokenizer) for tokenizer in tokenizers]


def message_objects_in_a_list():
    class Augmentation:
        def __init__(self, gain):
            self.gain = gain

    class Pipeline:
        @tf.function
        def apply(self, image, steps):
            for step in steps:
                image = image * step.gain
            return image

    pipeline = Pipeline()
    runs = [[Augmentation(2.0), Augmentation(0.5)] for _ in range(6)]
    return [pipeline.apply(tf.ones([2, 2]), steps) for steps in runs]


def message_nested_function():
    class Environment:
        gravity = 9.81

    @tf.function
    def simulate(speed, environment):
        return speed - environment.gravity

    def rollout(environments):
        return [simulate(tf.constant(1.0), environment=environment) for environment in environments]

    return rollout([Environment(), Environment()])
