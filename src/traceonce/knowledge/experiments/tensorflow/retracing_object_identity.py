"""An object that is no tensor is compared by its own ``__eq__``: without one, each object is a trace."""

import dataclasses

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=5, cause="identity", path="config")


@cases("plain settings", "variables inside")
def failure(holds):
    class Config:
        def __init__(self, scale):
            self.scale = scale

    @tf.function
    def rescale(features, config):
        return features * config.scale

    if holds == "plain settings":
        configs = [Config(scale=0.5) for _ in range(5)]
    else:
        configs = [Config(scale=tf.Variable(float(number))) for number in range(5)]
    return [rescale(tf.constant([1.0, 2.0]), config) for config in configs]


@cases("plain settings")
def workaround_pass_the_values(holds):
    @dataclasses.dataclass
    class Config:
        scale: float

    @tf.function
    def rescale(features, scale):
        return features * scale

    features = tf.constant([1.0, 2.0])
    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, tf.constant(config.scale)) for config in configs]


@cases("variables inside")
def workaround_pass_the_variables(holds):
    class Expert:
        def __init__(self, scale):
            self.scale = tf.Variable(scale)

    @tf.function
    def rescale(features, scale):
        return features * scale

    features = tf.constant([1.0, 2.0])
    experts = [Expert(scale=float(number)) for number in range(5)]
    return [rescale(features, expert.scale) for expert in experts]


@cases("plain settings")
def workaround_extension_type(holds):
    class Config(tf.experimental.ExtensionType):
        scale: tf.Tensor

    @tf.function
    def rescale(features, config):
        return features * config.scale

    features = tf.constant([1.0, 2.0])
    configs = [Config(scale=tf.constant(0.5)) for _ in range(5)]
    return [rescale(features, config) for config in configs]


@cases("plain settings")
def workaround_equality_and_hash(holds):
    @dataclasses.dataclass(frozen=True)  # writes __eq__ and __hash__
    class Config:
        scale: float

    @tf.function
    def rescale(features, config):
        return features * config.scale

    features = tf.constant([1.0, 2.0])
    configs = [Config(scale=0.5) for _ in range(5)]  # kept: an object that is gone equals nothing
    return [rescale(features, config) for config in configs]


@cases("variables inside")
def dead_end_equality_over_variables(holds):
    class Expert:
        def __init__(self, name, scale):
            self.name = name
            self.scale = tf.Variable(scale)

        def __eq__(self, other):
            return isinstance(other, Expert) and self.name == other.name

        def __hash__(self):
            return hash(self.name)

    @tf.function
    def rescale(features, expert):
        return features * expert.scale

    features = tf.constant([1.0, 2.0])
    experts = [Expert("linear", scale=float(number)) for number in range(5)]
    return [rescale(features, expert) for expert in experts]


@cases("plain settings")
def dead_end_only_hash(holds):
    class Config:
        def __init__(self, scale):
            self.scale = scale

        def __hash__(self):
            return hash(self.scale)

    @tf.function
    def rescale(features, config):
        return features * config.scale

    features = tf.constant([1.0, 2.0])
    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, config) for config in configs]


@cases("plain settings")
def dead_end_only_equality(holds):
    @dataclasses.dataclass  # writes __eq__, and takes __hash__ away
    class Config:
        scale: float

    @tf.function
    def rescale(features, config):
        return features * config.scale

    features = tf.constant([1.0, 2.0])
    configs = [Config(scale=0.5) for _ in range(5)]
    return [rescale(features, config) for config in configs]


@cases("plain settings")
def dead_end_reduce_retracing(holds):
    class Config:
        def __init__(self, scale):
            self.scale = scale

    @tf.function(reduce_retracing=True)
    def rescale(features, config):
        return features * config.scale

    features = tf.constant([1.0, 2.0])
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
