"""An argument that is no tensor must have a hash: an ordinary dataclass, a set or a bytearray has none."""

import collections
import dataclasses
from typing import NamedTuple

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"Could not generate a generic TraceType for .*immutable/hashable")

features = tf.constant([1.0, 2.0])


@dataclasses.dataclass
class Config:
    """As most people write it: with the `__eq__` that dataclasses have, and so without a hash."""

    scale: float


def right():
    return [features * 0.5, features * 2.0]


def failure():
    @tf.function
    def rescale(features, config):
        return features * config.scale

    return [rescale(features, Config(scale=0.5)), rescale(features, Config(scale=2.0))]


def workaround_pass_the_values():
    @dataclasses.dataclass
    class Config:
        scale: float

    @tf.function
    def rescale(features, scale):
        return features * scale

    configs = [Config(scale=0.5), Config(scale=2.0)]
    return [rescale(features, tf.constant(config.scale)) for config in configs]


def workaround_named_tuple():
    class Config(NamedTuple):
        scale: tf.Tensor

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=tf.constant(0.5)), Config(scale=tf.constant(2.0))]
    return [rescale(features, config) for config in configs]


def workaround_frozen():
    @dataclasses.dataclass(frozen=True)  # writes __hash__ beside __eq__
    class Config:
        scale: float

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=0.5), Config(scale=2.0)]  # kept, so that a trace can be found again
    return [rescale(features, config) for config in configs]


def workaround_flatten_protocol():
    @dataclasses.dataclass
    class Config:
        scale: tf.Tensor

        def __tf_flatten__(self):
            return (), (self.scale,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(*components)

    @tf.function
    def rescale(features, config):
        return features * config.scale

    configs = [Config(scale=tf.constant(0.5)), Config(scale=tf.constant(2.0))]
    return [rescale(features, config) for config in configs]


def dead_end_wrap_in_a_tuple():
    @dataclasses.dataclass
    class Config:
        scale: float

    @tf.function
    def rescale(features, configs):
        return features * configs[0].scale

    return [rescale(features, (Config(scale=0.5),)), rescale(features, (Config(scale=2.0),))]


def dead_end_hash_of_a_mutable():
    @dataclasses.dataclass(unsafe_hash=True)
    class Config:
        scale: float

    @tf.function
    def rescale(features, config):
        return features * config.scale

    config = Config(scale=0.5)
    before = rescale(features, config)
    config.scale = 2.0
    return [before, rescale(features, config)]  # the second call is served by the trace of the first


def dead_end_without_autograph():
    @dataclasses.dataclass
    class Config:
        scale: float

    @tf.function(autograph=False, reduce_retracing=True)
    def rescale(features, config):
        return features * config.scale

    return [rescale(features, Config(scale=0.5)), rescale(features, Config(scale=2.0))]


def message_set_of_names():
    class Model:
        @tf.function
        def call(self, inputs, frozen_layers):
            return inputs if "embedding" in frozen_layers else inputs * 2.0

    return Model().call(tf.ones([2, 3]), frozen_layers={"embedding"})


@tf.function
def parse_header(offset, buffer):
    return tf.strings.substr(tf.constant(bytes(buffer)), offset, 4)


def message_buffer_of_bytes():
    return parse_header(tf.constant(0), bytearray(b"RIFF....WAVE"))


def message_deque_of_frames():
    @tf.function
    def stack_frames(frames):
        return tf.stack(list(frames))

    return stack_frames(collections.deque([tf.zeros([2]), tf.ones([2])], maxlen=4))


def message_nested_in_a_dictionary():
    @dataclasses.dataclass
    class Augmentation:
        gain: float = 1.5
        crop: tuple = (4, 4)

    @tf.function
    def train_step(batch):
        return batch["image"] * batch["augmentation"].gain

    return train_step({"image": tf.ones([4, 4]), "augmentation": Augmentation()})


def message_from_an_outer_function():
    class Span:
        def __init__(self, start, end):
            self.start, self.end = start, end

        def __eq__(self, other):
            return (self.start, self.end) == (other.start, other.end)

    @tf.function
    def cut(tokens, span):
        return tokens[span.start : span.end]

    @tf.function
    def prepare(tokens):
        return cut(tokens, Span(1, 3)) + 1

    return prepare(tf.range(5))
